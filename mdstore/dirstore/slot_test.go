package dirstore_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// TestSlotNotWritten commits several files where the slot of the journal is not to be written: what is in the way gives way, and nothing is said to be
// committed that is not.
func TestSlotNotWritten(t *testing.T) {
	const at = ".local/journal/commit.json"
	commit := func(st *dirstore.Store, text string) error {
		var changes []mdstore.Change
		for _, p := range []mdstore.Path{"x/Node.md", "y/Node.md"} {
			f, _ := st.Read(context.Background(), p) // of a missing file the zero version
			changes = append(changes, mdstore.Change{Path: p, Base: f.Version, New: []byte(text)})
		}
		return only(st.Commit(context.Background(), changes))
	}
	for name, spoil := range map[string]func(slot string) error{
		"read-only":     func(p string) error { return os.Chmod(p, 0o444) },
		"several names": func(p string) error { return os.Link(p, filepath.Join(filepath.Dir(p), "..", "backup")) },
		"folder": func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.Mkdir(p, 0o755)
		},
		"folder that holds something": func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.MkdirAll(filepath.Join(p, "below"), 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			st := open(t, dir)
			if err := commit(st, "one"); err != nil {
				t.Fatal(err)
			}
			if err := spoil(filepath.Join(dir, at)); err != nil {
				if name == "several names" {
					t.Skip("a file cannot have several names on this file system:", err)
				}
				t.Fatal(err)
			}
			for _, s := range []*dirstore.Store{st, open(t, dir)} {
				for _, text := range []string{"two", "three"} {
					if err := commit(s, text); err != nil {
						t.Fatal(err)
					}
					if got, err := os.ReadFile(filepath.Join(dir, "y/Node.md")); err != nil || string(got) != text {
						t.Fatalf("the file holds %q (error %v), committed was %q", got, err, text)
					}
				}
			}
			if strays, err := st.Strays(t.Context(), ""); err != nil || len(strays) > 0 {
				t.Errorf("left: %v (error %v)", strays, err)
			}
		})
	}
}

// TestSlotReadOnlyWithRecord finishes a commit whose record may be read but not written over, as another user's.
func TestSlotReadOnlyWithRecord(t *testing.T) {
	a := archives(t)["v2_half_made"]
	dir := fill(t, part(a, "vault"))
	rec := filepath.Join(dir, ".local", "journal", "commit.json")
	if err := os.Chmod(rec, 0o444); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if got, want := everything(t, dir), part(a, "want"); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := os.Lstat(rec); err == nil {
		t.Error("the record is there still")
	}
}

// TestCopiedRecord opens a vault in whose journal a program that syncs folders has left a copy of a record: its commit is long over.
func TestCopiedRecord(t *testing.T) {
	for _, name := range []string{"commit.sync-conflict-20260101-120000-ABCDEFG.json", "commit (Ann's conflicted copy 2026-01-01).json", "commit 2.json"} {
		files := part(archives(t)["v2_nothing_made"], "vault")
		files[".local/journal/"+name] = files[".local/journal/commit.json"]
		delete(files, ".local/journal/commit.json")
		dir := fill(t, files)
		before := contents(t, dir)
		s := open(t, dir)
		if got := contents(t, dir); !maps.Equal(got, before) {
			t.Errorf("%s changed the vault to %q", name, got)
		}
		if _, err := s.Commit(t.Context(), threeFiles()[:1]); err != nil {
			t.Error(err)
		}
	}
}
