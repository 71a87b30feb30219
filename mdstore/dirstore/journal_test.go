package dirstore_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// journalCases are unfinished commits in every version of the journal's format. vault/ has the files of the vault,
// want/ the files expected after it is opened; the file refused, if there is one, has the expected error of a commit.
const journalCases = "../../testdata/journal/*.txtar"

func archives(t testing.TB) map[string]*txtar.Archive {
	t.Helper()
	names, err := filepath.Glob(journalCases)
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases in %s (error %v)", journalCases, err)
	}
	out := map[string]*txtar.Archive{}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(name), ".txtar")] = a
	}
	return out
}

// part returns the files of an archive below a folder.
func part(a *txtar.Archive, folder string) map[string]string {
	out := map[string]string{}
	for _, f := range a.Files {
		if p, ok := strings.CutPrefix(f.Name, folder+"/"); ok {
			out[p] = string(f.Data)
		}
	}
	return out
}

// everything returns contents and the files of the trash.
func everything(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := contents(t, dir)
	trash := filepath.Join(dir, ".local", "trash")
	if _, err := os.Stat(trash); errors.Is(err, fs.ErrNotExist) {
		return out
	}
	for p, text := range contents(t, trash) {
		out[".local/trash/"+p] = text
	}
	return out
}

func TestJournalsOfEveryVersion(t *testing.T) {
	for name, a := range archives(t) {
		t.Run(name, func(t *testing.T) {
			want := part(a, "want")
			refused := ""
			for _, f := range a.Files {
				if f.Name == "refused" {
					refused = strings.TrimSpace(string(f.Data))
				}
			}
			if len(want) == 0 {
				t.Fatal("the case expects nothing")
			}
			dir := fill(t, part(a, "vault"))
			for range 2 { // the second time, nothing changes
				s := open(t, dir)
				if got := everything(t, dir); !maps.Equal(got, want) {
					t.Errorf("after opening\n got %q\nwant %q", got, want)
				}
				f, err := s.Read(t.Context(), "ws/Workspace.md")
				if text, there := want["ws/Workspace.md"]; there && (err != nil || string(f.Data) != text) {
					t.Errorf("Read: %q, error %v, want %q", f.Data, err, text)
				}
			}
			s := open(t, dir)
			_, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/next", New: []byte("next")}, {Path: "ws/other", New: []byte("other")}})
			if refused == "" && err != nil || refused != "" && (err == nil || !strings.Contains(err.Error(), refused)) {
				t.Errorf("Commit: error %v, want %q", err, refused)
			}
		})
	}
}

// The same journals in a read-only vault: files can be read, and nothing is written.
func TestReadOnlyVault(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everything")
	}
	dir := fill(t, part(archives(t)["v3_half_made"], "vault"))
	before := everything(t, dir)
	for _, d := range []string{"ws", "ws/nodes", "ws/nodes/root", ".local/journal", ".local", "."} {
		p := filepath.Join(dir, d)
		if err := os.Chmod(p, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(p, 0o755) })
	}
	s := open(t, dir)
	if _, err := s.Read(t.Context(), "ws/Workspace.md"); err != nil {
		t.Error(err)
	}
	for f, err := range s.List(t.Context(), "ws") {
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
	if _, err := s.Commit(t.Context(), threeFiles()); err == nil {
		t.Error("a commit was made")
	}
	if got := everything(t, dir); !maps.Equal(got, before) {
		t.Errorf("something changed: %q", got)
	}
}

// For any files in the journal, opening the vault succeeds, and changes a file only if a record with a correct checksum
// has that change.
func FuzzJournal(f *testing.F) {
	for _, a := range archives(f) {
		for p, text := range part(a, "vault") {
			if name, ok := strings.CutPrefix(p, ".local/journal/"); ok {
				f.Add([]byte(text), name)
			}
		}
	}
	f.Add([]byte("arbor-journal 1 x\n{}"), ".arbor-0a1b2c")
	f.Add([]byte("arbor-journal 99999999999999999999 x\n"), "x.json")
	f.Add([]byte{}, "README.md")
	f.Fuzz(func(t *testing.T, record []byte, name string) {
		if !mdstore.Path(name).Valid() || strings.ContainsAny(name, "/") || len(name) > 100 {
			return
		}
		dir := fill(t, unchanged)
		write(t, filepath.Join(dir, ".local", "journal", name), string(record))
		s, err := dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS { return hasty{d} })
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := contents(t, dir); !maps.Equal(got, unchanged) && !whole(record) {
			t.Errorf("%q in %q changed the vault to %q", record, name, got)
		}
	})
}

// whole reports whether the checksum of a record is right.
func whole(record []byte) bool {
	head, body, _ := bytes.Cut(record, []byte("\n"))
	words := strings.Fields(string(head))
	return len(words) == 3 && words[2] == fmt.Sprintf("%x", sha256.Sum256(body))
}

// Files of other programs in the journal belong to no commit, and do not make a reader recover.
func TestForeignFilesInTheJournalAreLeftAlone(t *testing.T) {
	dir := fill(t, unchanged)
	s := open(t, dir)
	if _, err := s.Commit(t.Context(), threeFiles()); err != nil {
		t.Fatal(err)
	}
	before, err := s.Generation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".DS_Store", "0a1b2c.sync-conflict-20261123.json", "0a1b2c 2.json", "folder/x"} {
		write(t, filepath.Join(dir, mdstore.LocalDir, "journal", filepath.FromSlash(name)), "theirs")
	}
	for range 3 {
		later(t, dir, func(s *dirstore.Store) { scan(t, s, "ws") })
	}
	if now, err := s.Generation(t.Context()); err != nil || now != before {
		t.Errorf("the number was %x, and is %x, error %v", before, now, err)
	}
}

// A program that syncs folders left a copy of a record in the journal. The copy is ignored, as its commit is over.
func TestACopyOfARecordIsIgnored(t *testing.T) {
	for _, name := range []string{"0a1b2c.sync-conflict-20260101-120000-ABCDEFG.json", "0a1b2c (Ann's conflicted copy 2026-01-01).json", "0a1b2c 2.json"} {
		files := part(archives(t)["v3_nothing_made"], "vault")
		files[".local/journal/"+name] = files[".local/journal/0a1b2c.json"]
		delete(files, ".local/journal/0a1b2c.json")
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
