package ops_test

import (
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore/crashtest"
	"arbor/mdstore/memstore"
)

// branch is a vault with a node, its child in the same folder, and one beside it that refers to them.
func branch() map[mdstore.Path][]byte {
	at := func(title, parent, typ, status string) string {
		return "title: " + title + "\ntype: " + typ + "\nstatus: " + status + "\ncreatedAt: 1767225600000\nparentId: " + parent
	}
	files := vault("", map[string][2]string{
		"root": {at("Login", "null", "planning", "monitoring"), ""},
		"n1":   {at("Form", "root", "planning", "monitoring"), "a line of mine\n"},
		"n2":   {at("Button", "n1", "execution", "implementing"), ""},
		"n3":   {at("Other", "root", "execution", "pending"), "## References\n\n- n2\n"},
		"done": {at("Done", "root", "planning", "completed"), "## Conclusion\n\nyes\n"},
	})
	files[mdstore.NodePath(ws, "n1").Dir().Join("deep", mdstore.NodeKind.Place.Name)] = enginetest.Node("n4", at("Deep", "n2", "execution", "pending"), "")
	files[mdstore.NodePath(ws, "n1").Dir().Join("sketch.txt")] = []byte("mine\n")
	return files
}

func restore(t *testing.T, w *enginetest.World, in ops.NodeRestoreIn) (*ops.NodeRestoreOut, *errs.Error) {
	t.Helper()
	in.WorkspaceID = ws
	out, err := ops.NodeRestore(t.Context(), &ops.Env{Engine: w.Engine, Names: ops.NamesLoose}, in)
	if err != nil {
		return nil, errs.As(err)
	}
	return out, nil
}

func remove(t *testing.T, w *enginetest.World, id string) {
	t.Helper()
	w.Tick(1e9)
	if _, err := call(t, &ops.Env{Engine: w.Engine}, "node_delete", map[string]any{"workspaceId": ws, "nodeId": id}); err != nil {
		t.Fatal(err)
	}
	w.Tick(1e9)
}

func TestWhatIsRestoredIsAsItWasBeforeItWasDeleted(t *testing.T) {
	for _, name := range []string{"n1", "Form"} {
		w := enginetest.New(t, branch())
		before := w.Store.Files()
		remove(t, w, "n1")
		out, err := restore(t, w, ops.NodeRestoreIn{NodeID: name})
		if err != nil {
			t.Fatal(err)
		}
		if out.Count != 3 || out.Parent != "root" {
			t.Errorf("%s: %+v", name, out)
		}
		after := w.Store.Files()
		want := []mdstore.Path{mdstore.NodePath(ws, "n3"), mdstore.NodePath(ws, "root")}
		if got := enginetest.Diff(before, after); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s: files that differ: %v; want the parent, and what refers to it", name, got)
		}
		if text := string(after[want[1]]); !strings.Contains(text, "restored: n1 (Form), nodes: 3") {
			t.Errorf("the parent's log:\n%s", text)
		}
		if text := string(after[want[0]]); !strings.Contains(text, "- n2 (expired)") {
			t.Errorf("the reference:\n%s", text)
		}
		if _, err := restore(t, w, ops.NodeRestoreIn{NodeID: name}); err == nil || err.Code != errs.NodeNotFound {
			t.Errorf("restored twice: %v", err)
		}
	}
}

func TestTheLastOfSeveralDeletionsComesBack(t *testing.T) {
	w := enginetest.New(t, branch())
	remove(t, w, "n2")
	remove(t, w, "n3")
	remove(t, w, "n1")
	if _, err := restore(t, w, ops.NodeRestoreIn{NodeID: "n2"}); err == nil || err.Code != errs.ParentNotFound ||
		!strings.Contains(err.Message, "--parent") {
		t.Errorf("its parent is gone: %v", err)
	}
	out, err := restore(t, w, ops.NodeRestoreIn{NodeID: "n2", Parent: "root"})
	if err != nil || out.Parent != "root" {
		t.Fatal(out, err)
	}
	s, verr := w.View(t.Context(), ws)
	if n, ok := s.Node("n2"); verr != nil || !ok || n.Parent != "root" {
		t.Errorf("n2 hangs below %v", n)
	}
	if _, err := restore(t, w, ops.NodeRestoreIn{NodeID: "n9"}); err == nil || len(err.Details.Candidates) != 2 ||
		err.Details.Candidates[0].ID != "n1" {
		t.Errorf("what the trash has is named, the last first: %v", err)
	}
}

