package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine"
	"arbor/engine/check"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// TestNoFindingIsSkipped holds what is found of a workspace, where most files need not be looked at, to what the checks of each file by itself find: in vaults that are damaged in
// every way at once, with what was found out of the documents carried from one snapshot to the next, and with engines that have it from the store.
func TestNoFindingIsSkipped(t *testing.T) {
	clean, faulty := 0, 0
	compare := func(rt *rapid.T, when string, s *view.View) {
		got := map[string][]string{}
		for _, d := range s.Diagnostics() {
			got[d.File] = append(got[d.File], d.String())
		}
		for n := range s.All() {
			var want []string
			for _, d := range check.Node(s, n) {
				want = append(want, d.String())
			}
			if fmt.Sprint(got[string(n.Path)]) != fmt.Sprint(want) {
				rt.Errorf("%s, of %s\n got %q\nwant %q", when, n.Path, got[string(n.Path)], want)
			}
			if s.HasProblem(n) != !n.Problem().IsZero() || s.Problem(n) != n.Problem() {
				rt.Errorf("%s: %s has a problem: %v, %+v; the file says %+v", when, n.Path, s.HasProblem(n), s.Problem(n), n.Problem())
			}
			if want == nil {
				clean++
			} else {
				faulty++
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		st := memstore.New(nil)
		e, err := engine.Open(tctx, st, engine.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		for round := range 3 {
			var paths []mdstore.Path
			for name, text := range soundOrDamaged(rt) {
				p := mdstore.Path(name)
				var base mdstore.Version
				if f, err := st.Read(tctx, p); err == nil {
					base = f.Version
				}
				if _, err := st.Commit(tctx, []mdstore.Change{{Path: p, Base: base, New: []byte(text)}}); err != nil {
					rt.Fatal(err)
				}
				paths = append(paths, p)
			}
			all, err := e.Workspaces(tctx)
			if err != nil {
				rt.Fatal(err)
			}
			for _, w := range all {
				e.Heed(paths...)
				s, err := e.Snapshot(tctx, w.ID)
				if err != nil {
					rt.Fatal(err)
				}
				compare(rt, fmt.Sprintf("round %d", round), s)
				if s, err = e.Reload(tctx, w.ID); err != nil {
					rt.Fatal(err)
				}
				compare(rt, fmt.Sprintf("round %d, read again", round), s)
			}
		}
	})
	if clean < 50 || faulty < 50 {
		t.Errorf("%d files without a finding, %d with some; this compares too little", clean, faulty)
	}
}

// soundOrDamaged draws files of a workspace in which there is much, or little, to find.
func soundOrDamaged(rt *rapid.T) map[string]string {
	if rapid.Bool().Draw(rt, "damaged") {
		return damagedVault(rt)
	}
	pick := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(rt, what) }
	files := map[string]string{"ws/Workspace.md": "---\nid: ws\nname: W\ngoal: g\nstatus: active\nfocusedNodeId: null\n---\n",
		"ws/nodes/root/Node.md": "---\nid: root\ntitle: R\ntype: planning\nstatus: " + pick("status of the root", "monitoring", "monitoring", "completed", "pending") + "\nparentId: null\n---\n\n## Conclusion\n\nc\n"}
	ids := []string{"node-mjv3xk00-000007", "node-mjv3xk00-000008", "node-1", "node-2"}
	for _, id := range ids {
		if rapid.IntRange(0, 5).Draw(rt, "without "+id) == 0 {
			continue
		}
		text := "---\nid: " + id + "\ntitle: T\ntype: " + pick("type", "execution", "execution", "planning") + "\nstatus: " + pick("status", "pending", "pending", "implementing", "completed", "monitoring", "cancelled") +
			"\nparentId: " + pick("parent", "root", "root", "root", "node-1") + "\n---\n\n"
		for range rapid.IntRange(0, 3).Draw(rt, "sections") {
			text += pick("section", "## Requirement\n\nr\n\n", "## Conclusion\n\nc\n\n", "## Problem\n\nwhat is wrong\n\n### Next Step\n\nmend it\n\n", "## Problem\n\n", "## Problem\n\n"+strings.Repeat("long ", 150)+"\n\n", "### Next Step\n\nonly that\n\n",
				"## References\n\n- "+ids[0]+": one\n- "+ids[1]+": two\n\n", "## References\n\n- "+ids[0]+": one (expired)\n- README.md: a document\n- node-2: not generated\n\n",
				"## Log\n\n- [2026-01-01 09:00:00] [AI] created\n- [2026-01-01 09:00:01] [AI] start: pending → implementing\n\n")
		}
		files["ws/nodes/"+id+"/Node.md"] = text
	}
	return files
}
