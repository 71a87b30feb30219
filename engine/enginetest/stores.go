package enginetest

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/memstore"
	"arbor/mdstore/pgstore"
	"arbor/mdstore/pgstore/pgtest"
)

// A Vault is a store with what a test does beside the engine.
type Vault interface {
	mdstore.Store
	mdstore.History
	mdstore.Scanner
	mdstore.Local
	mdstore.Docs

	// Put writes data to a file as another program does, or removes the file if data is nil.
	Put(p mdstore.Path, data []byte)
	// Files returns the bytes of all files, except those that the store keeps for itself.
	Files() map[mdstore.Path][]byte
	// SetDoc writes a document of the project around the vault.
	SetDoc(target string, data []byte)
	// Beside returns the vault as another process has it.
	Beside() Vault
}

// Stores are the stores that the tests of the engine and of what serves it run over.
var Stores = []struct {
	Name string
	New  func(testing.TB, map[mdstore.Path][]byte) (Vault, engine.Options) // see NewVault
}{
	{"memory", memory},
	{"folder", Folder},
	{"postgres", onServer},
}

// Chosen is the name of the store that all tests run over, "" for the usual one of each.
var Chosen = os.Getenv("ARBOR_TEST_STORE")

// NewVault returns a vault with the files, in the store that is usual for the test unless Chosen names another one. The
// options tell an engine where it is.
func NewVault(t testing.TB, usual string, files map[mdstore.Path][]byte) (Vault, engine.Options) {
	t.Helper()
	if Chosen != "" {
		usual = Chosen
	}
	for _, s := range Stores {
		if s.Name == usual {
			return s.New(t, files)
		}
	}
	t.Fatalf("ARBOR_TEST_STORE: no store %q", usual)
	panic("unreachable")
}

func memory(_ testing.TB, files map[mdstore.Path][]byte) (Vault, engine.Options) {
	return memoryVault{memstore.New(files)}, engine.Options{}
}

// A memoryVault is a vault in memory, which has no other processes.
type memoryVault struct{ *memstore.Store }

func (v memoryVault) Beside() Vault { return v }

// A folderVault is a vault in a folder, as a person's file manager and editor see it.
type folderVault struct {
	*dirstore.Store
	t   testing.TB
	dir string
}

// Folder returns a vault in a folder, also where Chosen names another store: for what only happens to files.
func Folder(t testing.TB, files map[mdstore.Path][]byte) (Vault, engine.Options) {
	t.Helper()
	dir := Place(t, files)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return folderVault{OpenDir(t, dir), t, dir}, engine.Options{Vault: dir, State: t.TempDir()}
}

func (v folderVault) Beside() Vault { return folderVault{OpenDir(v.t, v.dir), v.t, v.dir} }

func (v folderVault) Put(p mdstore.Path, data []byte) {
	v.t.Helper()
	if data != nil {
		Put(v.t, v.dir, p, data)
	} else if err := os.Remove(filepath.Join(v.dir, filepath.FromSlash(string(p)))); err != nil && !os.IsNotExist(err) {
		v.t.Fatal(err)
	}
}

func (v folderVault) SetDoc(target string, data []byte) {
	v.t.Helper()
	Put(v.t, filepath.Dir(v.dir), mdstore.Path(target), data)
}

// own are names in .local/ of what a store in a folder keeps for itself.
var own = []string{".gitignore", "cache", "displaced", "generation", "journal", "lock"}

func (v folderVault) Files() map[mdstore.Path][]byte {
	v.t.Helper()
	out := map[mdstore.Path][]byte{}
	err := filepath.WalkDir(v.dir, func(name string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(v.dir, name)
		local, is := strings.CutPrefix(filepath.ToSlash(rel), mdstore.LocalDir+"/")
		switch {
		case err != nil:
			return err
		case is && e.IsDir() && slices.Contains(own, local):
			return fs.SkipDir
		case e.IsDir(), is && slices.Contains(own, local):
			return nil
		}
		data, err := os.ReadFile(name)
		out[mdstore.Path(filepath.ToSlash(rel))] = data
		return err
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return out
}

// A serverVault is a vault on a server, with documents in memory.
type serverVault struct {
	*pgstore.Store
	mdstore.Docs
	t       testing.TB
	docs    *memstore.Store
	address string
}

func onServer(t testing.TB, files map[mdstore.Path][]byte) (Vault, engine.Options) {
	t.Helper()
	docs, address := memstore.New(nil), pgtest.Address(t)
	v := serverVault{pgtest.OpenAt(t, address, "me"), docs, t, docs, address}
	changes := make([]mdstore.Change, 0, len(files))
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if len(files[p]) > mdstore.MaxFileSize {
			t.Skipf("%s: no file on a server has %d bytes", p, len(files[p]))
		}
		changes = append(changes, mdstore.Change{Path: p, New: append([]byte{}, files[p]...)})
	}
	if _, err := v.Commit(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	return v, engine.Options{Place: t.TempDir(), State: t.TempDir()}
}

func (v serverVault) Beside() Vault {
	v.Store = pgtest.OpenAt(v.t, v.address, "me")
	return v
}

// ctx is a context that lives as long as the cleanup of a test does.
func (v serverVault) ctx() context.Context { return context.WithoutCancel(v.t.Context()) }

func (v serverVault) Put(p mdstore.Path, data []byte) {
	v.t.Helper()
	f, err := v.Store.Read(v.ctx(), p)
	if err == nil || os.IsNotExist(err) {
		_, err = v.Commit(v.ctx(), []mdstore.Change{{Path: p, Base: f.Version, New: data}})
	}
	if err != nil {
		v.t.Fatal(err)
	}
}

func (v serverVault) SetDoc(target string, data []byte) { v.docs.SetDoc(target, data) }

func (v serverVault) Files() map[mdstore.Path][]byte {
	v.t.Helper()
	all, _, err := v.Store.Files(v.ctx())
	if err != nil {
		v.t.Fatal(err)
	}
	paths := slices.Sorted(maps.Keys(all))
	out := make(map[mdstore.Path][]byte, len(all))
	ctx := mdstore.WithReads(v.ctx(), paths)
	for _, p := range paths {
		f, err := v.Store.Read(ctx, p)
		if err != nil && !errors.As(err, new(*mdoc.UnreadableError)) {
			v.t.Fatal(err)
		}
		out[p] = f.Data
	}
	return out
}
