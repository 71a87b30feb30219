package ops_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// A place is a vault in a folder, as a test sees it from outside.
type place string

func settle(t testing.TB, dir string, files map[mdstore.Path][]byte) place {
	t.Helper()
	p := place(filepath.Join(dir, "vault"))
	for name, b := range files {
		p.put(t, name, b)
	}
	for name, text := range enginetest.Docs {
		place(dir).put(t, mdstore.Path(name), []byte(text))
	}
	return p
}

func (p place) at(name mdstore.Path) string {
	return filepath.Join(string(p), filepath.FromSlash(string(name)))
}

func (p place) put(t testing.TB, name mdstore.Path, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.at(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.at(name), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// forgetLocal removes .local/ and everything that only this machine knows.
func (p place) forgetLocal(t testing.TB) {
	t.Helper()
	if err := p.removeLocal(); err != nil {
		t.Fatal(err)
	}
}

// removeLocal removes .local/, into which an engine that follows may write its cache at this moment.
func (p place) removeLocal() (err error) {
	for range 1000 {
		if err = os.RemoveAll(p.at(mdstore.LocalDir)); err == nil {
			break
		}
	}
	return err
}

// files returns every file outside of .local/.
func (p place) files(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(string(p), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == mdstore.LocalDir:
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(string(p), name)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
