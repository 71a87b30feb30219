package assemble_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"arbor/context/assemble"
	"arbor/mdstore"
)

func TestUnreadableShowsWhatItHas(t *testing.T) {
	v := read(plainWorkspace, map[string]string{
		"root":  node("root", "null", "planning", "monitoring", ""),
		"bad":   node("bad", "root", "execution", "implementing", "## Requirement\n\nstill here\n\n<<<<<<< HEAD\n=======\n>>>>>>> x\n"),
		"child": strings.Replace(node("child", "bad", "execution", "completed", "## Conclusion\n\nall done\n"), "parentId", "role: nonsense\nparentId", 1),
	})
	b := context(t, v, "bad", assemble.Options{})
	if !strings.Contains(b.Focus().Requirement, "still here") {
		t.Errorf("requirement %q", b.Focus().Requirement)
	}
	if want := "node of focus: unreadable\nnode of child child: unreadable"; !strings.Contains(omitted(b), want) {
		t.Errorf("omitted:\n%s\nwant\n%s", omitted(b), want)
	}
	for _, o := range b.Omitted {
		if o.Reason == assemble.ReasonUnreadable && !strings.HasPrefix(o.Detail, "ws-1/nodes/"+string(o.NodeID)+"/Node.md:") {
			t.Errorf("%s: detail %q", o, o.Detail)
		}
	}
	if len(b.ChildConclusions) != 1 {
		t.Errorf("children %v", b.ChildConclusions)
	}
}

func TestManyOmissionsAreSummedUp(t *testing.T) {
	files := map[string]string{"root": node("root", "null", "planning", "monitoring", "## Requirement\n\n0123456789\n")}
	parent := "root"
	for i := range 20 {
		id := fmt.Sprintf("n%d", i)
		files[id] = node(id, parent, "planning", "monitoring", "## Docs\n\n- a: b (expired)\n")
		parent = id
	}
	files["last"] = isolated(node("last", parent, "execution", "pending", ""))
	v := read("---\nid: ws-1\nname: W\nstatus: active\n---\n", files)
	if got, want := omitted(context(t, v, "last", assemble.Options{})), "21 × node of ancestor, 50 bytes: isolated"; got != want {
		t.Errorf("above an isolated node: %q, want %q", got, want)
	}
	if got, want := omitted(context(t, v, "n19", assemble.Options{})), "19 × doc of ancestor, 38 bytes: expired\ndoc of focus, 2 bytes: expired"; got != want {
		t.Errorf("expired: %q, want %q", got, want)
	}
}

// Of one kind, eight omissions stand one by one, and nine as their sum, which has no detail.
func TestEightOmissionsStandAlone(t *testing.T) {
	for _, n := range []int{8, 9} {
		files := map[string]string{}
		parent := "gone" // so that there are more details than those of the sum
		for i := range n + 1 {
			id := fmt.Sprintf("n%d", i)
			files[id] = strings.Replace(node(id, parent, "planning", "monitoring", ""), "type:", "role: nonsense\ntype:", 1)
			parent = id
		}
		b := context(t, read(plainWorkspace, files), mdstore.ID(parent), assemble.Options{})
		var found []assemble.Omission
		for _, o := range b.Omitted {
			if o.Reason == assemble.ReasonUnreadable && o.Role == assemble.RoleAncestor {
				found = append(found, o)
			}
		}
		if n == 8 && (len(found) != 8 || found[0].Detail == "" || found[0].NodeID != "n0") {
			t.Errorf("8: %+v", found)
		}
		if n == 9 && (len(found) != 1 || found[0].Count != 9 || found[0].Detail != "" || found[0].NodeID != "") {
			t.Errorf("9: %+v", found)
		}
	}
}

// A detail that quotes a long text of a file is cut between two characters.
func TestLongDetail(t *testing.T) {
	bad := strings.Replace(node("root", "null", "planning", "x", ""), "status: x", "status: "+strings.Repeat("状态", 100), 1)
	b := context(t, read("---\nid: ws-1\nname: W\nstatus: active\n---\n", map[string]string{"root": bad}), "root", assemble.Options{})
	if d := b.Omitted[0].Detail; len(d) > 200 || len(d) < 190 || !utf8.ValidString(d) || !strings.HasSuffix(d, "状") && !strings.HasSuffix(d, "态") {
		t.Errorf("detail %q", d)
	}
}

// A section that stands twice reaches from its first line to its last.
func TestRepeatedSection(t *testing.T) {
	v := read(plainWorkspace, map[string]string{"root": node("root", "null", "planning", "pending", "## Note\n\none\n\n## Docs\n\n## Note\n\ntwo\n\n\n## Log\n")})
	f := context(t, v, "root", assemble.Options{}).Focus()
	if f.Note != "one\n\ntwo" || f.Lines.Note != (assemble.Range{9, 17}) || f.Lines.Docs != (assemble.Range{13, 13}) || f.Lines.Log != (assemble.Range{20, 20}) {
		t.Errorf("note %q, lines %+v", f.Note, f.Lines)
	}
}

// Context may be called by several goroutines at once.
func TestConcurrentCallsGiveTheSameBundle(t *testing.T) {
	v := read(fullFiles())
	var group sync.WaitGroup
	bundles := make([]*assemble.Bundle, 8)
	for i := range bundles {
		group.Go(func() {
			b, err := assemble.Context(v, "focus", assemble.Options{Budget: 500})
			if err != nil {
				t.Error(err)
			}
			bundles[i] = b
		})
	}
	group.Wait()
	for _, b := range bundles[1:] {
		if !reflect.DeepEqual(b, bundles[0]) {
			t.Errorf("got %+v and %+v", b, bundles[0])
		}
	}
}

// What a target that leads nowhere was meant to be.
func TestDanglingTargets(t *testing.T) {
	for target, kind := range map[string]string{
		"root": assemble.RefNode, "node-mj2hz4gy-ync1cu": assemble.RefNode,
		"node-guide-a": assemble.RefDoc, "node-UPPER-abcdef": assemble.RefDoc, "node--abcdef": assemble.RefDoc, "node-guide.md": assemble.RefDoc, "README": assemble.RefDoc,
	} {
		v := read(plainWorkspace, map[string]string{"a": node("a", "null", "execution", "pending", "## References\n\n- "+target+": why\n")})
		r := context(t, v, "a", assemble.Options{}).References[0]
		if r.Type != kind || !r.Dangling || r.TargetID != target {
			t.Errorf("%s: %+v", target, r)
		}
	}
}

func TestNoListIsNull(t *testing.T) {
	v := read("---\nid: ws-1\nname: W\nstatus: active\n---\n", map[string]string{"root": node("root", "null", "planning", "pending", "")})
	for _, budget := range []int{0, 1, 1 << 20} {
		data, err := json.Marshal(context(t, v, "root", assemble.Options{Budget: budget}))
		if err != nil {
			t.Fatal(err)
		}
		if s := strings.ReplaceAll(string(data), `"problem":null`, ""); strings.Contains(s, "null") {
			t.Errorf("%s", data)
		}
	}
}
