package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// gitStates are files in git's folder that show an operation in progress.
var gitStates = []string{"index.lock", "MERGE_HEAD", "rebase-merge/head-name", "rebase-apply/next", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer/todo"}

// gitHomes are places of git's folder, relative to the project, with the content of the project's .git if that is a
// file.
var gitHomes = map[string]struct{ file, folder, vault string }{
	"in the project":   {"", ".git", ".tanmi-workspace"},
	"above it":         {"", "../.git", "project/.tanmi-workspace"},
	"of a linked tree": {"gitdir: ../elsewhere/worktrees/x\n", "../elsewhere/worktrees/x", ".tanmi-workspace"},
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
			index(t, filepath.Join(project, home.folder), home.vault)
			s := patient(t, dir, 1)
			_, err := s.Commit(t.Context(), threeFiles())
			busy, ok := errors.AsType[*mdstore.BusyError](err)
			if !ok || !strings.HasPrefix(at, busy.Where) || busy.End == "" {
				t.Errorf("%s, %s: error %v", where, state, err)
			}
			if got := contents(t, dir); !maps.Equal(got, unchanged) {
				t.Errorf("%s, %s: changed to %q", where, state, got)
			}
			notes := mdstore.Change{Path: mdstore.LocalDir + "/notes", New: []byte("x")}
			if _, err := s.Commit(t.Context(), []mdstore.Change{notes}); err != nil {
				t.Errorf("%s, %s: notes of this machine: %v", where, state, err)
			}
			if err := os.RemoveAll(filepath.Join(project, home.folder)); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Commit(t.Context(), threeFiles()); err != nil {
				t.Errorf("%s, %s: once it is over: %v", where, state, err)
			}
		}
	}
}

// Writes that wait for git go on when git is done. Meanwhile, writes in .local/ do not wait.
func TestWritesWaitForGit(t *testing.T) {
	dir := fill(t, unchanged)
	lock := filepath.Join(filepath.Dir(dir), ".git", "index.lock")
	write(t, lock, "")
	index(t, filepath.Dir(lock), mdstore.DefaultVault)
	s := patient(t, dir, time.Hour)
	done := make(chan error, 2)
	go func() { done <- only(s.Commit(context.Background(), threeFiles())) }()
	go func() {
		done <- s.Update(context.Background(), func(st mdstore.Tx) error {
			return only(st.Commit(context.Background(), []mdstore.Change{{Path: "ws/next", New: []byte("next")}}))
		})
	}()
	for {
		if data, _ := os.ReadFile(filepath.Join(dir, mdstore.LocalDir, "lock")); len(data) > 0 {
			break
		}
		runtime.Gosched()
	}
	if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: mdstore.LocalDir + "/notes", New: []byte("x")}}); err != nil {
		t.Error(err)
	}
	if got := contents(t, dir); !maps.Equal(got, unchanged) {
		t.Errorf("git is not done, and the files are %q", got)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	want := maps.Clone(changed)
	want["ws/next"] = "next"
	if got := contents(t, dir); !maps.Equal(got, want) {
		t.Errorf("git is done, and the files are %q", got)
	}
}

// index writes a minimal index of git: a header with the version, and the names.
func index(t *testing.T, git string, names ...string) {
	t.Helper()
	write(t, filepath.Join(git, "index"), "DIRC\x00\x00\x00\x02\x00"+strings.Join(names, "/ws/Workspace.md\x00")+"/ws/Workspace.md\x00")
}

