package assemble_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"arbor/context/assemble"
	"arbor/mdstore"
)

func TestATokenIsFourBytes(t *testing.T) {
	for bytes, want := range map[int]int{0: 0, 1: 1, 3: 1, 4: 1, 5: 2, 8: 2, 9: 3, 16: 4} {
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
	if w.Name != "Login" || w.Goal != "Users sign in with a password" || w.ID != "ws-1" || w.File != "ws-1/Workspace.md" {
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
	root := node("root", "a", "planning", "monitoring", "") // a parent of the root is ignored
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
		s := fmt.Sprint(r.Line, " ", r.Type, " ", r.TargetID, " ", r.Title)
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
		r.File != "ws-1/nodes/side/Node.md" || r.Lines.Conclusion != (assemble.Range{13, 15}) {
		t.Errorf("reference %+v", r)
	}
	if r := b.References[1]; r.DocDescription != "a document of the project" {
		t.Errorf("reference %+v", r)
	}
	if !strings.Contains(omitted(b), "reference of focus, 11 bytes: expired") {
		t.Errorf("omitted:\n%s", omitted(b))
	}
}

// Without documents it is not known whether one exists.
func TestWithoutDocumentsNoneDangles(t *testing.T) {
	v := read(plainWorkspace, map[string]string{"root": node("root", "null", "planning", "pending", "## References\n\n- docs/new.md: soon\n")})
	b := context(t, struct{ assemble.Source }{v}, "root", assemble.Options{})
	if r := b.References[0]; r.Dangling || r.TargetID != "docs/new.md" || r.Type != assemble.RefDoc {
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
