package dirstore_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// A vanishing disk loses .local/ before the nth call that creates something.
type vanishing struct {
	osfs.FS
	local string
	left  *int
}

func (v vanishing) step() {
	if *v.left--; *v.left == 0 {
		_ = os.RemoveAll(v.local)
	}
}

func (v vanishing) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	v.step()
	return v.FS.Create(p, data, like)
}
func (v vanishing) Sync(p mdstore.Path) error             { v.step(); return v.FS.Sync(p) }
func (v vanishing) SyncDir(p mdstore.Path) error          { v.step(); return v.FS.SyncDir(p) }
func (v vanishing) RenameNew(from, to mdstore.Path) error { v.step(); return v.FS.RenameNew(from, to) }
func (v vanishing) Exchange(a, b mdstore.Path) error      { v.step(); return v.FS.Exchange(a, b) }

// If .local/ is deleted at any moment of a commit, and nothing was changed, the error says so and that the caller may
// try again, which succeeds.
func TestLocalFolderVanishesDuringACommit(t *testing.T) {
	refused := 0
	for n := 1; ; n++ {
		dir, left := fill(t, unchanged), n
		s, err := dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS {
			return vanishing{d, filepath.Join(dir, mdstore.LocalDir), &left}
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Commit(t.Context(), threeFiles())
		if _, unfinished := errors.AsType[*mdstore.UnfinishedError](err); err != nil && !unfinished {
			refused++
			if !strings.Contains(err.Error(), "nothing was changed") || !strings.HasSuffix(err.Error(), "try again") {
				t.Errorf("before step %d: error %v", n, err)
			}
			if got := contents(t, dir); !maps.Equal(got, unchanged) {
				t.Errorf("before step %d: changed to %q", n, got)
			}
			if _, err := s.Commit(t.Context(), threeFiles()); err != nil {
				t.Errorf("before step %d, once more: %v", n, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if left > 0 {
			break // the commit has fewer than n such calls
		}
	}
	if refused == 0 {
		t.Error("no commit was refused")
	}
}