// A vault that git does not track does not wait for git, which neither overwrites nor removes it.
func TestUntrackedVaultsDoNotWaitForGit(t *testing.T) {
	for name, set := range map[string]func(git string){
		"a name like it":    func(git string) { index(t, git, "src", "a"+mdstore.DefaultVault+"s") },
		"nothing committed": func(string) {},
	} {
		dir := fill(t, unchanged)
		git := filepath.Join(filepath.Dir(dir), ".git")
		write(t, filepath.Join(git, "MERGE_HEAD"), "")
		set(git)
		if _, err := patient(t, dir, 1).Commit(t.Context(), threeFiles()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{ // an index that cannot be read may contain the vault
		"a newer version": "DIRC\x00\x00\x00\x04", "a split index": "DIRC\x00\x00\x00\x02", "cut": "DI",
	} {
		dir := fill(t, unchanged)
		git := filepath.Join(filepath.Dir(dir), ".git")
		write(t, filepath.Join(git, "MERGE_HEAD"), "")
		write(t, filepath.Join(git, "index"), text)
		if name == "a split index" {
			write(t, filepath.Join(git, "sharedindex.0123"), "")
		}
		if _, err := patient(t, dir, 1).Commit(t.Context(), threeFiles()); err == nil {
			t.Errorf("%s: the commit is made in the middle of a merge", name)
		}
	}
}

func TestWhoIsToldSoIgnoresGit(t *testing.T) {
	dir := fill(t, unchanged)
	write(t, filepath.Join(filepath.Dir(dir), ".git", "index.lock"), "")
	s, err := dirstore.Open(dir, dirstore.Options{GitPatience: -1, SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Commit(t.Context(), threeFiles()); err != nil {
		t.Error(err)
	}
}

func TestCanceledWhileGitIsBusy(t *testing.T) {
	dir := fill(t, unchanged)
	write(t, filepath.Join(filepath.Dir(dir), ".git", "index.lock"), "")
	s := patient(t, dir, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- only(s.Commit(ctx, threeFiles())) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// While git is at work, an unfinished commit is not recovered. Nobody waits for git while holding the lock: readers go
// on, and writers wait without the lock.
func TestACrashAndGitKeepNobodyFromReading(t *testing.T) {
	dir := fill(t, unchanged)
	sequence := filepath.Join(dir, mdstore.LocalDir, "sequence")
	write(t, sequence, "0000000000000001\n")
	git := filepath.Join(filepath.Dir(dir), ".git")
	write(t, filepath.Join(git, "MERGE_HEAD"), "")
	index(t, git, ".tanmi-workspace")
	s := patient(t, dir, time.Hour)
	wait, cancel := context.WithTimeout(t.Context(), 10*time.Second) // it ends sooner unless it waits for git
	defer cancel()
	if n, err := s.Generation(wait); err != nil {
		t.Errorf("number %d, error %v", n, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- only(s.Commit(ctx, threeFiles())) }()
	other := patient(t, dir, 1)
	for range 3 {
		if _, err := other.Generation(wait); err != nil {
			t.Error(err)
		}
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := os.RemoveAll(git); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), threeFiles()); err != nil {
		t.Errorf("once it is over: %v", err)
	}
}

// patient opens a vault whose commits wait up to d for git.
func patient(t *testing.T, dir string, d time.Duration) *dirstore.Store {
	t.Helper()
	s, err := dirstore.Open(dir, dirstore.Options{GitPatience: d, SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A new repository is noticed, and so is one that replaces another.
func TestGitThatComesIsSeen(t *testing.T) {
	dir := fill(t, unchanged)
	project := filepath.Dir(dir)
	s := patient(t, dir, 1)
	commit := func(name string) error {
		return only(s.Commit(t.Context(), []mdstore.Change{{Path: mdstore.Path("ws/" + name), New: []byte("x")}}))
	}
	if err := commit("before"); err != nil {
		t.Fatal(err)
	}
	git := filepath.Join(project, ".git")
	index(t, git, mdstore.DefaultVault)
	if err := commit("idle"); err != nil {
		t.Fatal(err)
	}
	busy := filepath.Join(t.TempDir(), "git")
	index(t, busy, mdstore.DefaultVault)
	write(t, filepath.Join(busy, "MERGE_HEAD"), "")
	if err := errors.Join(os.RemoveAll(git), os.Rename(busy, git)); err != nil {
		t.Fatal(err)
	}
	if err := commit("replaced"); !errors.As(err, new(*mdstore.BusyError)) {
		t.Errorf("another repository has come: %v", err)
	}
}

// Files that git tracks, such as a token, may come from a clone. If the index cannot be read, nothing counts as
// tracked.
func TestWhatGitTracksIsTold(t *testing.T) {
	for where, home := range gitHomes {
		dir := fill(t, unchanged)
		project := filepath.Dir(dir)
		if home.file != "" {
			write(t, filepath.Join(project, ".git"), home.file)
		}
		git := filepath.Join(project, home.folder)
		local := filepath.Join(dir, mdstore.LocalDir)
		write(t, filepath.Join(local, "token"), "x")
		for named, want := range map[string]bool{home.vault: false, home.vault + "/" + mdstore.LocalDir: true} {
			index(t, git, named)
			if got := dirstore.Tracked(local); got != want {
				t.Errorf("%s, git tracks %s: %t", where, named, got)
			}
		}
		write(t, filepath.Join(git, "sharedindex.0"), "")
		if dirstore.Tracked(local) || dirstore.Tracked(filepath.Join(dir, "none")) {
			t.Errorf("%s: what cannot be told is tracked", where)
		}
	}
}

// An unmerged file in git's index is not written, also by a store that found none in the index before.
func TestUnmergedFilesAreRefusedWheneverTheyCome(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	const root, own = mdstore.Path("ws/nodes/root/Node.md"), mdstore.Path("ws/Workspace.md")
	for hash, unread := range map[string]bool{"sha1": true, "sha256": false} {
		dir := fill(t, unchanged)
		git := func(stdin string, args ...string) string {
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(args, err)
			}
			return strings.TrimSpace(string(out))
		}
		git("", "init", "-q", "--object-format="+hash)
		git("", "add", "ws")
		write(t, filepath.Join(dir, "later"), "")
		git("", "add", "-N", "later") // its entry has extended flags
		s := patient(t, dir, 1)
		dirstore.Ahead(s, time.Hour) // so that the index looks old
		round := 0
		commit := func(p mdstore.Path) error {
			now, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(string(p))))
			if err != nil {
				t.Fatal(err)
			}
			round++
			_, err = s.Commit(t.Context(), []mdstore.Change{{Path: p, Base: mdstore.VersionOf(now), New: fmt.Appendf(nil, "round %d\n", round)}})
			return err
		}
		for range 2 {
			if err := commit(root); err != nil {
				t.Fatal(hash, err)
			}
		}
		if got := dirstore.Unread(s); got != unread {
			t.Errorf("%s: an index without several versions of a file is not read again: %t, want %t", hash, got, unread)
		}
		blob := git("x", "hash-object", "-w", "--stdin")
		git(fmt.Sprintf("0 %s\t%s\n100644 %s 1\t%[2]s\n100644 %[3]s 2\t%[2]s\n100644 %[3]s 3\t%[2]s\n", strings.Repeat("0", len(blob)), root, blob),
			"update-index", "--index-info")
		for range 2 {
			if _, refused := errors.AsType[*mdstore.UnmergedError](commit(root)); !refused {
				t.Errorf("%s: a file with several versions is written", hash)
			}
			if err := commit(own); err != nil {
				t.Errorf("%s: a file beside it: %v", hash, err)
			}
		}
		git("", "add", "ws")
		if err := commit(root); err != nil {
			t.Errorf("%s: once it is merged: %v", hash, err)
		}
	}
}
