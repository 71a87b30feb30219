package assemble_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"arbor/context/assemble"
	"arbor/mdstore"
)

func TestTokens(t *testing.T) {
	for bytes, want := range map[int]int{0: 0, 1: 1, 3: 1, 4: 1, 5: 2, 8: 2, 9: 3} {
		if got := assemble.Tokens(bytes); got != want {
			t.Errorf("Tokens(%d) = %d, want %d", bytes, got, want)
		}
	}
}

func TestUnknownFocus(t *testing.T) {
	_, err := assemble.Context(read(plainWorkspace, nil), "node-x", assemble.Options{})
	var unknown *assemble.UnknownNodeError
	if !errors.As(err, &unknown) || unknown.ID != "node-x" || !strings.HasPrefix(err.Error(), "node-x: ") {
		t.Errorf("got %v, want an UnknownNodeError that names node-x", err)
	}
}

func TestWorkspacePart(t *testing.T) {
	v := read(plainWorkspace, map[string]string{"root": node("root", "null", "planning", "pending", "")})
	w := context(t, v, "root", assemble.Options{}).Workspace
	if w.Name != "Login" || w.Goal != "Users sign in with a password" || w.ID != "ws-1" || w.At != "ws-1/Workspace.md" {
		t.Errorf("got %+v", w)
	}
	if !slices.Equal(w.Rules, []string{"tests first", "no globals"}) || w.RulesHash != mdstore.RulesHash(w.Rules) {
		t.Errorf("rules %q with hash %q", w.Rules, w.RulesHash)
	}
	if want := []assemble.Doc{{Path: "docs/a.md", Description: "the plan"}}; !slices.Equal(w.Docs, want) {
		t.Errorf("docs %v, want %v", w.Docs, want)
	}
	if w.Problem == nil || *w.Problem != (mdstore.Problem{Text: "The server is down", NextStep: "Call the operator"}) {
		t.Errorf("problem %v", w.Problem)
	}
	if want := (assemble.Lines{Rules: assemble.Range{8, 11}, Docs: assemble.Range{13, 16}, Problem: assemble.Range{18, 24}}); w.Lines != want {
		t.Errorf("lines %v, want %v", w.Lines, want)
	}
}

func TestIsolationHidesWhatIsAbove(t *testing.T) {
	files := map[string]string{
		"root": node("root", "null", "planning", "monitoring", "## Requirement\n\nall of it\n"),
		"a":    node("a", "root", "planning", "monitoring", "## Note\n\nten bytes.\n"),
		"b":    isolated(node("b", "a", "planning", "monitoring", "")),
		"c":    node("c", "b", "planning", "monitoring", ""),
		"d":    node("d", "c", "execution", "implementing", ""),
	}
	v := read(plainWorkspace, files)
	hidden := "node of ancestor root, 9 bytes: isolated\nnode of ancestor a, 10 bytes: isolated"
	for focus, want := range map[mdstore.ID]string{"d": "b c d", "b": "b", "a": "root a", "root": "root"} {
		b := context(t, v, focus, assemble.Options{})
		if got := chainIDs(b); got != want {
			t.Errorf("chain of %s is %q, want %q", focus, got, want)
		}
		if cut := strings.Contains(omitted(b), hidden); cut != strings.HasPrefix(want, "b") {
			t.Errorf("omissions of %s:\n%s", focus, omitted(b))
		}
		if b.Workspace.Goal == "" || len(b.Workspace.Rules) == 0 {
			t.Errorf("%s is without its workspace", focus)
		}
	}
	files["c"] = isolated(files["c"])
	b := context(t, read(plainWorkspace, files), "d", assemble.Options{})
	if got := chainIDs(b); got != "c d" || !strings.Contains(omitted(b), "node of ancestor b: isolated") {
		t.Errorf("below two isolated nodes: chain %q\n%s", got, omitted(b))
	}
}