func TestARestorationIsRefusedAsAWhole(t *testing.T) {
	put := func(w *enginetest.World, folder, id string) {
		w.Store.Put(mdstore.NodePath(ws, mdstore.ID(folder)), enginetest.Node(id, "title: New\ntype: planning\nstatus: pending\nparentId: root", ""))
		w.Live().Stale()
	}
	for name, c := range map[string]struct {
		meanwhile func(*enginetest.World)
		in        ops.NodeRestoreIn
		want      errs.Code
	}{
		"an id of those below is there again": {func(w *enginetest.World) { put(w, "x", "n4") }, ops.NodeRestoreIn{NodeID: "n1"}, errs.DuplicateID},
		"the folder is taken":                 {func(w *enginetest.World) { put(w, "n1", "other") }, ops.NodeRestoreIn{NodeID: "n1"}, errs.InvalidPath},
		"the parent takes no children":        {func(*enginetest.World) {}, ops.NodeRestoreIn{NodeID: "n1", Parent: "n3"}, errs.ExecutionChildren},
		"the parent is completed":             {func(*enginetest.World) {}, ops.NodeRestoreIn{NodeID: "n1", Parent: "done"}, errs.InvalidParentStatus},
	} {
		w := enginetest.New(t, branch())
		remove(t, w, "n1")
		c.meanwhile(w)
		before := w.Store.Files()
		if _, err := restore(t, w, c.in); err == nil || err.Code != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if got := enginetest.Diff(before, w.Store.Files()); len(got) > 0 {
			t.Errorf("%s: %v changed", name, got)
		}
	}
}

func TestARestorationReopensWhereItIsToldTo(t *testing.T) {
	w := enginetest.New(t, branch())
	remove(t, w, "n1")
	out, err := restore(t, w, ops.NodeRestoreIn{NodeID: "n1", Parent: "done", Cascade: true})
	if err != nil || len(out.Cascades) != 1 || out.Cascades[0].NodeID != "done" {
		t.Errorf("%+v, %v", out, err)
	}
}

// The power fails at every step of the one commit that a restoration is, and each call to the disk fails once.
func TestARestorationIsMadeOrNotAtAll(t *testing.T) {
	for _, in := range []ops.NodeRestoreIn{{NodeID: "n1"}, {NodeID: "n1", Parent: "done", Cascade: true}} {
		var r *recorder
		w := enginetest.Over(t, memstore.New(branch()), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
			r = &recorder{Store: st}
			return r
		})
		remove(t, w, "n1")
		r.commits = nil
		if _, err := restore(t, w, in); err != nil {
			t.Fatal(err)
		}
		if len(r.commits) != 1 {
			t.Fatalf("%d commits", len(r.commits))
		}
		c := r.commits[0]
		for _, res := range []crashtest.Result{
			crashtest.Explore(t, c.before, c.changes, crashtest.Options{Limit: 30}),
			crashtest.Faults(t, c.before, c.changes, crashtest.Options{}),
		} {
			if res.Bad > 0 || res.States == 0 {
				t.Errorf("%+v: %d of %d states are bad; the first: %s", in, res.Bad, res.States, res.First)
			}
		}
	}
}

// A server that another process restores a node under shows it.
func TestAnotherEngineSeesWhatIsRestored(t *testing.T) { enginetest.InEach(t, testAnotherEngineSees) }

func testAnotherEngineSees(t *testing.T, store string) {
	w := enginetest.NewIn(t, store, branch())
	other, err := engine.Open(t.Context(), w.Store.Beside(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, there := range []bool{true, false, true} {
		s, err := other.View(t.Context(), ws)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Node("n4"); ok != there {
			t.Errorf("n4 is there: %v, want %v", ok, there)
		}
		if there {
			if _, err := w.View(t.Context(), ws); err != nil {
				t.Fatal(err)
			}
			remove(t, w, "n1")
		} else if _, err := restore(t, w, ops.NodeRestoreIn{NodeID: "n1"}); err != nil {
			t.Fatal(err)
		}
	}
}
