package dirstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

const abandoned = ".arbor-ABCDEFGHIJKLMNOPQRSTUVWXYZ" // a temporary file name, as for files of .local/

// Old temporary files of a killed process in .local/ are reported and removed. New ones may be those of a running
// process, and files in the protected folders belong to others.
func TestAbandonedFilesOfLocalAreCleared(t *testing.T) {
	dir := newVault(t)
	old := []mdstore.Path{".local/" + abandoned, ".local/cache/" + abandoned, ".local/sessions/deep/" + abandoned}
	stays := []string{".local/trash/x/" + abandoned, ".local/journal/" + abandoned, ".local/displaced/" + abandoned,
		".local/record/" + abandoned, ".local/replaced/" + abandoned, ".local/.arbor-mine", ".local/claims", abandoned}
	for _, p := range append(slices.Clone(stays), string(old[0]), string(old[1]), string(old[2])) {
		write(t, filepath.Join(dir, filepath.FromSlash(p)), "x")
	}
	s := open(t, dir)
	if got, err := s.Strays(t.Context(), ""); err != nil || len(got) != 1 || got[0].Kind != mdstore.StrayTemporary {
		t.Errorf("of files that were made just now, these are strays: %v, error %v", got, err)
	}
	dirstore.Ahead(s, 2*time.Minute)
	got, err := s.Strays(t.Context(), "")
	var named []mdstore.Path
	for _, stray := range got {
		if stray.Kind == mdstore.StrayLeftover {
			named = append(named, stray.Path)
		}
	}
	if err != nil || !slices.Equal(named, old) {
		t.Fatalf("the leftovers are %v, error %v; want %v", named, err, old)
	}
	for _, dry := range []bool{true, false} {
		done, err := s.Sweep(t.Context(), append(named, ".local/trash/x"), ".local/trash/y", dry)
		if err != nil || len(done) != len(old) {
			t.Errorf("Sweep, dry %v: %v, error %v", dry, done, err)
		}
		for _, p := range old {
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(string(p)))); (err == nil) != dry {
				t.Errorf("%s after Sweep, dry %v: %v", p, dry, err)
			}
		}
	}
	for _, p := range stays {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(p))); err != nil {
			t.Error(err)
		}
	}
}

// A clumsy disk writes half of a file, or none, and fails to remove files.
type clumsy struct {
	osfs.FS
	fails bool
}

func (d *clumsy) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	if err := d.FS.Create(p, data, like); !d.fails || err != nil {
		return err
	}
	return errors.New("the disk is full")
}

func (d *clumsy) Remove(p mdstore.Path) error {
	if d.fails {
		return errors.New("the disk is full")
	}
	return d.FS.Remove(p)
}

// Temporary files that a failed commit could not remove are reported and removed.
func TestLeftoversOfTwoFailuresAreCleared(t *testing.T) {
	dir := newVault(t)
	write(t, filepath.Join(dir, "ws/nodes/a/Node.md"), "a")
	write(t, filepath.Join(dir, "ws/nodes/b/Node.md"), "b")
	disk := &clumsy{}
	s, err := dirstore.OpenThrough(dir, dirstore.Options{}, func(d osfs.FS) osfs.FS { disk.FS = d; return disk })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"a", "b"} {
		p := mdstore.Path("ws/nodes/" + name + "/Node.md")
		change := mdstore.Change{Path: p, Base: mdstore.VersionOf([]byte(name)), New: []byte("new " + name)}
		disk.fails = true
		if _, err := s.Commit(t.Context(), []mdstore.Change{change}); err == nil {
			t.Fatal("the commit is made")
		}
		disk.fails = false
	}
	got, err := s.Strays(t.Context(), "ws")
	var paths []mdstore.Path
	for _, stray := range got {
		if stray.Kind == mdstore.StrayLeftover {
			paths = append(paths, stray.Path)
		}
	}
	if err != nil || len(paths) != 2 {
		t.Fatalf("strays %v, error %v; want two leftovers", got, err)
	}
	if done, err := s.Sweep(t.Context(), paths, ".local/trash/check", false); err != nil || len(done) != 2 {
		t.Errorf("Sweep: %v, error %v", done, err)
	}
	if got, err := s.Strays(t.Context(), "ws"); err != nil || len(got) > 0 {
		t.Errorf("after Sweep: %v, error %v", got, err)
	}
}
