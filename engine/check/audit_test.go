package check_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/check"
	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

var statusLine = regexp.MustCompile(`(?m)^status: .*$`)

// ways lead a new node into each status by operations.
var ways = map[statemachine.Type]map[statemachine.Status][]statemachine.Action{
	statemachine.Execution: {
		statemachine.Pending: nil, statemachine.Implementing: {statemachine.Start}, statemachine.Validating: {statemachine.Start, statemachine.Submit},
		statemachine.Completed: {statemachine.Start, statemachine.Complete}, statemachine.Failed: {statemachine.Start, statemachine.Fail},
	},
	statemachine.Planning: {
		statemachine.Pending: nil, statemachine.InPlanning: {statemachine.Start}, statemachine.Cancelled: {statemachine.Start, statemachine.Cancel},
	},
}

// A status that was written by hand is found where no single action of the table leads there from the last status in
// the log. Nothing is undone: the repair records it, and what follows is judged from there.
func TestStatusesByHandAreAudited(t *testing.T) {
	met := 0
	for ty, from := range ways {
		for was, way := range from {
			for _, is := range statemachine.Statuses(ty) {
				w := enginetest.New(t, nil)
				id, node := walked(t, w, ty, way)
				path := mdstore.NodePath(mdstore.Path(id), node)
				if ds := diagnosticsOf(t, w, id, node); len(ds) > 0 {
					t.Fatalf("operations lead a %s node to %s, and %v is found", ty, was, ds)
				}
				write(w, path, func(s string) string { return statusLine.ReplaceAllString(s, "status: "+string(is)) })
				want := ""
				if reached := reach(ty, was, is); !reached {
					want = string(statemachine.CodeStatusUnreachable)
				}
				got := unreachable(diagnosticsOf(t, w, id, node))
				if (got.Code != "") != (want != "") {
					t.Errorf("%s: by the log %s, by hand %s: found %q, want %q", ty, was, is, got, want)
				}
				if want == "" {
					continue
				}
				met++
				text := "no action leads from " + string(was) + " to " + string(is) + "; allowed in " + string(was) + ": "
				if got.Line != 5 || got.Col != 9 || !strings.Contains(got.Text, "status is "+string(is)) || !strings.Contains(got.Text, text) {
					t.Errorf("it is told as %v", got)
				}
				before := string(w.Store.Files()[path])
				if _, err := w.Fix(t.Context(), id, plan.Act{Operator: mdstore.OperatorHuman}); err != nil {
					t.Fatal(err)
				}
				after := string(w.Store.Files()[path])
				recorded := "set by hand: " + string(was) + " → " + string(is)
				if left := unreachable(diagnosticsOf(t, w, id, node)); left.Code != "" ||
					!strings.Contains(after, "status: "+string(is)+"\n") || !strings.Contains(after, recorded) {
					t.Errorf("the repair of %s → %s makes of\n%s\n%s and leaves %v", was, is, before, after, left)
				}
				for _, do := range statemachine.Allowed(ty, is) { // the log goes on from there
					_, _, err := engine.Apply(t.Context(), w.Engine, id, plan.Act{DryRun: true}, plan.Transition{Node: node, Action: do, Conclusion: "c"})
					if err != nil {
						t.Errorf("%s after %s was set by hand: %v", do, is, err)
					}
				}
			}
		}
	}
	if met < 10 {
		t.Errorf("only %d statuses that nothing leads to", met)
	}
}

// reach says by the rows alone whether one action, with the automatic steps around it, leads from one status to
// another.
func reach(ty statemachine.Type, from, to statemachine.Status) bool {
	auto := func(s statemachine.Status) []statemachine.Status {
		all := []statemachine.Status{s}
		for _, r := range statemachine.Rules() {
			if r.Type == ty && r.Automatic && r.From == s {
				all = append(all, r.To)
			}
		}
		return all
	}
	for _, a := range auto(from) {
		if a == to {
			return true
		}
		for _, r := range statemachine.Rules() {
			if r.Type != ty || r.From != a {
				continue
			}
			for _, b := range auto(r.To) {
				if b == to {
					return true
				}
			}
		}
	}
	return false
}

