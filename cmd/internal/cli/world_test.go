package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// A world is a command line over a vault in memory, unless ARBOR_TEST_STORE says otherwise.
type world struct {
	t      *testing.T
	engine *engine.Engine
	store  enginetest.Vault
	env    map[string]string
	term   terminal
	stdin  string
	dir    string
	more   []Command
}

// newWorld returns a vault with one workspace: Login, with the nodes Backend, 登录接口 and "Sign-in page".
func newWorld(t *testing.T) *world {
	t.Helper()
	now := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	ids := 0
	st, opt := enginetest.NewVault(t, "memory", nil)
	opt.Now = func() time.Time { now = now.Add(time.Second); return now }
	opt.NewID = func(prefix string) (mdstore.ID, error) {
		ids++
		if ids > 'z'-'a' {
			return mdstore.ID(prefix + "-" + strconv.Itoa(ids)), nil
		}
		return mdstore.ID(prefix + "-" + string(rune('a'+ids-1))), nil
	}
	e, err := engine.Open(t.Context(), st, opt)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, engine: e, store: st, env: map[string]string{"LANG": "C.UTF-8"}, dir: t.TempDir()}
	w.ok("init", "Login", "--goal", "Users sign in")                           // ws-a
	w.ok("add", "Backend", "--type", "planning", "-m", "All on the server")    // node-b
	w.ok("add", "登录接口", "--parent", "Backend", "-m", "POST /sign-in")          // node-c
	w.ok("add", "Sign-in page", "--parent", "Backend", "-m", "A form, 中文 too") // node-d
	return w
}

func (w *world) Find(Lookup) (Found, error) { return Found{Exists: true, Why: "a test"}, nil }

func (w *world) Open(context.Context, Lookup, Mode) (*Vault, error) {
	return &Vault{Engine: w.engine}, nil
}

// run runs a command line and returns what it printed and its exit code.
func (w *world) run(args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	return w.runIn(w.t.Context(), strings.NewReader(w.stdin), args...)
}

func (w *world) runIn(ctx context.Context, stdin io.Reader, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	sys := &System{
		Args: args, Stdin: stdin, Stdout: &out, Stderr: &errs, Dir: w.dir, Vaults: w, More: w.more,
		Getenv: func(key string) string { return w.env[key] },
	}
	code = run(ctx, sys, w.term)
	return out.String(), errs.String(), code
}

// ok runs a command line that succeeds and returns what it printed.
func (w *world) ok(args ...string) string {
	w.t.Helper()
	stdout, stderr, code := w.run(args...)
	if code != exitOK {
		w.t.Fatalf("arbor %s\nexit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// fails runs a command line that must end with the exit code, and returns its stderr.
func (w *world) fails(code int, args ...string) string {
	w.t.Helper()
	stdout, stderr, got := w.run(args...)
	if got != code {
		w.t.Fatalf("arbor %s\nexit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, stdout, stderr)
	}
	return stderr
}

func (w *world) editor(script string) {
	w.t.Helper()
	name := filepath.Join(w.dir, "editor.sh")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script), 0o777); err != nil {
		w.t.Fatal(err)
	}
	w.env["EDITOR"] = "sh " + name
}

func contains(t *testing.T, what, got string, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(got, s) {
			t.Errorf("%s\n got %q\nwant %q in it", what, got, s)
		}
	}
}
