package engine_test

import (
	"context"
	"slices"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A teller is a store whose watcher tells what the test says.
type teller struct {
	mdstore.Store
	to chan mdstore.Watching
}

func (t *teller) InPlace() error       { return nil }
func (t *teller) Polls() (bool, error) { return false, nil }

func (t *teller) Watch(ctx context.Context, w mdstore.Watching) error {
	w.Ready()
	t.to <- w
	<-ctx.Done()
	return ctx.Err()
}

// told returns an engine that follows a vault of three nodes in memory, and what tells it of changes.
func told(t *testing.T) (w *enginetest.World, tell mdstore.Watching) {
	t.Helper()
	files := map[mdstore.Path][]byte{"ws-a/Workspace.md": []byte("---\nid: ws-a\nname: A\ngoal: g\nstatus: active\n---\n\n## Rules\n\n- r\n")}
	for _, id := range []string{"root", "node-a", "node-b"} {
		fields := "title: " + id + "\ntype: planning\nstatus: pending\n"
		if id != "root" {
			fields += "parentId: root\n"
		}
		files[mdstore.NodePath("ws-a", mdstore.ID(id))] = enginetest.Node(id, fields, "## Note\n\nn\n")
	}
	var st *teller
	w = enginetest.Over(t, memstore.New(files), func(_ *enginetest.World, m *memstore.Store) mdstore.Store {
		st = &teller{m, make(chan mdstore.Watching)}
		return st
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = w.Follow(ctx, nil, nil) }()
	t.Cleanup(func() { stop(); <-done })
	return w, <-st.to
}

// save is somebody's save; nil removes the file.
func save(t *testing.T, w *enginetest.World, p mdstore.Path, data []byte) {
	t.Helper()
	old, there := w.Store.Files()[p]
	c := mdstore.Change{Path: p, New: data}
	if there {
		c.Base = mdstore.VersionOf(old)
	}
	if _, err := w.Store.Commit(t.Context(), []mdstore.Change{c}); err != nil {
		t.Fatal(err)
	}
}

var halves = map[string][]byte{
	"missing":                   nil,
	"empty":                     {},
	"half of its front matter":  []byte("---\nid: node-a\ntitle: B"),
	"without its front matter":  []byte("## Note\n\nn\n"),
	"conflict in front matter":  []byte("---\nid: node-a\n<<<<<<< HEAD\ntitle: A\n=======\ntitle: B\n>>>>>>> b\ntype: planning\nstatus: pending\nparentId: root\n---\n"),
	"cut in the middle of text": []byte("---\nid: node-a\ntitle: node-a\ntype: planning\nstatus: pending\nparentId: root\n---\n\xe4\xb8"),
}

// While a save has not settled, what is missing or cannot be read is as it was.
func TestHalfASaveShowsNothing(t *testing.T) {
	p := mdstore.NodePath("ws-a", "node-a")
	for name, half := range halves {
		w, tell := told(t)
		was, err := w.Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		save(t, w, p, half)
		tell.Early(p)
		for _, read := range []func(context.Context, mdstore.ID) (*engine.Snapshot, error){w.Snapshot, w.Reload, w.Snapshot, w.Reload} {
			s, err := read(t.Context(), "ws-a")
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Altered(was)) > 0 || len(s.Diagnostics()) != len(was.Diagnostics()) {
				t.Errorf("%s: half a save shows: %v, %v", name, s.Altered(was), s.Diagnostics())
			}
		}
		save(t, w, p, enginetest.Node("node-a", "title: whole\ntype: planning\nstatus: pending\nparentId: root\n", ""))
		s, err := w.Snapshot(t.Context(), "ws-a") // without another word: it is looked at again
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := s.Node("node-a"); !ok || n.Title != "whole" {
			t.Errorf("%s: the whole save does not show", name)
		}
		tell.Settled([]mdstore.Path{p}, false)
		if s, err := w.Snapshot(t.Context(), "ws-a"); err != nil || len(s.Diagnostics()) != len(was.Diagnostics()) {
			t.Errorf("%s: %v, %v", name, s.Diagnostics(), err)
		}
	}
}

// The same holds for the workspace's own file.
func TestHalfASaveOfTheWorkspaceShowsNothing(t *testing.T) {
	const p = mdstore.Path("ws-a/Workspace.md")
	for _, half := range [][]byte{nil, {}, []byte("---\nid: ws")} {
		w, tell := told(t)
		if _, err := w.Snapshot(t.Context(), "ws-a"); err != nil {
			t.Fatal(err)
		}
		save(t, w, p, half)
		tell.Early(p)
		for _, read := range []func(context.Context, mdstore.ID) (*engine.Snapshot, error){w.Snapshot, w.Reload, w.Snapshot} {
			if s, err := read(t.Context(), "ws-a"); err != nil {
				t.Errorf("%q: %v", half, err)
			} else if len(s.Workspace().Rules()) != 1 || len(s.Workspace().Problems) > 0 {
				t.Errorf("%q: half a save shows: %+v", half, s.Workspace())
			}
		}
	}
}

// What was moved is not in the middle of a save: it is where it is now, and not there twice.
func TestMovedNodesAreNotThereTwice(t *testing.T) {
	from, to := mdstore.NodePath("ws-a", "node-a"), mdstore.Path("ws-a/nodes/elsewhere/Node.md")
	for name, told_ := range map[string][]mdstore.Path{"files": {from, to}, "folders": {from.Dir(), to.Dir()}} {
		for _, reload := range []bool{false, true} {
			w, tell := told(t)
			if _, err := w.Snapshot(t.Context(), "ws-a"); err != nil {
				t.Fatal(err)
			}
			data := w.Store.Files()[from]
			save(t, w, from, nil)
			save(t, w, to, data)
			for _, p := range told_ {
				tell.Early(p)
			}
			read := w.Snapshot
			if reload {
				read = w.Reload
			}
			s, err := read(t.Context(), "ws-a")
			if err != nil {
				t.Fatal(err)
			}
			if n, ok := s.Node("node-a"); !ok || n.Path != to || len(s.Files("node-a")) != 1 {
				t.Errorf("%s, reload %v: %d files, %+v", name, reload, len(s.Files("node-a")), n)
			}
		}
	}
}

// Once the save has settled, what is missing is gone, and what cannot be read says so.
func TestSettledSavesShow(t *testing.T) {
	p := mdstore.NodePath("ws-a", "node-a")
	for name, half := range halves {
		w, tell := told(t)
		was, err := w.Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		save(t, w, p, half)
		tell.Early(p)
		if _, err := w.Snapshot(t.Context(), "ws-a"); err != nil {
			t.Fatal(err)
		}
		tell.Settled([]mdstore.Path{p}, false)
		s, err := w.Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		n, ok := s.Node("node-a")
		if half == nil {
			if ok {
				t.Errorf("%s: it is still there", name)
			}
			continue
		}
		if !ok || len(n.Problems) == 0 || len(s.Diagnostics()) <= len(was.Diagnostics()) {
			t.Errorf("%s: node %v, diagnostics %v", name, n, s.Diagnostics())
		}
	}
}

// A file whose meaning is lost keeps, for readers, the one that it had; it takes no edits.
func TestDamagedFilesKeepTheirMeaning(t *testing.T) {
	w, tell := told(t)
	was, err := w.Snapshot(t.Context(), "ws-a")
	if err != nil {
		t.Fatal(err)
	}
	node, own := mdstore.NodePath("ws-a", "node-a"), mdstore.Path("ws-a/Workspace.md")
	for _, anew := range []bool{false, true} { // also when all is read again
		for _, p := range []mdstore.Path{node, own} {
			save(t, w, p, []byte{})
			tell.Early(p)
			tell.Settled([]mdstore.Path{p}, false)
		}
		if anew {
			tell.Settled(nil, true)
		}
		s, err := w.Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		n, ok := s.Node("node-a")
		if !ok || n.Title != "node-a" || n.Note() != "n" || n.Parent != mdstore.Root || len(n.Problems) == 0 {
			t.Fatalf("the node is %+v", n)
		}
		if !slices.Equal(s.Children(mdstore.Root), was.Children(mdstore.Root)) {
			t.Errorf("the children are %v", s.Children(mdstore.Root))
		}
		if s.Workspace().Name != "A" || len(s.Workspace().Rules()) != 1 || len(s.Workspace().Problems) == 0 {
			t.Errorf("the workspace is %+v", s.Workspace())
		}
		if _, _, err := w.AppendLog(t.Context(), "ws-a", "node-a", "x", engine.Act{}); engine.AsError(err) == nil || engine.AsError(err).Code != engine.FileUnreadable {
			t.Errorf("a damaged file is written to: %v", err)
		}
	}
	if got := w.Store.Files()[node]; len(got) > 0 {
		t.Errorf("the damaged file is %q", got)
	}
	save(t, w, node, enginetest.Node("node-a", "title: mended\ntype: planning\nstatus: pending\nparentId: root\n", ""))
	tell.Early(node)
	if s, err := w.Snapshot(t.Context(), "ws-a"); err != nil {
		t.Fatal(err)
	} else if n, _ := s.Node("node-a"); n.Title != "mended" || len(n.Problems) > 0 {
		t.Errorf("mended, the node is %+v", n)
	}
}
