package dirstore_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"arbor/mdstore"
)

// endsAt is a context that ends at its nth check.
type endsAt struct {
	context.Context
	left atomic.Int32
}

func (c *endsAt) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// At whatever moment a caller's context ends, the store does not stay locked.
func TestSequenceGivesUpItsTurn(t *testing.T) {
	for n := range int32(5) {
		dir := newVault(t)
		write(t, filepath.Join(dir, mdstore.LocalDir, "generation"), "0000000000000001\n") // a process died in a commit
		s := open(t, dir)
		write(t, filepath.Join(dir, mdstore.LocalDir, "generation"), "0000000000000003\n")
		ctx := &endsAt{Context: t.Context()}
		ctx.left.Store(n)
		_, _ = s.Generation(ctx)                                         // an error does not matter
		wait, cancel := context.WithTimeout(t.Context(), 10*time.Second) // it ends sooner unless the store stays locked
		if _, err := s.Commit(wait, []mdstore.Change{{Path: "ws-a/Workspace.md", New: []byte("a\n")}}); err != nil {
			t.Errorf("the caller was gone when it was asked for the %dth time: %v", n+1, err)
		}
		cancel()
	}
}

// A reader that waits for a commit needs no lock once that commit is over: a program with many commits in a row has the
// lock nearly always.
func TestSequenceWithoutTheLock(t *testing.T) {
	dir := newVault(t)
	writer, reader := open(t, dir), open(t, dir)
	err := writer.Update(t.Context(), func(st mdstore.Tx) error {
		if _, err := st.Commit(t.Context(), []mdstore.Change{{Path: "ws-a/Workspace.md", New: []byte("a\n")}}); err != nil {
			return err
		}
		told := make(chan error, 1)
		go func() {
			_, err := reader.Generation(t.Context())
			told <- err
		}()
		select {
		case err := <-told:
			return err
		case <-time.After(5 * time.Second): // it ends sooner unless it waits for the lock
			t.Error("it is told when the lock is given back")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
