package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The example of docs/evidence.md runs as it stands: each command, and each line below it is in what it prints.
func TestEvidencePage(t *testing.T) {
	t.Parallel()
	if os.Getenv("ARBOR_HEAVY") == "" {
		t.Skip("the example builds the standard library for a test in an empty cache; .ci/run sets ARBOR_HEAVY for it")
	}
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no go here, or no terminal for a script")
	}
	page, err := os.ReadFile("../../docs/evidence.md")
	if err != nil {
		t.Fatal(err)
	}
	script, files := "env XDG_STATE_HOME=$WORK/state\ncd project\n", "-- nothing --\n.\n"
	n := 0
	for i, block := range strings.Split(string(page), "```") {
		kind, text, _ := strings.Cut(block, "\n")
		switch name, isFile := strings.CutPrefix(kind, "file "); {
		case i%2 == 0:
		case isFile:
			files += "-- project/" + name + " --\n" + text
		case kind == "console":
			for line := range strings.Lines(text) {
				if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "$ ") {
					n++
					files += fmt.Sprintf("-- step%d.sh --\n%s\n", n, line[2:])
					script += fmt.Sprintf("ttyin -stdin $WORK/nothing\nran sh $WORK/step%d.sh\n", n)
				} else {
					script += fmt.Sprintf("printed '%s'\n", strings.ReplaceAll(line, "'", "''"))
				}
			}
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "evidence.txtar"), []byte(script+files), 0o644); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			for _, kv := range []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.c", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.c"} {
				name, value, _ := strings.Cut(kv, "=")
				env.Setenv(name, value)
			}
			return setup(env, quickPath(t))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"ran": func(ts *testscript.TestScript, _ bool, args []string) {
				_ = ts.Exec(args[0], args[1:]...) // what it prints is looked at, also of a refusal
			},
			"printed": func(ts *testscript.TestScript, _ bool, args []string) {
				all := ts.ReadFile("stdout") + ts.ReadFile("stderr") + ts.ReadFile("ttyout")
				if !strings.Contains(all, args[0]) {
					ts.Fatalf("it does not print %q but\n%s", args[0], all)
				}
			},
		},
	})
	if n < 10 {
		t.Errorf("the page has %d commands", n)
	}
}
