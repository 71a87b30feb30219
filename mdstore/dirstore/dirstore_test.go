package dirstore_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/storetest"
)

// open opens a vault, and closes it when the test ends.
func open(t testing.TB, dir string) *dirstore.Store {
	t.Helper()
	s, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// newVault makes the folder of a vault in a project of its own.
func newVault(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project", mdstore.DefaultVault)
	if err := dirstore.Create(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) mdstore.Store { return open(t, newVault(t)) })
}

// write writes a file as an editor does, without the store.
func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ticked waits until the file system's clock is later than the last change of a file.
func ticked(t *testing.T, path string) {
	t.Helper()
	changed := func(path string) time.Time {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	for probe := filepath.Join(t.TempDir(), "probe"); ; {
		write(t, probe, "")
		if changed(probe).After(now) {
			return
		}
	}
}

// .local/ has its own .gitignore, since the vault's one is removed when a branch without the vault is checked out.
func TestWhatIsOfThisMachineIgnoresItself(t *testing.T) {
	dir := t.TempDir()
	s, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	commit := func(text string, base mdstore.Version) {
		t.Helper()
		if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/note", Base: base, New: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	commit("one", mdstore.Version{})
	name := filepath.Join(dir, ".local", ".gitignore")
	if data, err := os.ReadFile(name); err != nil || string(data) != "*\n" {
		t.Errorf("%s holds %q, error %v", name, data, err)
	}
	write(t, name, "mine\n")
	later(t, dir, func(s *dirstore.Store) {
		if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/note", Base: mdstore.VersionOf([]byte("one")), New: []byte("two")}}); err != nil {
			t.Fatal(err)
		}
	})
	if data, _ := os.ReadFile(name); string(data) != "mine\n" {
		t.Errorf("what somebody wrote to %s is %q now", name, data)
	}
}
