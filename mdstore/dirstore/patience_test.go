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

// If a process keeps the lock, for example a stopped one, a writer waits only for a limited time, and so does a reader
// during a commit.
func TestAHolderOfTheLockIsWaitedForSomeTime(t *testing.T) {
	for _, tt := range []struct {
		what string
		wait func(context.Context, *dirstore.Store) error
		most time.Duration
	}{
		{"a commit", func(ctx context.Context, s *dirstore.Store) error { return only(s.Commit(ctx, threeFiles())) }, 30 * time.Second},
		{"a read", func(ctx context.Context, s *dirstore.Store) error { _, err := s.Generation(ctx); return err }, 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			dir := fill(t, unchanged)
			stopped, free := halt(t, dir)
			s := open(t, dir)
			begun := time.Now()
			var both [2]error // the second waits for the first, in the same process
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

// halt makes another store of the vault hold the lock in the middle of a commit, until free is called.
func halt(t *testing.T, dir string) (over <-chan error, free func()) {
	t.Helper()
	s := open(t, dir)
	holding, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.Update(t.Context(), func(mdstore.Tx) error {
			write(t, filepath.Join(dir, mdstore.LocalDir, "generation"), "0000000000000003\n")
			close(holding)
			<-goOn
			return nil
		})
	}()
	<-holding
	return done, func() { close(goOn) }
}
