package live_test

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// failing is a store that fails to read one file the next time that it scans or reads it.
type failing struct {
	*memstore.Store
	path mdstore.Path
}

func (f *failing) fails(p mdstore.Path) bool {
	if f.path != p {
		return false
	}
	f.path = ""
	return true
}

func (f *failing) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	if f.path == mdstore.WorkspacePath("ws-a") && f.fails(p) {
		return mdstore.File{}, syscall.EIO
	}
	return f.Store.Read(ctx, p)
}

func (f *failing) Scan(ctx context.Context, dir mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	out, err := f.Store.Scan(ctx, dir, kinds...)
	for i, r := range out.Records {
		if r.Path.Base() == mdstore.NodeFile && f.fails(r.Path) {
			out.Records = append(out.Records[:i:i], out.Records[i+1:]...)
			out.Broken = append(out.Broken, mdstore.Broken{Path: r.Path, Err: syscall.EIO})
			break
		}
	}
	return out, err
}

// What a disk failed to read once is a problem of that look, and not of those after it.
func TestADiskThatFailsOnceIsAskedAgain(t *testing.T) {
	p := mdstore.NodePath("ws-a", "node-a")
	w := enginetest.Over(t, memstore.New(enginetest.Plan(ws, "node-a")), func(_ *enginetest.World, m *memstore.Store) mdstore.Store {
		return &failing{m, p}
	})
	for look, want := range []bool{true, false} {
		has := false
		_, ds, err := w.Check(t.Context(), ws)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			has = has || d.File == string(p) && d.Code == string(errs.FileUnreadable)
		}
		if has != want {
			t.Errorf("look %d finds %v", look, ds)
		}
	}
}

// A workspace's own file that a disk failed to read once is read with the next look.
func TestAWorkspaceFileThatFailsOnceIsReadAgain(t *testing.T) {
	f := &failing{}
	w := enginetest.Over(t, memstore.New(enginetest.Plan(ws, "node-a")), func(_ *enginetest.World, m *memstore.Store) mdstore.Store {
		f.Store = m
		return f
	})
	viewOf(t, w.Engine, ws)
	f.path = mdstore.WorkspacePath("ws-a")
	w.Refresh()
	_, _ = w.View(t.Context(), ws)
	if own := viewOf(t, w.Engine, ws).Workspace(); own.Name != "A" || len(own.Problems) > 0 {
		t.Errorf("after the failure the workspace is %+v", own)
	}
}

// A halted store is one in which another process has stopped in the middle of a commit.
type halted struct {
	*memstore.Store
	after, asked int // from so many questions for the generation on
}

func (h *halted) Generation(ctx context.Context) (uint64, error) {
	if h.asked++; h.asked > h.after {
		return 0, &mdstore.BusyError{What: "another process is writing"}
	}
	return h.Store.Generation(ctx)
}

func (h *halted) Update(context.Context, func(mdstore.Tx) error) error {
	return &mdstore.BusyError{What: "another process is writing"}
}

// A reader waits for a commit that makes no progress once, and gets the error of that.
func TestReadersWaitForAStuckCommitOnce(t *testing.T) {
	for after := range 6 {
		for name, read := range map[string]func(*enginetest.World) error{
			"Workspaces": func(w *enginetest.World) error { _, err := w.Workspaces(t.Context()); return err },
			"View":       func(w *enginetest.World) error { _, err := w.View(t.Context(), enginetest.Bench); return err },
		} {
			h := &halted{after: after}
			w := enginetest.Over(t, memstore.New(enginetest.Sized(20)), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
				h.Store = st
				return h
			})
			err := read(w)
			if _, busy := errors.AsType[*mdstore.BusyError](err); h.asked > after+1 || h.asked > after && !busy {
				t.Errorf("%s, stuck from question %d on: asked %d times, error %v", name, after+1, h.asked, err)
			}
		}
	}
}

// A writer that does not get the lock is told which program has it; a dry run needs no lock.
func TestAStuckLockIsReported(t *testing.T) {
	h := &halted{after: 1 << 30}
	w := enginetest.Over(t, memstore.New(enginetest.Sized(20)), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		h.Store = st
		return h
	})
	for _, dry := range []bool{false, true} {
		_, out, err := engine.Apply(t.Context(), w.Engine, enginetest.Bench, plan.Act{DryRun: dry}, plan.AppendLog{Node: enginetest.Leaf(20), Event: "x"})
		if _, busy := errors.AsType[*mdstore.BusyError](err); busy == dry || dry && !out.Changed() {
			t.Errorf("dry run %v: %v, error %v", dry, out, err)
		}
	}
}
