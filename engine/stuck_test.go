package engine_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A stuck store is one that another process has the lock of. It waits for all who ask, and gives up as dirstore does.
type stuck struct {
	*memstore.Store
	asked chan struct{}
	tries int
}

func (s *stuck) Update(context.Context, func(mdstore.Store) error) error {
	s.tries++
	<-s.asked
	return &mdstore.BusyError{What: "somebody is writing"}
}

// Whoever waits for a lock that is not given back is told so with the first of them, not each after a time of his own.
func TestAStuckLockIsToldToAllWhoWait(t *testing.T) {
	const callers = 6
	var s *stuck
	w := enginetest.Over(t, memstore.New(sized(20)), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		s = &stuck{Store: st, asked: make(chan struct{})}
		return s
	})
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			_, _, err := w.AppendLog(t.Context(), benchWorkspace, leaf(20), "x", engine.Act{})
			var busy *mdstore.BusyError
			if !errors.As(err, &busy) {
				t.Errorf("error %v", err)
			}
		})
	}
	for w.Waiting() < callers {
		runtime.Gosched()
	}
	close(s.asked)
	all.Wait()
	if s.tries != 1 {
		t.Errorf("the lock was waited for %d times", s.tries)
	}
}

// A halted store is one in which another process has stopped in the middle of a commit. Each question for the number waits for it, and gives up as dirstore does.
type halted struct {
	*memstore.Store
	after, asked int // from so many questions on
}

func (h *halted) Generation(ctx context.Context) (uint64, error) {
	if h.asked++; h.asked > h.after {
		return 0, &mdstore.BusyError{What: "somebody is writing"}
	}
	return h.Store.Generation(ctx)
}

// Who reads waits for a commit that does not get on once, and is told so then.
func TestReadsWaitForAStuckCommitOnce(t *testing.T) {
	for after := range 6 {
		for name, read := range map[string]func(*enginetest.World) error{
			"Workspaces": func(w *enginetest.World) error { _, err := w.Workspaces(t.Context()); return err },
			"Workspace":  func(w *enginetest.World) error { _, err := w.Workspace(t.Context(), benchWorkspace); return err },
			"Snapshot":   func(w *enginetest.World) error { _, err := w.Engine.Snapshot(t.Context(), benchWorkspace); return err },
		} {
			h := &halted{after: after}
			w := enginetest.Over(t, memstore.New(sized(20)), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
				h.Store = st
				return h
			})
			var busy *mdstore.BusyError
			if err := read(w); h.asked > after+1 || h.asked > after && !errors.As(err, &busy) {
				t.Errorf("%s, stuck from question %d on: asked %d times, error %v", name, after+1, h.asked, err)
			}
		}
	}
}

// A dry run that is given up while somebody writes does not wait for that.
func TestADryRunIsGivenUp(t *testing.T) {
	var s *stuck
	w := enginetest.Over(t, memstore.New(sized(20)), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		s = &stuck{Store: st, asked: make(chan struct{})}
		return s
	})
	var writer sync.WaitGroup
	writer.Go(func() { _, _, _ = w.AppendLog(t.Context(), benchWorkspace, leaf(20), "x", engine.Act{}) })
	for w.Waiting() < 1 {
		runtime.Gosched()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := w.AppendLog(ctx, benchWorkspace, leaf(20), "x", engine.Act{DryRun: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	close(s.asked)
	writer.Wait()
}
