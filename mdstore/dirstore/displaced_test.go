package dirstore_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

const (
	lines  = "head\nsecond\nthird\n"
	joined = "ours\nhead\nsecond\nthird\ntheirs\n"
)

// A swapping disk calls before ahead of each exchange of two files.
type swapping struct {
	osfs.FS
	before func() error
}

func (d swapping) Exchange(a, b mdstore.Path) error {
	return errors.Join(d.before(), d.FS.Exchange(a, b))
}

// displaced has an editor open a file at the moment when a commit replaces it, and returns the editor's open file.
func displaced(t *testing.T, dir string) *os.File {
	t.Helper()
	const p = mdstore.Path("ws/Workspace.md")
	var f *os.File
	s, err := dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS {
		return swapping{d, func() (err error) {
			f, err = os.OpenFile(filepath.Join(dir, string(p)), os.O_WRONLY|os.O_APPEND, 0)
			return err
		}}
	})
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
	if entries, err := os.ReadDir(filepath.Join(dir, mdstore.LocalDir, "displaced")); err != nil || len(entries) == 0 {
		t.Skip("files cannot be exchanged here")
	}
	return f
}

func saved(t *testing.T, f *os.File, text string) {
	t.Helper()
	_, err := f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	old(t, f.Name())
}

// old sets back the times of displaced files, for systems that cannot tell whether a file is open.
func old(t *testing.T, name string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(filepath.Dir(name), "..", mdstore.LocalDir, "displaced", "*Workspace.md"))
	if err != nil || len(all) == 0 {
		t.Fatal("no displaced file: ", err)
	}
	for _, at := range all {
		info, err := os.Stat(at)
		if err != nil {
			t.Fatal(err)
		}
		then := info.ModTime().Add(-600e6)
		if err := os.Chtimes(at, then, then); err != nil {
			t.Fatal(err)
		}
	}
}

// If an editor saves into a file that a commit has replaced, the save is merged and reported by the next program that
// opens the vault, by the next commit of any store, or by Displaced.
func TestASaveIntoADisplacedFileIsMerged(t *testing.T) {
	next := func(s *dirstore.Store, _ string) []mdstore.Collision {
		res, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/next", New: []byte("x")}})
		if err != nil {
			t.Error(err)
		}
		return res.Collisions
	}
	for by, look := range map[string]func(s *dirstore.Store, dir string) []mdstore.Collision{
		"open": func(_ *dirstore.Store, dir string) []mdstore.Collision {
			met, err := open(t, dir).Late(t.Context(), true)
			if err != nil {
				t.Error(err)
			}
			return met
		},
		"commit":                    next,
		"a commit of another store": func(_ *dirstore.Store, dir string) []mdstore.Collision { return next(open(t, dir), dir) },
		"a look": func(s *dirstore.Store, _ string) []mdstore.Collision {
			met, err := s.Late(t.Context(), true)
			if err != nil {
				t.Error(err)
			}
			return met
		},
	} {
		dir := fill(t, map[string]string{"ws/Workspace.md": lines})
		s := open(t, dir)
		f := displaced(t, dir)
		before, err := s.Generation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if met, err := s.Late(t.Context(), true); len(met) > 0 || err != nil {
			t.Errorf("%s: before the save: %v, error %v", by, met, err)
		}
		saved(t, f, "theirs\n")
		met := look(s, dir)
		if got := contents(t, dir)["ws/Workspace.md"]; got != joined {
			t.Errorf("%s: got %q, want %q", by, got, joined)
		}
		if len(met) != 1 || met[0].Path != "ws/Workspace.md" {
			t.Errorf("%s: told of %v", by, met)
		}
		if n, err := s.Generation(t.Context()); err != nil || n <= before || n%2 == 1 {
			t.Errorf("%s: the generation was %d and is %d, error %v", by, before, n, err)
		}
		after, err := s.Generation(t.Context())
		if paths, ok := s.ChangedSince(t.Context(), before, after); err != nil || !ok || !slices.Contains(paths, "ws/Workspace.md") {
			t.Errorf("%s: changed are %v, %v, error %v", by, paths, ok, err)
		}
	}
}

// If a save conflicts with a commit, the save stays in the file, and the version of the commit is kept beside it.
func TestASaveIntoADisplacedFileIsKept(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": "one line"})
	s := open(t, dir)
	saved(t, displaced(t, dir), " and theirs\n")
	met, err := s.Late(t.Context(), true)
	if err != nil || len(met) != 1 || !strings.Contains(string(met[0].Copy), ".conflict-") {
		t.Fatalf("told of %v, error %v", met, err)
	}
	if got := contents(t, dir)[string(met[0].Copy)]; got != "ours\none line" {
		t.Errorf("%s holds %q", met[0].Copy, got)
	}
}

// A link in place of the folder of displaced files is not followed: its target is another folder.
func TestNothingGoesThroughALinkInThePlaceOfDisplacedFiles(t *testing.T) {
	files := maps.Clone(unchanged)
	files["ws/theirs/0000000000001-0123456789abcdef-x"] = "theirs"
	dir := fill(t, files)
	place := filepath.Join(dir, mdstore.LocalDir, "displaced")
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../ws/theirs", place); err != nil {
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
	if entries, err := os.ReadDir(filepath.Join(dir, "ws", "theirs")); err != nil || len(entries) != 1 {
		t.Errorf("the folder that a link leads to holds %v, error %v", entries, err)
	}
	if to, err := os.Readlink(place); err != nil || to != "../ws/theirs" {
		t.Errorf("the link leads to %q, error %v", to, err)
	}
}
