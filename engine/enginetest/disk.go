package enginetest

import (
	"os"
	"path/filepath"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// Put writes a file below a folder as a person does.
func Put(t testing.TB, dir string, p mdstore.Path, data []byte) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(string(p)))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Place writes files into a new vault and returns its folder.
func Place(t testing.TB, files map[mdstore.Path][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vault")
	for p, data := range files {
		Put(t, dir, p, data)
	}
	return dir
}

// OpenDir opens the store of a vault's folder and closes it when the test ends.
func OpenDir(t testing.TB, dir string) *dirstore.Store {
	t.Helper()
	st, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// Open opens an engine over a store, with the system's clock.
func Open(t testing.TB, st mdstore.Store) *engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), st, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
