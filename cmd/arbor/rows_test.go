package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Rows that the program of TestOneRowIsEverywhere has besides: three fields of nodes, a section of nodes, a status with
// the actions around it, and a kind of files.
var rows = []struct{ file, after, row string }{
	{"mdstore/fields.go", "\tOrder    *float64 `json:\"-\" key:\"order\"`\n", "" +
		"\tZeta *int `json:\"zeta,omitempty\" min:\"1\" max:\"5\" mark:\"z%v\" help:\"N from 1 to 5; 0 for none\"`\n" +
		"\tZday *string `json:\"zday,omitempty\" layout:\"2006-01-02\" mark:\"by %v\" empty:\"ok\" help:\"the DATE\"`\n" +
		"\tZlink []string `json:\"zlink,omitempty\" is:\"node\" merge:\"unite\" mark:\"after %v\" help:\"a NODE\"`\n"},
	{"mdstore/node.go", "\t{Name: SecNote, Aliases: []string{\"备注\"}},\n", "\t{Name: \"Zone\", Aliases: []string{\"区域\"}, Key: itself},\n"},
	{"statemachine/table.go", "{Execution, false, []Status{Pending, Implementing, ", "\"zwaiting\", "},
	{"statemachine/table.go", "\t{Execution, Pending, Start, Implementing, 0, false},\n", "" +
		"\t{Execution, Implementing, \"zhold\", \"zwaiting\", 0, false},\n\t{Execution, \"zwaiting\", \"zgo\", Implementing, 0, false},\n"},
	{"mdstore/kind.go", "\tallKinds = Kinds{WorkspaceKind, NodeKind, ", "zetaKind, "},
	{"mdstore/kind.go", "var allKinds Kinds\n", `
var zetaKind = &Kind{
	Name: "zeta", Named: true, Form: &mdoc.Form{Sections: []mdoc.SectionForm{{Name: "Zone"}, {Name: "Items", Key: itself}}}, Facts: pageFacts,
	Place: Place{Dir: "zetas", Name: AnyMarkdown},
	Keys:  []Key{{Name: KeyID}, {Name: "level", Rule: wholeFrom(1, 9), Merge: MergeLater}, {Name: KeyTags, Rule: listRule, Merge: MergeUnite}, {Name: KeyUpdated, Time: true, Merge: MergeNewest}},
}
`},
}

// A field of nodes, a section, a status and a kind of files are each a row of a table: a program with more rows, and no
// other difference, knows them in every place. Each script under testdata/rows names these places.
func TestOneRowIsEverywhere(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on PATH, and the test builds a program with other rows")
	}
	program := rebuilt(t)
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/rows", UpdateScripts: *update, RequireUniqueNames: true, RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			return setup(env, filepath.Dir(program)+string(filepath.ListSeparator)+quickPath(t))
		},
		Cmds: commands,
	})
}

// rebuilt builds the program with the rows, under the name arbor+.
func rebuilt(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	texts, replace := map[string]string{}, map[string]string{}
	for i, r := range rows {
		file, err := filepath.Abs(filepath.Join("../..", r.file))
		if err != nil {
			t.Fatal(err)
		}
		if _, met := texts[file]; !met {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file], replace[file] = string(data), path(fmt.Sprint(i, ".go"))
		}
		if !strings.Contains(texts[file], r.after) {
			t.Fatalf("%s does not hold %q", r.file, r.after)
		}
		texts[file] = strings.Replace(texts[file], r.after, r.after+r.row, 1)
	}
	for file, text := range texts {
		if err := os.WriteFile(replace[file], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("overlay.json"), overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	// Without optimizations the build takes two thirds of the time.
	cmd := exec.Command("go", "build", "-gcflags=arbor/...=-N -l", "-ldflags=-s -w", "-overlay", path("overlay.json"), "-o", path("arbor+"), ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path("arbor+")
}
