package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// Whatever holds the lock and does not get on, be it a process that is stopped, is waited for in vain for some time only: by who writes, and by who reads
// while a commit is being made.
func TestWhoDoesNotGetOnIsWaitedForSomeTime(t *testing.T) {
	for _, tt := range []struct {
		what string
		wait func(context.Context, *dirstore.Store) error
		most time.Duration
	}{
		{"a commit", func(ctx context.Context, s *dirstore.Store) error { return s.Commit(ctx, threeFiles()) }, 30 * time.Second},
		{"a read", func(ctx context.Context, s *dirstore.Store) error { _, err := s.Sequence(ctx); return err }, 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			dir := fill(t, unchanged)
			stopped, free := halt(t, dir)
			s := open(t, dir)
			begun := time.Now()
			var both [2]error // the second one waits for the first one, in the same process
			done := make(chan struct{})
			for i := range both {
				go func() { both[i] = tt.wait(t.Context(), s); done <- struct{}{} }()
			}
			<-done
			<-done
			if d := time.Since(begun); d < tt.most || d > tt.most*12/10 {
				t.Errorf("%s waits for %v, want %v", tt.what, d, tt.most)
			}
			for _, err := range both {
				busy, ok := errors.AsType[*mdstore.BusyError](err)
				if !ok || busy.Where != filepath.Join(dir, mdstore.LocalDir, "lock") || !strings.Contains(err.Error(), fmt.Sprintf("process %d is writing to the vault", os.Getpid())) {
					t.Errorf("%s: error %v", tt.what, err)
				}
			}
			if got := contents(t, dir); !maps.Equal(got, unchanged) {
				t.Errorf("%s: the files are %q", tt.what, got)
			}
			free()
			<-stopped
			if err := tt.wait(t.Context(), s); err != nil {
				t.Errorf("%s, once the lock is free: %v", tt.what, err)
			}
		})
	}
}

// As long as somebody gets on, others wait for their turn.
func TestWhoGetsOnIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := fill(t, unchanged)
		other, s := open(t, dir), open(t, dir)
		done := make(chan error, 1)
		err := other.Exclusively(t.Context(), func(x mdstore.Store) error {
			go func() { done <- s.Commit(t.Context(), notes("after")) }()
			for i := range 2 {
				time.Sleep(25 * time.Second)
				if err := x.Commit(t.Context(), notes(fmt.Sprint(i))); err != nil {
					return err
				}
			}
			return nil
		})
		if err := errors.Join(err, <-done); err != nil {
			t.Error(err)
		}
	})
}

// notes is a commit of a file that is named so.
func notes(name string) []mdstore.Change {
	return []mdstore.Change{{Path: mdstore.Path("ws/" + name), New: []byte("x\n")}}
}

// halt has another store of a vault hold the lock in the middle of a commit, until free is called.
func halt(t *testing.T, dir string) (over <-chan error, free func()) {
	t.Helper()
	s := open(t, dir)
	holding, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.Exclusively(t.Context(), func(mdstore.Store) error {
			write(t, filepath.Join(dir, mdstore.LocalDir, "sequence"), "0000000000000003\n")
			close(holding)
			<-goOn
			return nil
		})
	}()
	<-holding
	return done, func() { close(goOn) }
}
