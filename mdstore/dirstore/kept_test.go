package dirstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
)

const keptPath = mdstore.Path("ws/nodes/root/Node.md")

// keeping commits a change of a plan that has read another file, with the content base.
func keeping(t *testing.T, s *dirstore.Store, base string) error {
	t.Helper()
	const p = mdstore.Path("ws/nodes/n/Node.md")
	f, err := s.Read(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return only(s.Commit(t.Context(), []mdstore.Change{
		{Path: p, Base: f.Version, New: append([]byte("x"), f.Data...)},
		{Path: keptPath, Base: mdstore.VersionOf([]byte(base)), Keep: true},
	}))
}

// If a file that a plan has read is changed in any way, the commit fails.
func TestKeptFilesThatChangedAreSeen(t *testing.T) {
	const text = "root\n"
	for how, change := range map[string]func(path string, was os.FileInfo) error{
		"in place": func(path string, was os.FileInfo) error {
			return errors.Join(os.WriteFile(path, []byte("ROOT\n"), 0o644), os.Chtimes(path, was.ModTime(), was.ModTime()))
		},
		"replaced": func(path string, was os.FileInfo) error {
			next := path + "~"
			return errors.Join(os.WriteFile(next, []byte("ROOT\n"), 0o644), os.Chtimes(next, was.ModTime(), was.ModTime()), os.Rename(next, path))
		},
		"gone":         func(path string, _ os.FileInfo) error { return os.Remove(path) },
		"folder moved": func(path string, _ os.FileInfo) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+"-2") },
		"a link to another": func(path string, _ os.FileInfo) error {
			return errors.Join(os.Remove(path), os.Symlink("../n/Node.md", path))
		},
	} {
		t.Run(how, func(t *testing.T) {
			dir := fill(t, map[string]string{string(keptPath): text, "ws/nodes/n/Node.md": "n\n"})
			path := filepath.Join(dir, string(keptPath))
			ticked(t, path)
			s := open(t, dir)
			for range 2 {
				if err := keeping(t, s, text); err != nil {
					t.Fatal(err)
				}
			}
			was, err := os.Stat(path)
			if err == nil {
				err = change(path, was)
			}
			if err != nil && how == "a link to another" {
				t.Skip("links cannot be made here:", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			err = keeping(t, s, text)
			if _, moved := errors.AsType[*mdstore.ConflictError](err); !moved {
				if _, unreadable := errors.AsType[*mdoc.UnreadableError](err); !unreadable {
					t.Errorf("%s: error %v", how, err)
				}
			}
		})
	}
}

// It fails also if the file is changed within the same tick of the clock.
func TestKeptFilesThatChangeAllTheTimeAreSeen(t *testing.T) {
	dir := fill(t, map[string]string{string(keptPath): "0\n", "ws/nodes/n/Node.md": "n\n"})
	s := open(t, dir)
	texts := []string{"0\n", "1\n"}
	for i := range 50 {
		if err := keeping(t, s, texts[i%2]); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, string(keptPath)), texts[(i+1)%2])
		if err := keeping(t, s, texts[i%2]); err == nil {
			t.Fatalf("round %d: a plan is committed that has read %q, and the file is %q", i, texts[i%2], texts[(i+1)%2])
		}
	}
}

// A change may not name the store's own files.
func TestKeptFilesAreNotTheStoresOwn(t *testing.T) {
	dir := fill(t, unchanged)
	s := open(t, dir)
	write(t, filepath.Join(dir, mdstore.LocalDir, "journal", mdstore.NodeFile), "x")
	c := mdstore.Change{Path: mdstore.LocalDir + "/journal/" + mdstore.NodeFile, Base: mdstore.VersionOf([]byte("x")), Keep: true}
	if _, err := s.Commit(t.Context(), []mdstore.Change{c}); err == nil {
		t.Error("a file of the journal was kept")
	}
}
