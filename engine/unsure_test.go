package engine_test

import (
	"context"
	"iter"
	"syscall"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// failing is a store that fails to read one file the next time that it lists it.
type failing struct {
	mdstore.Store
	path mdstore.Path
}

func (f *failing) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.File, error] {
	return func(yield func(mdstore.File, error) bool) {
		for file, err := range f.Store.List(ctx, under) {
			if under != "" && f.path != "" && file.Path == f.path {
				file, err = mdstore.File{Path: f.path}, syscall.EIO
				f.path = ""
			}
			if !yield(file, err) {
				return
			}
		}
	}
}

// What a disk failed to read once is a problem of that look, and not of those after it.
func TestADiskThatFailsOnceIsAskedAgain(t *testing.T) {
	files := map[mdstore.Path][]byte{
		"ws-a/Workspace.md":                []byte("---\nid: ws-a\nname: A\ngoal: g\nstatus: active\n---\n"),
		mdstore.NodePath("ws-a", "root"):   enginetest.Node("root", "title: A\ntype: planning\nstatus: monitoring\n", ""),
		mdstore.NodePath("ws-a", "node-a"): enginetest.Node("node-a", "title: B\ntype: execution\nstatus: pending\nparentId: root\n", ""),
	}
	for _, p := range []mdstore.Path{"ws-a/Workspace.md", mdstore.NodePath("ws-a", "node-a")} {
		w := enginetest.Over(t, memstore.New(files), func(_ *enginetest.World, m *memstore.Store) mdstore.Store {
			return &failing{m, p}
		})
		for look, want := range []bool{true, false} {
			s, err := w.Snapshot(t.Context(), "ws-a")
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, d := range s.Diagnostics() {
				found = found || d.File == string(p) && d.Code == string(engine.FileUnreadable)
			}
			if found != want {
				t.Errorf("%s: look %d finds %v", p, look, s.Diagnostics())
			}
		}
	}
}