func TestDamagedTreesEnd(t *testing.T) {
	root := node("root", "a", "planning", "monitoring", "") // a parent of the root is nobody's business
	for name, c := range map[string]struct {
		files          map[string]string
		focus          mdstore.ID
		chain, omitted string
	}{
		"parent of the root": {map[string]string{"root": root, "a": node("a", "root", "planning", "pending", "")}, "a", "root a", ""},
		"own parent":         {map[string]string{"a": node("a", "a", "planning", "pending", "")}, "a", "a", "node of ancestor a: cycle"},
		"cycle of two": {map[string]string{"a": node("a", "b", "planning", "pending", ""), "b": node("b", "a", "planning", "pending", "")},
			"a", "b a", "node of ancestor a: cycle"},
		"cycle above": {map[string]string{"a": node("a", "b", "planning", "pending", ""), "b": node("b", "b", "planning", "pending", "")},
			"a", "b a", "node of ancestor b: cycle"},
		"isolated in a cycle": {map[string]string{"a": isolated(node("a", "b", "planning", "pending", "")), "b": node("b", "a", "planning", "pending", "")},
			"a", "a", "node of ancestor b: isolated\nnode of ancestor a: cycle"},
		"no such parent": {map[string]string{"a": node("a", "gone", "planning", "pending", "")}, "a", "a", "node of ancestor gone: missing"},
		"no parent":      {map[string]string{"a": node("a", "null", "planning", "pending", "")}, "a", "a", "node of ancestor: missing"},
	} {
		b := context(t, read("---\nid: ws-1\nname: W\nstatus: active\n---\n", c.files), c.focus, assemble.Options{})
		if got := chainIDs(b); got != c.chain {
			t.Errorf("%s: chain %q, want %q", name, got, c.chain)
		}
		if got := omitted(b); got != c.omitted {
			t.Errorf("%s: omitted %q, want %q", name, got, c.omitted)
		}
	}
}

func TestLongCycleEnds(t *testing.T) {
	files := map[string]string{}
	const long = 500
	for i := range long {
		id := fmt.Sprintf("n%d", i)
		files[id] = node(id, fmt.Sprintf("n%d", (i+1)%long), "planning", "pending", "")
	}
	b := context(t, read(plainWorkspace, files), "n7", assemble.Options{})
	if len(b.Chain) != long || !strings.Contains(omitted(b), "node of ancestor n7: cycle") {
		t.Errorf("chain of %d nodes\n%s", len(b.Chain), omitted(b))
	}
}

// A way up that runs into a cycle far above ends there as well.
func TestFarCycleEnds(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		id := fmt.Sprintf("n%d", i)
		up := i + 1
		if i == 199 {
			up = 150
		}
		files[id] = node(id, fmt.Sprintf("n%d", up), "planning", "pending", "")
	}
	b := context(t, read(plainWorkspace, files), "n0", assemble.Options{})
	if len(b.Chain) != 200 || !strings.Contains(omitted(b), "node of ancestor n150: cycle") {
		t.Errorf("chain of %d nodes\n%s", len(b.Chain), omitted(b))
	}
}

func TestChildren(t *testing.T) {
	done := "## Conclusion\n\nall is well\n"
	child := func(id, kind, status, created, body string) string {
		return strings.Replace(node(id, "root", kind, status, body), "\n---\n", "\ncreatedAt: "+created+"\n---\n", 1)
	}
	v := read(plainWorkspace, map[string]string{
		"root":  node("root", "null", "planning", "monitoring", ""),
		"late":  child("late", "execution", "completed", "9", done),
		"early": child("early", "execution", "failed", "1", done),
		"mid":   child("mid", "planning", "cancelled", "5", done),
		"mute":  child("mute", "execution", "completed", "2", "## Conclusion\n\n"),
		"open":  child("open", "execution", "implementing", "3", done),
		"new":   child("new", "execution", "pending", "4", ""),
		"new2":  child("new2", "planning", "pending", "4", ""),
		"odd":   child("odd", "execution", "done", "6", done),
	})
	b := context(t, v, "root", assemble.Options{})
	var got []string
	for _, c := range b.ChildConclusions {
		got = append(got, string(c.NodeID))
		if c.Conclusion != "all is well" || c.Title != "Title of "+string(c.NodeID) || c.Lines.Conclusion != (assemble.Range{10, 12}) {
			t.Errorf("child %+v", c)
		}
	}
	if want := []string{"early", "mid", "late"}; !slices.Equal(got, want) {
		t.Errorf("conclusions of %v, want %v", got, want)
	}
	if got, want := fmt.Sprint(b.ChildCounts), "map[completed:1 implementing:1 invalid:1 pending:2]"; got != want {
		t.Errorf("counts %s, want %s", got, want)
	}
}