// The status of a node whose log states no change, as other programs and people make them, is not judged.
func TestStatusesWithoutALogAreNotJudged(t *testing.T) {
	for _, s := range statemachine.Statuses(statemachine.Execution) {
		w := enginetest.New(t, map[mdstore.Path][]byte{
			"w/Workspace.md":       []byte("---\nid: w\nname: W\ngoal: g\nstatus: active\nrulesHash: \"\"\n---\n"),
			"w/nodes/root/Node.md": enginetest.Node("root", "title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""),
			"w/nodes/a/Node.md":    enginetest.Step("a", string(s), "## Conclusion\n\nc\n\n## Log\n\n- [2026-01-01 10:00:00] [AI] node created\n- done, I think\n"),
		})
		if ds := diagnosticsOf(t, w, "w", "a"); len(ds) > 0 {
			t.Errorf("%s: %v", s, ds)
		}
	}
}

// What is found of one node is what is found of it among all.
func TestDiagnosticsOfANodeAreThoseOfAll(t *testing.T) {
	w := enginetest.New(t, nil)
	id, node := walked(t, w, statemachine.Execution, nil)
	write(w, mdstore.NodePath(mdstore.Path(id), node), func(s string) string {
		return statusLine.ReplaceAllString(s, "status: completed") + "\n## References\n\n- node-mjv3xk00-0gone0: x\n\n## Note\n\n## Note\n"
	})
	one := diagnosticsOf(t, w, id, node)
	_, all, err := w.Check(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if len(one) != 4 || len(all) != 4 {
		t.Fatalf("of the node %v, of all %v", one, all)
	}
	for i := range all {
		if one[i] != all[i] {
			t.Errorf("of the node %v, of all %v", one[i], all[i])
		}
	}
	of := filesOf(t, w, id)
	if !slices.Equal(of, all) {
		t.Errorf("file by file %v, of all %v", of, all)
	}
}

// filesOf returns what is found of the files of a workspace one by one, in the order of all findings.
func filesOf(t *testing.T, w *enginetest.World, ws mdstore.ID) (ds []mdoc.Diagnostic) {
	t.Helper()
	err := w.Read(t.Context(), func(ctx context.Context) error {
		v, err := w.View(ctx, ws)
		if err != nil {
			return err
		}
		files := []mdstore.Path{v.Workspace().Path}
		for n := range v.All() {
			files = append(files, n.Path)
		}
		slices.Sort(files)
		ds = nil
		for _, p := range files {
			ds = append(ds, check.Diagnostics(w.CheckFile(ctx, v, p))...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

// walked makes a workspace with a node and takes the node along a way.
func walked(t *testing.T, w *enginetest.World, ty statemachine.Type, way []statemachine.Action) (mdstore.ID, mdstore.ID) {
	t.Helper()
	made, err := w.Init(t.Context(), plan.NewWorkspace{Name: "W", Goal: "g"}, plan.Act{})
	if err != nil {
		t.Fatal(err)
	}
	n, _, err := engine.Apply(t.Context(), w.Engine, made.ID, plan.Act{}, plan.NewNode{Parent: mdstore.Root, Head: mdstore.Head{Type: ty, Title: "T"}, Requirement: "r"})
	if err != nil {
		t.Fatal(err)
	}
	for _, do := range way {
		w.Tick(time.Second)
		step := plan.Transition{Node: n.Node, Action: do, Conclusion: "c", Reason: "it; was → time"}
		if _, _, err := engine.Apply(t.Context(), w.Engine, made.ID, plan.Act{}, step); err != nil {
			t.Fatal(err)
		}
	}
	return made.ID, n.Node
}

// write changes a file as a person does.
func write(w *enginetest.World, p mdstore.Path, change func(string) string) {
	w.Store.Put(p, []byte(change(string(w.Store.Files()[p]))))
	w.Refresh()
}

func diagnosticsOf(t *testing.T, w *enginetest.World, ws, node mdstore.ID) (ds []mdoc.Diagnostic) {
	t.Helper()
	err := w.Read(t.Context(), func(ctx context.Context) error {
		v, err := w.View(ctx, ws)
		if err != nil {
			return err
		}
		n, err := v.Known(node)
		if err == nil {
			ds = check.Node(v, n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

func unreachable(ds []mdoc.Diagnostic) mdoc.Diagnostic {
	for _, d := range ds {
		if d.Code == string(statemachine.CodeStatusUnreachable) {
			return d
		}
	}
	return mdoc.Diagnostic{}
}
