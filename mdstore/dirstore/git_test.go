package dirstore_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// gitStates are what git leaves in its folder while it is in the middle of something, as files here; some are folders.
var gitStates = []string{"index.lock", "MERGE_HEAD", "rebase-merge/head-name", "rebase-apply/next", "CHERRY_PICK_HEAD", "REVERT_HEAD"}

// gitHomes are the places of git's folder, seen from the project's, with what stands in the project's .git where that is no folder.
var gitHomes = map[string]struct{ file, folder string }{
	"in the project":   {"", ".git"},
	"above it":         {"", "../.git"},
	"of a linked tree": {"gitdir: ../elsewhere/worktrees/x\n", "../elsewhere/worktrees/x"},
}

func TestWritesAreRefusedWhileGitIsInTheMiddleOfSomething(t *testing.T) {
	for where, home := range gitHomes {
		for _, state := range gitStates {
			dir := fill(t, unchanged)
			project := filepath.Dir(dir)
			if home.file != "" {
				write(t, filepath.Join(project, ".git"), home.file)
			}
			at := filepath.Join(project, home.folder, state)
			write(t, at, "")
			s := patient(t, dir, 1)
			err := s.Commit(t.Context(), threeFiles())
			busy, ok := errors.AsType[*mdstore.BusyError](err)
			if !ok || !strings.HasPrefix(at, busy.Where) || busy.End == "" {
				t.Errorf("%s, %s: error %v", where, state, err)
			}
			if got := contents(t, dir); !maps.Equal(got, unchanged) {
				t.Errorf("%s, %s: changed to %q", where, state, got)
			}
			notes := mdstore.Change{Path: mdstore.LocalDir + "/notes", New: []byte("x")}
			if err := s.Commit(t.Context(), []mdstore.Change{notes}); err != nil {
				t.Errorf("%s, %s: notes of this machine: %v", where, state, err)
			}
			if err := os.RemoveAll(filepath.Dir(at)); err != nil {
				t.Fatal(err)
			}
			if err := s.Commit(t.Context(), threeFiles()); err != nil {
				t.Errorf("%s, %s: once it is over: %v", where, state, err)
			}
		}
	}
}

// Who waits for git holds the lock, so that nobody else gets in between, and goes on when git is done.
func TestWritesWaitForGit(t *testing.T) {
	dir := fill(t, unchanged)
	lock := filepath.Join(filepath.Dir(dir), ".git", "index.lock")
	write(t, lock, "")
	s := patient(t, dir, time.Hour)
	done := make(chan error, 1)
	go func() { done <- s.Commit(context.Background(), threeFiles()) }()
	for {
		if data, _ := os.ReadFile(filepath.Join(dir, mdstore.LocalDir, "lock")); len(data) > 0 {
			break
		}
		runtime.Gosched()
	}
	if got := contents(t, dir); !maps.Equal(got, unchanged) {
		t.Errorf("git is not done, and the files are %q", got)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := contents(t, dir); !maps.Equal(got, changed) {
		t.Errorf("git is done, and the files are %q", got)
	}
}

func TestWhoIsToldSoIgnoresGit(t *testing.T) {
	dir := fill(t, unchanged)
	write(t, filepath.Join(filepath.Dir(dir), ".git", "index.lock"), "")
	s, err := dirstore.Open(dir, dirstore.Options{GitPatience: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Commit(t.Context(), threeFiles()); err != nil {
		t.Error(err)
	}
}

func TestCanceledWhileGitIsBusy(t *testing.T) {
	dir := fill(t, unchanged)
	write(t, filepath.Join(filepath.Dir(dir), ".git", "index.lock"), "")
	s := patient(t, dir, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Commit(ctx, threeFiles()) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// patient opens a vault whose commits wait so long for git.
func patient(t *testing.T, dir string, d time.Duration) *dirstore.Store {
	t.Helper()
	s, err := dirstore.Open(dir, dirstore.Options{GitPatience: d})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
