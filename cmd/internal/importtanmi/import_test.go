package importtanmi

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"arbor/engine"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/memstore"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"
)

// TestNoTextOfTheCasesIsLost imports the sample and every case into a vault, and reads the vault back.
func TestNoTextOfTheCasesIsLost(t *testing.T) {
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
			imports, warnings, _ := Read(fsys, Options{})
			checkNothingIsLost(t, fsys, imports, warnings)
		})
	}
}

// A vault is what imports became: the text of every Workspace.md and Node.md, and all files.
type vault struct {
	text  string
	files map[mdstore.Path][]byte
}

// write imports workspaces into an empty vault, and compares what the vault then says with what was given. Texts that
// an import adapts, such as headings that move down, are not compared.
func write(t rapid.TB, imports []plan.Import) vault {
	t.Helper()
	ctx := context.Background()
	st := memstore.New(nil)
	eng, err := engine.Open(ctx, st, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
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
		fmt.Fprintf(&text, "%s\n%s\n%s\n", ws.Name, ws.Goal, f.Data)
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
			fmt.Fprintf(&text, "%s\n%s\n", got.Title, f.Data)
			if got.ID != n.ID || got.Parent != n.Parent || got.Title != n.Title || got.Type != n.Type || got.Status != n.Status ||
				len(got.Log()) != len(n.Log) || got.Problem().IsZero() != n.Problem.IsZero() ||
				!reflect.DeepEqual(refTexts(got.Docs()), refTexts(n.Docs)) ||
				!reflect.DeepEqual(refTexts(got.References()), refTexts(n.References)) ||
				(got.Requirement() == "") != (n.Requirement == "") || (got.Conclusion() == "") != (n.Conclusion == "") ||
				(got.Note() == "") != (n.Note == "") {
				t.Errorf("%s: the vault says otherwise of\n%+v\n%s", n.ID, n, f.Data)
			}
		}
	}
	return vault{text.String(), st.Files()}
}
