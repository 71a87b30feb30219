package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// A field of nodes is one row of the table of fields: a program with three more rows, and no other difference, takes them, shows
// them, searches, merges and checks them, keeps them in its cache and tells assistants of them.
func TestOneRowIsAFieldEverywhere(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on PATH, and the test builds a program with other rows")
	}
	const last = "\tOrder    *float64 `json:\"-\" key:\"order\"`\n"
	program := rebuilt(t, "../../mdstore/fields.go", last, last+
		"\tZeta *int `json:\"zeta,omitempty\" min:\"1\" max:\"5\" mark:\"z%v\" help:\"N from 1 to 5; 0 for none\"`\n"+
		"\tZday *string `json:\"zday,omitempty\" layout:\"2006-01-02\" mark:\"by %v\" empty:\"ok\" help:\"the DATE\"`\n"+
		"\tZlink []string `json:\"zlink,omitempty\" is:\"node\" merge:\"unite\" mark:\"after %v\" help:\"a NODE\"`\n")
	testscript.Run(t, testscript.Params{
		Files: []string{"../../testdata/rows/field.txtar"}, UpdateScripts: *update, RequireUniqueNames: true, RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			return setup(env, filepath.Dir(program)+string(filepath.ListSeparator)+quickPath(t))
		},
		Cmds: commands,
	})
}

// rebuilt builds the program, under the name arbor+, with another text in place of one in a file.
func rebuilt(t *testing.T, file, old, with string) (program string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s does not hold %q", file, old)
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{abs: path("other.go")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"other.go": []byte(strings.Replace(string(data), old, with, 1)), "overlay.json": overlay} {
		if err := os.WriteFile(path(name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-overlay", path("overlay.json"), "-o", path("arbor+"), ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path("arbor+")
}
