package app

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"arbor/cmd/internal/cli"
)

// An export replaces an earlier one and nothing else.
func TestExportKeepsWhatItDidNotWrite(t *testing.T) {
	dir := lay(t, nil)
	arbor := func(args ...string) (int, string) {
		var said bytes.Buffer
		code := run(t.Context(), cli.System{Args: args, Stdout: io.Discard, Stderr: &said, Dir: dir, Getenv: func(string) string { return "" }})
		return code, said.String()
	}
	for _, args := range [][]string{{"init", "Login", "--goal", "Users sign in"}, {"add", "Endpoint"}, {"export", "html", "out"}, {"rm", "Endpoint"}, {"export", "html", "out"}} {
		if code, said := arbor(args...); code != 0 {
			t.Fatalf("%q: %d %s", args, code, said)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "out", "node-*.html"))
	if err != nil || len(left) != 1 {
		t.Errorf("pages of nodes: %q, %v; the root's alone is expected", left, err)
	}
	mine := filepath.Join(dir, "out", "mine.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"export", "html", "out"}, {"export", "html", "."}, {"export", "html"}, {"export", "html", "new", "--lang", "fr"}, {"export", "html", "new", "-w", "none"}} {
		if code, said := arbor(args...); code == 0 || said == "" {
			t.Errorf("%q: %d %s", args, code, said)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a refused export made its folder")
	}
	if data, err := os.ReadFile(mine); err != nil || string(data) != "mine" {
		t.Errorf("somebody's file: %q, %v", data, err)
	}
}
