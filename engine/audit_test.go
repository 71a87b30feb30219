package engine_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
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

// TestStatusesByHandAreAudited leads a node into a status by operations, writes every other one by hand, and looks whether the table would have led there with
// one action. Nothing is undone; the repair makes the diagnostic go, and what follows is judged from there.
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
				write(t, w, path, func(s string) string { return statusLine.ReplaceAllString(s, "status: "+string(is)) })
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
				if got.Line != 5 || got.Col != 9 || !strings.Contains(got.Text, "status is "+string(is)) || !strings.Contains(got.Text, "no action leads from "+string(was)+" to "+string(is)+"; allowed in "+string(was)+": ") {
					t.Errorf("it is told as %v", got)
				}
				before := string(w.Store.Files()[path])
				if _, err := w.Fix(t.Context(), id, engine.Act{Operator: mdstore.OperatorHuman}); err != nil {
					t.Fatal(err)
				}
				after := string(w.Store.Files()[path])
				if left := unreachable(diagnosticsOf(t, w, id, node)); left.Code != "" || !strings.Contains(after, "status: "+string(is)+"\n") || !strings.Contains(after, "set by hand: "+string(was)+" → "+string(is)) {
					t.Errorf("the repair of %s → %s makes of\n%s\n%s and leaves %v", was, is, before, after, left)
				}
				for _, do := range statemachine.Allowed(ty, is) { // the log goes on from there
					_, err := w.Transition(t.Context(), id, engine.Transition{Node: node, Action: do, Conclusion: "c"}, engine.Act{DryRun: true})
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

// reach says by the rows alone whether one action, with the automatic steps around it, leads from one status to another.
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

// TestStatusesWithoutALogAreNotJudged has nodes as other programs and people make them.
func TestStatusesWithoutALogAreNotJudged(t *testing.T) {
	for _, s := range statemachine.Statuses(statemachine.Execution) {
		w := enginetest.New(t, map[mdstore.Path][]byte{
			"w/Workspace.md":       []byte("---\nid: w\nname: W\ngoal: g\nstatus: active\nrulesHash: \"\"\n---\n"),
			"w/nodes/root/Node.md": enginetest.Node("root", "title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""),
			"w/nodes/a/Node.md":    enginetest.Node("a", "title: A\ntype: execution\nstatus: "+string(s)+"\nparentId: root", "## Conclusion\n\nc\n\n## Log\n\n- [2026-01-01 10:00:00] [AI] node created\n- done, I think\n"),
		})
		if ds := diagnosticsOf(t, w, "w", "a"); len(ds) > 0 {
			t.Errorf("%s: %v", s, ds)
		}
	}
}

// TestDiagnosticsOfANodeAreThoseOfAll compares what is found of one node with what is found of all.
func TestDiagnosticsOfANodeAreThoseOfAll(t *testing.T) {
	w := enginetest.New(t, nil)
	id, node := walked(t, w, statemachine.Execution, nil)
	write(t, w, mdstore.NodePath(mdstore.Path(id), node), func(s string) string {
		return statusLine.ReplaceAllString(s, "status: completed") + "\n## References\n\n- node-mjv3xk00-0gone0: x\n\n## Note\n\n## Note\n"
	})
	one := diagnosticsOf(t, w, id, node)
	s, err := w.Snapshot(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	all := s.Diagnostics()
	if len(one) != 4 || len(all) != 4 {
		t.Fatalf("of the node %v, of all %v", one, all)
	}
	for i := range all {
		if one[i] != all[i] {
			t.Errorf("of the node %v, of all %v", one[i], all[i])
		}
	}
}

// walked makes a workspace with a node and takes the node along a way.
func walked(t *testing.T, w *enginetest.World, ty statemachine.Type, way []statemachine.Action) (mdstore.ID, mdstore.ID) {
	t.Helper()
	made, err := w.Init(t.Context(), engine.NewWorkspace{Name: "W", Goal: "g"}, engine.Act{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := w.Create(t.Context(), made.ID, engine.NewNode{Parent: mdstore.Root, Type: ty, Title: "T", Requirement: "r"}, engine.Act{})
	if err != nil {
		t.Fatal(err)
	}
	for _, do := range way {
		w.Tick(time.Second)
		if _, err := w.Transition(t.Context(), made.ID, engine.Transition{Node: n.Node, Action: do, Conclusion: "c", Reason: "it; was → time"}, engine.Act{}); err != nil {
			t.Fatal(err)
		}
	}
	return made.ID, n.Node
}

// write changes a file as a person does.
func write(t *testing.T, w *enginetest.World, p mdstore.Path, change func(string) string) {
	t.Helper()
	old := w.Store.Files()[p]
	if _, err := w.Store.Commit(t.Context(), []mdstore.Change{{Path: p, Base: mdstore.VersionOf(old), New: []byte(change(string(old)))}}); err != nil {
		t.Fatal(err)
	}
}

func diagnosticsOf(t *testing.T, w *enginetest.World, ws, node mdstore.ID) []mdoc.Diagnostic {
	t.Helper()
	s, err := w.Reload(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	n, ok := s.Node(node)
	if !ok {
		t.Fatalf("%s is gone", node)
	}
	return s.DiagnosticsOf(n)
}

func unreachable(ds []mdoc.Diagnostic) mdoc.Diagnostic {
	for _, d := range ds {
		if d.Code == string(statemachine.CodeStatusUnreachable) {
			return d
		}
	}
	return mdoc.Diagnostic{}
}