func TestReferences(t *testing.T) {
	v := read(plainWorkspace, map[string]string{
		"root": node("root", "null", "planning", "monitoring", "## Requirement\n\nthe whole\n\n## References\n\n- side: not the focus's\n"),
		"side": node("side", "root", "execution", "completed", "## Requirement\n\ndo it\n\n## Conclusion\n\ndid it\n\n## References\n\n- root: two hops\n"),
		"a": node("a", "root", "execution", "implementing", `## References

- side: it was alike
- docs/known.md
- docs/known.md#part: of it
- docs/new.md: to be written
- https://example.org/x: the norm
- node-mj2hz4gy-ync1cu: somebody deleted it
- side: no more (expired)
- [[root|the plan]]
`),
	})
	b := context(t, v, "a", assemble.Options{})
	var got []string
	for _, r := range b.References {
		s := fmt.Sprint(r.Line, " ", r.Kind, " ", r.NodeID, r.Path, " ", r.Title)
		if r.Dangling {
			s += " dangling"
		}
		got = append(got, s)
	}
	want := []string{
		"11 node side Title of side",
		"12 doc docs/known.md Known",
		"13 doc docs/known.md#part Known",
		"14 doc docs/new.md  dangling",
		"15 doc https://example.org/x ",
		"16 node node-mj2hz4gy-ync1cu  dangling",
		"18 node root Title of root",
	}
	if !slices.Equal(got, want) {
		t.Errorf("references\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r := b.References[0]; r.Description != "it was alike" || r.Status != "completed" || r.Requirement != "do it" || r.Conclusion != "did it" ||
		r.At != "ws-1/nodes/side/Node.md" || r.Lines.Conclusion != (assemble.Range{13, 15}) {
		t.Errorf("reference %+v", r)
	}
	if r := b.References[1]; r.DocDescription != "a document of the project" {
		t.Errorf("reference %+v", r)
	}
	if !strings.Contains(omitted(b), "reference of focus, 11 bytes: expired") {
		t.Errorf("omitted:\n%s", omitted(b))
	}
}

// Without a DocSource nobody can tell whether a document exists.
func TestDocumentsUnknown(t *testing.T) {
	v := read(plainWorkspace, map[string]string{"root": node("root", "null", "planning", "pending", "## References\n\n- docs/new.md: soon\n")})
	b := context(t, struct{ assemble.Source }{v}, "root", assemble.Options{})
	if r := b.References[0]; r.Dangling || r.Path != "docs/new.md" || r.Kind != assemble.RefDoc {
		t.Errorf("reference %+v", r)
	}
}

func TestLogOptions(t *testing.T) {
	var body strings.Builder
	body.WriteString("## Log\n\n")
	for i := range 25 {
		fmt.Fprintf(&body, "- [2026-01-01 10:00:%02d] [AI] event %d\n", i, i)
	}
	v := read("---\nid: ws-1\nname: W\nstatus: active\n---\n", map[string]string{"root": node("root", "null", "planning", "pending", body.String())})
	for _, c := range []struct {
		opt         assemble.Options
		first, last string
		n           int
		omitted     string
	}{
		{assemble.Options{}, "event 5", "event 24", 20, "5 × log of focus, 140 bytes: maxLogEntries"},
		{assemble.Options{MaxLogEntries: 3}, "event 22", "event 24", 3, "22 × log of focus, 628 bytes: maxLogEntries"},
		{assemble.Options{MaxLogEntries: 3, ReverseLog: true}, "event 24", "event 22", 3, "22 × log of focus, 628 bytes: maxLogEntries"},
		{assemble.Options{MaxLogEntries: -1}, "event 0", "event 24", 25, ""},
		{assemble.Options{MaxLogEntries: 1000}, "event 0", "event 24", 25, ""},
	} {
		b := context(t, v, "root", c.opt)
		log := b.Focus().LogEntries
		if len(log) != c.n || log[0].Event != c.first || log[len(log)-1].Event != c.last || omitted(b) != c.omitted {
			t.Errorf("%+v: %d entries, %v\n%s", c.opt, len(log), log, omitted(b))
		}
	}
	b := context(t, v, "root", assemble.Options{OmitLog: true})
	if n := len(b.Focus().LogEntries); n != 0 || omitted(b) != "25 × log of focus, 715 bytes: excluded" {
		t.Errorf("without log: %d entries\n%s", n, omitted(b))
	}
}

func TestProblemOption(t *testing.T) {
	v := read(plainWorkspace, map[string]string{"root": node("root", "null", "planning", "pending", "## Problem\n\nstuck\n")})
	if b := context(t, v, "root", assemble.Options{}); b.Focus().Problem == nil || b.Focus().Problem.Text != "stuck" {
		t.Errorf("problem %v", b.Focus().Problem)
	}
	b := context(t, v, "root", assemble.Options{OmitProblem: true})
	if b.Focus().Problem != nil || b.Workspace.Problem != nil {
		t.Errorf("problems %v, %v", b.Focus().Problem, b.Workspace.Problem)
	}
	if want := "problem of focus, 5 bytes: excluded"; !strings.Contains(omitted(b), want) {
		t.Errorf("omitted:\n%s\nwant %s", omitted(b), want)
	}
}

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

// A node or workspace without any document is one whose file is gone.
func TestNoFiles(t *testing.T) {
	v := read(plainWorkspace, nil)
	v.nodes["root"] = &mdstore.Node{ID: "root", Title: "root"}
	v.nodes["a"] = &mdstore.Node{ID: "a", Parent: "root", Title: "a", Status: "completed"}
	v.kids["root"] = []mdstore.ID{"a", "gone"}
	v.ws = nil
	b := context(t, v, "root", assemble.Options{Budget: 1})
	if want := "file of workspace: missing\nnode of focus: unreadable"; omitted(b) != want {
		t.Errorf("omitted:\n%s\nwant\n%s", omitted(b), want)
	}
	v.ws = &mdstore.Workspace{ID: "ws-1", Name: "W"}
	if b := context(t, v, "a", assemble.Options{}); b.Workspace.Name != "W" {
		t.Errorf("workspace %+v", b.Workspace)
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

// Many may ask at once, of documents that nobody has looked into yet.
func TestConcurrentReaders(t *testing.T) {
	v := read(cascadeFiles())
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
		if r.Kind != kind || !r.Dangling || string(r.NodeID)+r.Path != target || (r.NodeID != "") != (kind == assemble.RefNode) {
			t.Errorf("%s: %+v", target, r)
		}
	}
}

func TestNoListIsNull(t *testing.T) {
	v := read("---\nid: ws-1\nname: W\nstatus: active\n---\n", map[string]string{"root": node("root", "null", "planning", "pending", "")})
	for _, src := range []assemble.Source{v, &vault{nodes: map[mdstore.ID]*mdstore.Node{"root": {ID: "root"}}}} {
		for _, budget := range []int{0, 1, 1 << 20} {
			data, err := json.Marshal(context(t, src, "root", assemble.Options{Budget: budget}))
			if err != nil {
				t.Fatal(err)
			}
			if s := strings.ReplaceAll(string(data), `"problem":null`, ""); strings.Contains(s, "null") {
				t.Errorf("%s", data)
			}
		}
	}
}
