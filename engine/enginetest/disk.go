package enginetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// CommonMark returns the examples of the CommonMark specification, which the Markdown parser's module has.
func CommonMark(t testing.TB) (all []string) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Skipf("skipped the examples of CommonMark: %v", err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Skipf("skipped the examples of CommonMark: %v", err)
	}
	var examples []struct{ Markdown string }
	if err := json.Unmarshal(b, &examples); err != nil || len(examples) != 652 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	for _, e := range examples {
		all = append(all, e.Markdown)
	}
	return all
}
