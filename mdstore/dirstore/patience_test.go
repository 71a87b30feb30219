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
	"arbor/mdstore/dirstore/internal/disk"
)

// Whatever holds the lock and does not get on, be it a process that is stopped, is waited for in vain for some time only: by who writes, and by who reads
// while a commit is being made.
func TestWhoDoesNotGetOnIsWaitedForSomeTime(t *testing.T) {
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
		err := other.Update(t.Context(), func(x mdstore.Store) error {
			go func() { done <- only(s.Commit(t.Context(), notes("after"))) }()
			for i := range 2 {
				time.Sleep(25 * time.Second)
				if _, err := x.Commit(t.Context(), notes(fmt.Sprint(i))); err != nil {
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

// A slow disk takes seconds for each file that it makes or renames.
type slow struct{ disk.FS }

func (s slow) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	time.Sleep(7 * time.Second)
	return s.FS.Create(p, data, like)
}
func (s slow) RenameNew(from, to mdstore.Path) error {
	time.Sleep(7 * time.Second)
	return s.FS.RenameNew(from, to)
}

// A commit that takes long, as an import does, is waited for as long as it gets on.
func TestALongCommitIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := fill(t, unchanged)
		writer, err := dirstore.OpenThrough(dir, dirstore.Options{}, func(d disk.FS) disk.FS { return slow{d} })
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Close()
		reader, other := open(t, dir), open(t, dir)
		begun := time.Now()
		wrote, read, late := make(chan error, 1), make(chan error, 1), make(chan error, 1)
		go func() { wrote <- only(writer.Commit(t.Context(), threeFiles())) }()
		time.Sleep(time.Second) // it is at its first file
		go func() { _, err := reader.Generation(t.Context()); read <- err }()
		go func() { late <- only(other.Commit(t.Context(), notes("late"))) }()
		if err := <-wrote; err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begun); d < 35*time.Second {
			t.Fatalf("the commit took %v only", d)
		}
		if err := <-read; err != nil {
			t.Errorf("a read: %v", err)
		}
		if err := <-late; err != nil {
			t.Errorf("a commit: %v", err)
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
		done <- s.Update(t.Context(), func(mdstore.Store) error {
			write(t, filepath.Join(dir, mdstore.LocalDir, "sequence"), "0000000000000003\n")
			close(holding)
			<-goOn
			return nil
		})
	}()
	<-holding
	return done, func() { close(goOn) }
}
