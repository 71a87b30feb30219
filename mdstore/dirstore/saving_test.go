package dirstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

const own = mdstore.Path("ws/Workspace.md")

// opened returns a store that waits for saves in progress, as in production, but with the time quiet.
func opened(t *testing.T, dir string, quiet time.Duration) *dirstore.Store {
	t.Helper()
	s, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// change commits f of the current content of a file.
func change(t *testing.T, s *dirstore.Store, f func(string) string) (mdstore.Result, error) {
	t.Helper()
	was, err := s.Read(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	return s.Commit(t.Context(), []mdstore.Change{{Path: own, Base: was.Version, New: []byte(f(string(was.Data)))}})
}

func add(line string) func(string) string { return func(s string) string { return s + line } }

// A commit waits if another program saved the file just now, and is refused if the saves do not stop. It does not wait
// after a commit of another Arbor process.
func TestACommitWaitsUntilASaveIsQuiet(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": "head\n"})
	at := filepath.Join(dir, string(own))
	write(t, at, "head\nhalf\n")
	never := opened(t, dir, time.Hour)
	_, err := change(t, never, add("ours\n"))
	if busy, ok := errors.AsType[*mdstore.BusyError](err); !ok || !strings.Contains(busy.What, "is being saved") {
		t.Fatalf("error %v", err)
	}
	if !never.Saving(t.Context(), []mdstore.Path{own}) {
		t.Error("it is not being saved")
	}
	if got := contents(t, dir)[string(own)]; got != "head\nhalf\n" {
		t.Errorf("it holds %q", got)
	}
	if _, err := change(t, opened(t, dir, 0), add("ours\n")); err != nil { // 0.1 s without a save is enough
		t.Fatal(err)
	}
	for range 3 {
		if _, err := change(t, never, add("again\n")); err != nil {
			t.Errorf("after a commit of another store: %v", err)
		}
	}
}

// A file that a program has open for writing counts as being saved, however old its last write is.
func TestAFileThatIsOpenForWritingIsBeingSaved(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": "head\n"})
	at := filepath.Join(dir, string(own))
	s := opened(t, dir, time.Nanosecond)
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Saving(t.Context(), []mdstore.Path{own}) {
		t.Skip("the system does not tell who has a file open")
	}
	if _, err := change(t, s, add("ours\n")); !errors.As(err, new(*mdstore.BusyError)) {
		t.Errorf("error %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := change(t, s, add("ours\n")); err != nil {
		t.Errorf("when it is closed: %v", err)
	}
}
