package importtanmi

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/memstore"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestEveryImportCanBeWritten imports the sample and every oddity into a vault, and reads the vault back.
func TestEveryImportCanBeWritten(t *testing.T) {
	sources := map[string]fs.FS{"sample": os.DirFS(filepath.Join(testdata, "project"))}
	cases, _ := filepath.Glob(filepath.Join(testdata, "*.txtar"))
	for _, name := range cases {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fsys := fstest.MapFS{}
		for _, f := range ar.Files {
			if in, ok := strings.CutPrefix(f.Name, "in/"); ok {
				fsys[in] = &fstest.MapFile{Data: f.Data}
			}
		}
		sources[filepath.Base(name)] = fsys
	}
	if len(sources) < 2 {
		t.Fatal("no cases")
	}
	for name, fsys := range sources {
		t.Run(name, func(t *testing.T) {
			imports, _, _ := Read(fsys, Options{})
			write(t, imports)
		})
	}
}

// write imports workspaces into an empty vault, and compares what the vault then says with what was given. Texts that an import adapts, such as
// headings that move down, are not compared.
func write(t *testing.T, imports []engine.Import) {
	t.Helper()
	ctx := context.Background()
	st := memstore.New(nil)
	eng, err := engine.Open(ctx, st, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range imports {
		if _, err := eng.Import(ctx, imp, false); err != nil {
			t.Errorf("%s cannot be imported: %v", imp.ID, err)
			continue
		}
		dir := mdstore.Path(imp.ID)
		if imp.Archived {
			dir = mdstore.Path(mdstore.ArchiveDir).Join(string(imp.ID))
		}
		f, err := st.Read(ctx, mdstore.WorkspacePath(dir))
		if err != nil {
			t.Fatal(err)
		}
		ws := mdstore.ParseWorkspace(f)
		if ws.Name != imp.Name || ws.Goal != imp.Goal || ws.Focus != imp.Focus || len(ws.Rules()) != len(imp.Rules) ||
			len(ws.Log()) != len(imp.Log) || !reflect.DeepEqual(refTexts(ws.Docs()), refTexts(imp.Docs)) {
			t.Errorf("%s: the vault says otherwise:\n%s", imp.ID, f.Data)
		}
		for _, n := range imp.Nodes {
			f, err := st.Read(ctx, mdstore.NodePath(dir, n.ID))
			if err != nil {
				t.Fatal(err)
			}
			got := mdstore.ParseNode(f)
			if got.ID != n.ID || got.Parent != n.Parent || got.Title != n.Title || got.Type != n.Type || got.Status != n.Status || len(got.Log()) != len(n.Log) ||
				!reflect.DeepEqual(refTexts(got.Docs()), refTexts(n.Docs)) || !reflect.DeepEqual(refTexts(got.References()), refTexts(n.References)) ||
				(got.Requirement() == "") != (n.Requirement == "") || (got.Conclusion() == "") != (n.Conclusion == "") || (got.Note() == "") != (n.Note == "") ||
				got.Problem().IsZero() != n.Problem.IsZero() {
				t.Errorf("%s: the vault says otherwise of\n%+v\n%s", n.ID, n, f.Data)
			}
		}
	}
}
