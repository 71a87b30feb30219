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

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// displaced has an editor open a file that a commit then replaces, and returns what the editor writes with.
func displaced(t *testing.T, s *dirstore.Store, dir string) *os.File {
	t.Helper()
	const p = mdstore.Path("ws/Workspace.md")
	f, err := os.OpenFile(filepath.Join(dir, string(p)), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	was, err := s.Read(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: p, Base: was.Version, New: append([]byte("ours\n"), was.Data...)}}); err != nil {
		t.Fatal(err)
	}
	if !waiting(dir) {
		t.Skip("files cannot be exchanged here")
	}
	return f
}

func waiting(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, mdstore.LocalDir, "late"))
	return err == nil
}

func saved(t *testing.T, f *os.File, text string) {
	t.Helper()
	_, err := f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

const (
	lines  = "head\nsecond\nthird\n"
	joined = "ours\nhead\nsecond\nthird\ntheirs\n"
)

// Nobody commits any more: the store itself looks.
func TestSaveIntoADisplacedFileIsMergedByAndBy(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("takes a minute where the system does not tell who has a file open")
	}
	dir := fill(t, map[string]string{"ws/Workspace.md": lines})
	s := open(t, dir)
	before, err := s.Generation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	saved(t, displaced(t, s, dir), "theirs\n")
	for waiting(dir) && t.Context().Err() == nil {
		runtime.Gosched()
	}
	if got := contents(t, dir)["ws/Workspace.md"]; got != joined {
		t.Errorf("got %q, want %q", got, joined)
	}
	if n, err := s.Generation(t.Context()); err != nil || n == before || n%2 == 1 {
		t.Errorf("the number was %d and is %d, error %v", before, n, err)
	}
}

// The program has ended when the editor saves: the next one that opens the vault looks, and the next that commits.
func TestSaveIntoADisplacedFileIsMergedAtOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("takes a minute where the system does not tell who has a file open")
	}
	for _, late := range []string{"closed before", "open still"} {
		dir := fill(t, map[string]string{"ws/Workspace.md": lines})
		first, err := dirstore.Open(dir, dirstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := displaced(t, first, dir)
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		if late == "closed before" {
			saved(t, f, "theirs\n")
		}
		s := open(t, dir)
		if late == "open still" {
			if got := contents(t, dir)["ws/Workspace.md"]; got != "ours\n"+lines || !waiting(dir) {
				t.Errorf("%s: %q, waiting %v", late, got, waiting(dir))
			}
			saved(t, f, "theirs\n")
			if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/next", New: []byte("x")}}); err != nil {
				t.Error(err)
			}
		}
		if got := contents(t, dir)["ws/Workspace.md"]; got != joined || waiting(dir) {
			t.Errorf("%s: %q, want %q; waiting %v", late, got, joined, waiting(dir))
		}
		kept := false
		for p, text := range everything(t, dir) { // for when somebody had read the file before, and saves it now
			kept = kept || strings.HasPrefix(p, ".local/trash/late-") && strings.HasSuffix(p, "/ws/Workspace.md") && text == lines+"theirs\n"
		}
		if !kept {
			t.Errorf("%s: what was saved is not in the trash: %q", late, everything(t, dir))
		}
	}
}

// What cannot be joined lies beside the file.
func TestSaveIntoADisplacedFileIsKept(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": "one line\n"})
	s := open(t, dir)
	f := displaced(t, s, dir)
	saved(t, f, "theirs\n")
	for waiting(dir) && t.Context().Err() == nil {
		if runtime.GOOS != "linux" {
			t.Skip("takes a minute where the system does not tell who has a file open")
		}
		runtime.Gosched()
	}
	found := ""
	for p, text := range contents(t, dir) {
		if strings.Contains(text, "theirs\n") {
			found = p + ": " + text
		}
	}
	if found != "ws/Workspace.md: ours\none line\ntheirs\n" && !strings.Contains(found, ".conflict-") {
		t.Errorf("%q in %q", found, contents(t, dir))
	}
}

// The process whose commit replaced the file has ended: who watches the vault looks after it, and tells of what is merged.
func TestWhoWatchesLooksAfterDisplacedFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("takes a minute where the system does not tell who has a file open")
	}
	dir := fill(t, map[string]string{"ws/Workspace.md": lines})
	watching := open(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	ready, settled, ended := make(chan struct{}), make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(ended)
		_ = watching.Watch(ctx, mdstore.Watching{
			Ready: func() { close(ready) },
			Early: func(mdstore.Path) {},
			Settled: func([]mdstore.Path, bool) {
				select {
				case settled <- struct{}{}:
				default:
				}
			},
		})
	}()
	defer func() { stop(); <-ended }()
	<-ready
	s, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := displaced(t, s, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	saved(t, f, "theirs\n")
	for got := ""; got != joined; {
		<-settled // or the test's time is over
		data, err := os.ReadFile(filepath.Join(dir, "ws", "Workspace.md"))
		if err != nil {
			t.Fatal(err)
		}
		got = string(data)
	}
}

// A store that has nothing to look after looks again when something waits: left by a commit of another process, or by its own.
func TestSaveIntoADisplacedFileIsSeenByTheNextCommit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("takes a minute where the system does not tell who has a file open")
	}
	for _, who := range []string{"another", "its own"} {
		dir := fill(t, map[string]string{"ws/Workspace.md": lines})
		s := open(t, dir)
		commit := func(name mdstore.Path) {
			t.Helper()
			if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/" + name, New: []byte("x")}}); err != nil {
				t.Fatal(err)
			}
		}
		commit("first")
		commit("second")
		by := s
		if who == "another" {
			var err error
			if by, err = dirstore.Open(dir, dirstore.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		f := displaced(t, by, dir)
		if by != s {
			if err := by.Close(); err != nil {
				t.Fatal(err)
			}
		}
		commit("while it is open")
		saved(t, f, "theirs\n")
		commit("then")
		if got := contents(t, dir)["ws/Workspace.md"]; got != joined || waiting(dir) {
			t.Errorf("%s: %q, want %q; waiting %v", who, got, joined, waiting(dir))
		}
	}
}

// What lies where a link leads is somebody else's, also where displaced files wait.
func TestNothingGoesThroughALinkInThePlaceOfDisplacedFiles(t *testing.T) {
	files := maps.Clone(unchanged)
	files["ws/theirs/mine.json"] = "{}"
	dir := fill(t, files)
	late := filepath.Join(dir, mdstore.LocalDir, "late")
	if err := os.MkdirAll(filepath.Dir(late), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../ws/theirs", late); err != nil {
		t.Skip("no links can be made here: ", err)
	}
	s := open(t, dir)
	for range 2 {
		f, err := s.Read(t.Context(), "ws/Workspace.md")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: f.Path, Base: f.Version, New: append(f.Data, "more\n"...)}}); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "ws", "theirs", "mine.json")); err != nil || string(data) != "{}" {
		t.Errorf("somebody's file holds %q, error %v", data, err)
	}
	if to, err := os.Readlink(late); err != nil || to != "../ws/theirs" {
		t.Errorf("the link leads to %q, error %v", to, err)
	}
}
