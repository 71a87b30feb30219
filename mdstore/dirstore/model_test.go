package dirstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/memstore"
)

var (
	somePaths = []mdstore.Path{"ws/Workspace.md", "ws/a", "ws/nodes/a/Node.md", "ws/nodes/a/notes.txt", "ws/nodes/a/b/Node.md",
		"ws/nodes/c/Node.md", "archive/ws/Workspace.md", "archive/ws/nodes/c/Node.md", "sessions.json"}
	someFolders = append([]mdstore.Path{"ws", "ws/nodes", "ws/nodes/a", "ws/nodes/a/b", "ws/nodes/d", "archive/ws", "archive", ".local/trash/1/x"}, somePaths...)
)

func drawChanges(t *rapid.T, st mdstore.Store) []mdstore.Change {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) mdstore.Change {
		p := rapid.SampledFrom(somePaths).Draw(t, "path")
		f, _ := st.Read(t.Context(), p)
		c := mdstore.Change{Path: p, Base: f.Version}
		if rapid.IntRange(0, 19).Draw(t, "stale") == 0 {
			c.Base = mdstore.VersionOf([]byte("stale"))
		}
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1:
			return mdstore.Change{Path: rapid.SampledFrom(someFolders).Draw(t, "from"), To: rapid.SampledFrom(someFolders).Draw(t, "to")}
		case 2:
			c.Keep = true
		case 3, 4:
			c.New = nil
		default:
			c.New = []byte(rapid.SampledFrom([]string{"", "one\n", "two\n", "three\n"}).Draw(t, "new"))
		}
		return c
	}), 1, 4).Draw(t, "changes")
}

// outcome returns the kind of a commit's error.
func outcome(err error) string {
	conflict, isConflict := errors.AsType[*mdstore.ConflictError](err)
	_, isUnreadable := errors.AsType[*mdoc.UnreadableError](err)
	switch {
	case err == nil:
		return "made"
	case isConflict:
		return fmt.Sprint("conflict at ", conflict.Paths)
	case isUnreadable, errors.Is(err, fs.ErrInvalid):
		return "refused"
	}
	return err.Error()
}

// A hasty disk skips all syncs, for tests that do not need them.
type hasty struct{ osfs.FS }

func (hasty) Sync(mdstore.Path) error    { return nil }
func (hasty) SyncDir(mdstore.Path) error { return nil }

// A folder and a map have the same results for any calls.
func TestFolderAndMapAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "dirstore")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		st, err := dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS { return hasty{d} })
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		mem := memstore.New(nil)
		for range rapid.IntRange(1, 12).Draw(t, "commits") {
			changes := drawChanges(t, mem)
			onDisk, inMemory := outcome(only(st.Commit(t.Context(), changes))), outcome(only(mem.Commit(t.Context(), changes)))
			if onDisk != inMemory {
				t.Fatalf("%+v\n on disk   %s\n in memory %s", changes, onDisk, inMemory)
			}
			// On disk, a folder stays when its last file is removed, unless it is a node's; a map has no empty folders.
			prune(dir)
		}
		for _, under := range []mdstore.Path{"", "ws", "archive/ws"} {
			if d, m := listing(t, st, under), listing(t, mem, under); d != m {
				t.Fatalf("List(%q)\n on disk   %s\n in memory %s", under, d, m)
			}
		}
		files := mem.Files()
		for p, data := range files {
			if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(string(p)))); err != nil || string(got) != string(data) {
				t.Fatalf("%s: %q, error %v, in memory %q", p, got, err, data)
			}
		}
	})
}

func prune(dir string) {
	for range 5 {
		_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && p != dir && d.Name() != ".local" && d.Name() != "journal" {
				_ = os.Remove(p) // only if it is empty
			}
			return nil
		})
	}
}

func listing(t *rapid.T, st mdstore.Store, under mdstore.Path) string {
	var out strings.Builder
	for e, err := range st.List(t.Context(), under) {
		f := mdstore.File{Path: e.Path}
		if err == nil {
			f, err = st.Read(t.Context(), e.Path)
		}
		fmt.Fprintf(&out, "%s %q %s %s\n", f.Path, f.Data, f.Version, code(err))
	}
	return out.String()
}
