package live_test

import (
	"context"
	"slices"
	"testing"

	"arbor/engine"
	"arbor/engine/check"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

const ws = mdstore.ID("ws-a")

// small is a workspace with a rule and two nodes below the root.
func small() map[mdstore.Path][]byte {
	files := enginetest.Plan(ws, "node-a", "node-b")
	own := mdstore.WorkspacePath("ws-a")
	files[own] = append(files[own], "\n## Rules\n\n- r\n"...)
	return files
}

// halves are states of node-a's file in the middle of a save.
var halves = map[string][]byte{
	"missing":                   nil,
	"empty":                     {},
	"half of its front matter":  []byte("---\nid: node-a\ntitle: B"),
	"without its front matter":  []byte("## Note\n\nn\n"),
	"conflict in front matter":  []byte("---\nid: node-a\n<<<<<<< HEAD\ntitle: A\n=======\ntitle: B\n>>>>>>> b\ntype: planning\nstatus: pending\nparentId: root\n---\n"),
	"cut in the middle of text": []byte("---\nid: node-a\ntitle: node-a\ntype: planning\nstatus: pending\nparentId: root\n---\n\xe4\xb8"),
}

// found returns what the checks find in a workspace as it is now.
func found(t *testing.T, e *engine.Engine) (ds []mdoc.Diagnostic) {
	t.Helper()
	err := e.Read(t.Context(), func(ctx context.Context) error {
		v, err := e.View(ctx, ws)
		if err == nil {
			ds = check.Diagnostics(check.View(v))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

func viewOf(t testing.TB, e *engine.Engine, ws mdstore.ID) *view.View {
	t.Helper()
	v, err := e.View(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// While a save has not settled, a file that is missing or cannot be read is as it was, also when all files are read
// again.
func TestHalfASaveShowsNothing(t *testing.T) {
	p := mdstore.NodePath("ws-a", "node-a")
	for name, half := range halves {
		w, tell := enginetest.Followed(t, small())
		was, before := viewOf(t, w.Engine, ws), found(t, w.Engine)
		w.Store.Put(p, half)
		tell.Early(p)
		for range 2 {
			for _, whole := range []bool{false, true} {
				if whole {
					w.Live().Stale()
				}
				v, err := w.View(t.Context(), ws)
				if err != nil {
					t.Fatal(err)
				}
				if len(v.Altered(was)) > 0 || len(found(t, w.Engine)) != len(before) {
					t.Errorf("%s: half a save shows: %v, %v", name, v.Altered(was), found(t, w.Engine))
				}
			}
		}
		w.Store.Put(p, enginetest.Step("node-whole", "pending", ""))
		tell.Early(p)
		if _, ok := viewOf(t, w.Engine, ws).Node("node-whole"); !ok {
			t.Errorf("%s: the whole save does not show", name)
		}
		tell.Settled([]mdstore.Path{p}, false)
		if ds := found(t, w.Engine); len(ds) != len(before) {
			t.Errorf("%s: %v", name, ds)
		}
	}
}

// A file that was half saved is looked at again with the next question, without another word from the store.
func TestAWholeSaveShowsWithoutAnotherWord(t *testing.T) {
	p := mdstore.NodePath("ws-a", "node-a")
	for name, half := range halves {
		w, tell := enginetest.Followed(t, small())
		viewOf(t, w.Engine, ws)
		w.Store.Put(p, half)
		tell.Early(p)
		viewOf(t, w.Engine, ws)
		w.Store.Put(p, enginetest.Step("node-whole", "pending", ""))
		if _, ok := viewOf(t, w.Engine, ws).Node("node-whole"); !ok {
			t.Errorf("%s: the whole save does not show", name)
		}
	}
}

// The same holds for the workspace's own file.
func TestHalfASaveOfTheWorkspaceShowsNothing(t *testing.T) {
	p := mdstore.WorkspacePath("ws-a")
	for _, half := range [][]byte{nil, {}, []byte("---\nid: ws")} {
		w, tell := enginetest.Followed(t, small())
		viewOf(t, w.Engine, ws)
		w.Store.Put(p, half)
		tell.Early(p)
		for range 2 {
			if own := viewOf(t, w.Engine, ws).Workspace(); len(own.Rules()) != 1 || len(own.Problems) > 0 {
				t.Errorf("%q: half a save shows: %+v", half, own)
			}
		}
	}
}

// What was moved is not in the middle of a save: it is where it is now, and not there twice.
func TestMovedNodesAreNotThereTwice(t *testing.T) {
	from, to := mdstore.NodePath("ws-a", "node-a"), mdstore.Path("ws-a/nodes/elsewhere/Node.md")
	for name, told := range map[string][]mdstore.Path{"files": {from, to}, "folders": {from.Dir(), to.Dir()}} {
		for _, all := range []bool{false, true} {
			w, tell := enginetest.Followed(t, small())
			viewOf(t, w.Engine, ws)
			data := w.Store.Files()[from]
			w.Store.Put(from, nil)
			w.Store.Put(to, data)
			if all {
				tell.Early("")
			}
			for _, p := range told {
				tell.Early(p)
			}
			v := viewOf(t, w.Engine, ws)
			if n, ok := v.Node("node-a"); !ok || n.Path != to || len(v.Files("node-a")) != 1 {
				t.Errorf("%s, all files %v: %d files, %+v", name, all, len(v.Files("node-a")), n)
			}
		}
	}
}

// Once the save has settled, what is missing is gone, and what cannot be read says so.
func TestSettledSavesShow(t *testing.T) {
	p := mdstore.NodePath("ws-a", "node-a")
	for name, half := range halves {
		w, tell := enginetest.Followed(t, small())
		before := found(t, w.Engine)
		w.Store.Put(p, half)
		tell.Early(p)
		viewOf(t, w.Engine, ws)
		tell.Settled([]mdstore.Path{p}, false)
		n, ok := viewOf(t, w.Engine, ws).Node("node-a")
		if half == nil {
			if ok {
				t.Errorf("%s: it is still there", name)
			}
			continue
		}
		if ds := found(t, w.Engine); !ok || len(n.Problems) == 0 || len(ds) <= len(before) {
			t.Errorf("%s: node %v, diagnostics %v", name, n, ds)
		}
	}
}

// A damaged file keeps, for readers, the front matter that it had, also when all files are read again; it takes no
// edits.
func TestDamagedFilesKeepTheirMeaning(t *testing.T) {
	w, tell := enginetest.Followed(t, small())
	was := viewOf(t, w.Engine, ws)
	node, own := mdstore.NodePath("ws-a", "node-a"), mdstore.WorkspacePath("ws-a")
	for _, all := range []bool{false, true} {
		for _, p := range []mdstore.Path{node, own} {
			w.Store.Put(p, []byte{})
			tell.Early(p)
			tell.Settled([]mdstore.Path{p}, false)
		}
		if all {
			tell.Settled(nil, true)
		}
		v := viewOf(t, w.Engine, ws)
		n, ok := v.Node("node-a")
		if !ok || n.Title != "T node-a" || n.Parent != mdstore.Root || len(n.Problems) == 0 {
			t.Fatalf("all files %v: the node is %+v", all, n)
		}
		if !slices.Equal(v.Children(mdstore.Root), was.Children(mdstore.Root)) {
			t.Errorf("the children are %v", v.Children(mdstore.Root))
		}
		if own := v.Workspace(); own.Name != "A" || len(own.Rules()) != 1 || len(own.Problems) == 0 {
			t.Errorf("the workspace is %+v", own)
		}
		_, _, err := engine.Apply(t.Context(), w.Engine, ws, plan.Act{}, plan.AppendLog{Node: "node-a", Event: "x"})
		if e := errs.As(err); e == nil || e.Code != errs.FileUnreadable {
			t.Errorf("a damaged file is written to: %v", err)
		}
	}
	if got := w.Store.Files()[node]; len(got) > 0 {
		t.Errorf("the damaged file is %q", got)
	}
	w.Store.Put(node, enginetest.Step("node-a", "failed", ""))
	tell.Early(node)
	if n, _ := viewOf(t, w.Engine, ws).Node("node-a"); n.Status != "failed" || len(n.Problems) > 0 {
		t.Errorf("mended, the node is %+v", n)
	}
}
