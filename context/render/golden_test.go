package render_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arbor/context/assemble"
	"arbor/context/render"
	"arbor/mdstore"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expectations of the golden bundles")

// Each archive of testdata/context holds a workspace, words about what is asked for, and the bundle as Markdown
// (want.md) and JSON (want.json). The words are lines of the archive's comment, "key: value"; other lines are for
// people. An archive whose words are "workspace: NAME" asks about the files of NAME.txtar.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join("..", "..", "testdata", "context", "*.txtar"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no golden bundles are found: %v", err)
	}
	for _, path := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			focus, opt, other := asked(t, ar.Comment)
			files := ar
			if other != "" {
				if files, err = txtar.ParseFile(filepath.Join(filepath.Dir(path), other+".txtar")); err != nil {
					t.Fatal(err)
				}
			}
			opt.Measure = measured(render.Markdown)
			b := contextOf(t, open(files), focus, opt)
			md := render.Markdown(b)
			checkPage(t, b, md)
			opt.Measure = measured(encoded)
			var js bytes.Buffer
			if err := json.Indent(&js, encoded(contextOf(t, open(files), focus, opt)), "", "  "); err != nil {
				t.Fatal(err)
			}
			want := map[string][]byte{"want.md": md, "want.json": append(js.Bytes(), '\n')}
			if *update {
				ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return want[f.Name] != nil })
				ar.Files = append(ar.Files, txtar.File{Name: "want.md", Data: md}, txtar.File{Name: "want.json", Data: want["want.json"]})
				if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			found := 0
			for _, f := range ar.Files {
				if got := want[f.Name]; got != nil {
					found++
					if !bytes.Equal(got, f.Data) {
						t.Errorf("%s: got\n%s\nwant\n%s", f.Name, got, f.Data)
					}
				}
			}
			if found != 2 {
				t.Errorf("%s has %d of want.md and want.json; -update adds them", path, found)
			}
		})
	}
}

// measured counts what a reader gets, without a bound.
func measured(render func(*assemble.Bundle) []byte) func(*assemble.Bundle) (int, bool) {
	return func(b *assemble.Bundle) (int, bool) { return len(render(b)), true }
}

// encoded returns the bundle as one line of JSON. Only those characters are escaped that JSON asks for.
func encoded(b *assemble.Bundle) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(b); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// asked reads the focus, the options and the workspace meant from an archive's comment.
func asked(t *testing.T, comment []byte) (focus mdstore.ID, opt assemble.Options, workspace string) {
	t.Helper()
	opt.Places = true
	for line := range strings.Lines(string(comment)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		var err error
		switch key {
		case "focus":
			focus = mdstore.ID(value)
		case "workspace":
			workspace = value
		case "budget":
			opt.Budget, err = strconv.Atoi(value)
		case "maxLogEntries":
			opt.MaxLogEntries, err = strconv.Atoi(value)
		case "reverseLog":
			opt.ReverseLog, err = strconv.ParseBool(value)
		case "includeLog":
			opt.OmitLog, opt.OwnLog = value == "false", value == "all"
		case "includeProblem":
			opt.OmitProblem = value == "false"
		default:
			err = fmt.Errorf("no such option")
		}
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	return focus, opt, workspace
}
