package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expectations in the scripts")

const (
	scripts = "../../testdata/script"
	shipped = "../../testdata/vault"
)

func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=0") // under the race detector each process would sleep a second as it ends
	}
	testscript.Main(tests{m}, map[string]func(){"arbor": main})
}

// tests are the tests of this package, and what is left to do when they have ended.
type tests struct{ *testing.M }

func (t tests) Run() int {
	defer removeShipped()
	return t.M.Run()
}

// watched are the folders of scripts whose programs the race detector watches if it watches the tests: every command,
// and the programs that last.
var watched = []string{"vault", "mcp", "serve", "watch"}

// TestScript runs every script below testdata/script: the real program, one process for each command, on real files.
func TestScript(t *testing.T) {
	folders, err := os.ReadDir(scripts)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range folders {
		dir := filepath.Join(scripts, f.Name())
		files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Errorf("%s holds no script", dir)
			continue
		}
		found += len(files)
		t.Run(f.Name(), func(t *testing.T) {
			t.Parallel()
			path := os.Getenv("PATH")
			if !slices.Contains(watched, f.Name()) {
				path = quickPath(t)
			}
			testscript.Run(t, testscript.Params{
				Dir: dir, UpdateScripts: *update, RequireUniqueNames: true, RequireExplicitExec: true,
				Setup: func(env *testscript.Env) error { return setup(env, path) }, Cmds: commands,
			})
		})
	}
	if found == 0 {
		t.Fatalf("no script below %s", scripts)
	}
}

// setup keeps the machine's own settings out of the scripts.
func setup(env *testscript.Env, path string) error {
	env.Setenv("PATH", path)
	for _, kv := range []string{
		"LANG=C.UTF-8", "LC_ALL=", "LC_CTYPE=", "TERM=xterm", "NO_COLOR=", "CLICOLOR_FORCE=",
		"ARBOR_VAULT=", "ARBOR_USER=", "ARBOR_SESSION=", "ARBOR_OPERATOR=", "VISUAL=", "EDITOR=", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
	} {
		name, value, _ := strings.Cut(kv, "=")
		env.Setenv(name, value)
	}
	env.Setenv("GORACE", os.Getenv("GORACE"))
	env.Values[sumKey{}] = map[string]string{}
	env.Values[idKey{}] = map[string]string{}
	return nil
}

var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exit":      exit,
	"keep":      keep,
	"vault":     vault,
	"sum":       sum,
	"unchanged": unchanged,
	"lines":     lines,
	"gitdiff":   gitdiff,
	"name":      name,
}

// name VAR FILE sets a variable to the only line of a file, or of stdout.
func name(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: name VAR FILE")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[1])))
}

// exit N COMMAND... runs arbor and wants that exit code. What it printed is there for stdout, stderr and cmp.
func exit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit N command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		got = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", strings.Join(args[1:], " "), err)
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// keep NAME sets a variable to what the last command printed, without spaces around it.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: keep NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// vault NAME copies a vault of testdata/vault, with the project around it, into the working directory.
func vault(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: vault NAME")
	}
	ts.Check(os.CopyFS(ts.MkAbs("."), os.DirFS(filepath.Join(shipped, args[0]))))
}

type sumKey struct{}

// sum DIR... notes what is in folders, to the byte; unchanged DIR... wants it to be so still. What belongs to the
// machine (.local) does not count. Without DIR it is the working directory.
func sum(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! sum")
	}
	sums := ts.Value(sumKey{}).(map[string]string)
	for _, dir := range orHere(args) {
		sums[ts.MkAbs(dir)] = treeSum(ts, ts.MkAbs(dir))
	}
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	sums := ts.Value(sumKey{}).(map[string]string)
	for _, dir := range orHere(args) {
		was, ok := sums[ts.MkAbs(dir)]
		if !ok {
			ts.Fatalf("unchanged %s: no sum of it was noted", dir)
		}
		now := treeSum(ts, ts.MkAbs(dir))
		switch {
		case was == now && neg:
			ts.Fatalf("%s did not change", dir)
		case was != now && !neg:
			ts.Fatalf("%s changed:\nwas\n%snow\n%s", dir, was, now)
		}
	}
}

func orHere(args []string) []string {
	if len(args) == 0 {
		return []string{"."}
	}
	return args
}

// treeSum lists every file below dir with its mode and digest.
func treeSum(ts *testscript.TestScript, dir string) string {
	var b strings.Builder
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".local" {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		fmt.Fprintf(&b, "%s %v %x\n", rel, info.Mode(), sha256.Sum256(data))
		return err
	}))
	return b.String()
}

// lines FILE N wants a file, or stdout or stderr, to have at most N lines.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	most, err := strconv.Atoi(args[1])
	ts.Check(err)
	if n := bytes.Count([]byte(ts.ReadFile(args[0])), []byte("\n")); n > most {
		ts.Fatalf("%s has %d lines, more than %d", args[0], n, most)
	}
}
