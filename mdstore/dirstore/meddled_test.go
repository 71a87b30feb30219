package dirstore_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// A meddled disk calls a function before a commit exchanges two files or renames one. The function for a rename may
// fail it.
type meddled struct {
	osfs.FS
	exchange func(a, b mdstore.Path)
	rename   func(from, to mdstore.Path) error
}

func (m *meddled) Exchange(a, b mdstore.Path) error {
	m.exchange(a, b)
	return m.FS.Exchange(a, b)
}

func (m *meddled) RenameNew(from, to mdstore.Path) error {
	if m.rename != nil {
		if err := m.rename(from, to); err != nil {
			return err
		}
	}
	return m.FS.RenameNew(from, to)
}

// A person saves a file twice while a commit changes it, and a copy beside it cannot be made. Both saves are kept, if
// need be as a leftover.
func TestSavesStayWhereThereIsNoRoomForACopy(t *testing.T) {
	const text = "one\ntwo\nthree\n"
	for files := 1; files <= 2; files++ {
		dir, saves := newVault(t), 0
		var changes []mdstore.Change
		for i := range files {
			p := mdstore.Path(fmt.Sprintf("ws/%d.md", i))
			write(t, filepath.Join(dir, string(p)), text)
			changes = append(changes, mdstore.Change{Path: p, Base: mdstore.VersionOf([]byte(text)), New: []byte(strings.Replace(text, "two", "the commit's", 1))})
		}
		s, err := dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS {
			return &meddled{FS: d,
				exchange: func(mdstore.Path, mdstore.Path) {
					if saves < 2 {
						saves++
						if err := habits["write beside and rename"](filepath.Join(dir, "ws/0.md"), strings.Replace(text, "two", fmt.Sprint("save ", saves), 1)); err != nil {
							t.Error(err)
						}
					}
				},
				rename: func(_, to mdstore.Path) error {
					if strings.Contains(to.Base(), ".conflict-") {
						return &fs.PathError{Op: "rename", Path: string(to), Err: syscall.ENOSPC}
					}
					return nil
				}}
		})
		if err != nil {
			t.Fatal(err)
		}
		failed := only(s.Commit(t.Context(), changes))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for save := 1; save <= saves; save++ {
			found := false
			_ = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
				data, _ := os.ReadFile(p)
				found = found || strings.Contains(string(data), fmt.Sprint("save ", save))
				return err
			})
			if !found {
				t.Errorf("a commit of %d files, which ends with %v: save %d is nowhere", files, failed, save)
			}
		}
		if saves != 2 {
			t.Errorf("a commit of %d files: %d saves", files, saves)
		}
	}
}

// A program that saves in place empties the file first. If a commit comes at that moment, it makes no empty copy, and
// what the program then writes is in the file.
func TestAnEmptiedFileIsNoVersionToKeep(t *testing.T) {
	const was, first, second = "one\ntwo\nthree\n", "one\ntwo\nfirst\n", "one\ntwo\nsecond\n"
	dir := fill(t, map[string]string{string(own): was})
	at, exchanges := filepath.Join(dir, string(own)), 0
	var editor *os.File
	var emptied error
	s, err := dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS {
		return &meddled{FS: d, exchange: func(mdstore.Path, mdstore.Path) {
			switch exchanges++; exchanges {
			case 1:
				write(t, at, first)
			case 2: // the displaced file is exchanged back
				editor, emptied = os.Create(at)
			}
		}}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, _ = s.Commit(t.Context(), []mdstore.Change{{Path: own, Base: mdstore.VersionOf([]byte(was)), New: []byte("commit\n" + was)}})
	if exchanges < 2 || emptied != nil {
		t.Fatalf("%d exchanges, error %v", exchanges, emptied)
	}
	saved(t, editor, second)
	if _, err := s.Late(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	all := contents(t, dir)
	for p, text := range all {
		if strings.Contains(p, ".conflict-") && text == "" {
			t.Errorf("%s is empty", p)
		}
	}
	if got := all[string(own)]; got != second {
		t.Errorf("the file holds %q", got)
	}
}
