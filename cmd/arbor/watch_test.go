//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A watcher is a running arbor watch.
type watcher struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout io.ReadCloser
	out    *bufio.Reader
	err    *bufio.Reader
}

// watch starts arbor watch in a project and waits until it watches.
func watch(t *testing.T, dir string, args ...string) *watcher {
	t.Helper()
	cmd := exec.Command("arbor", append([]string{"-C", dir, "watch"}, args...)...)
	cmd.Env = append(os.Environ(), "TZ=UTC", "LANG=C.UTF-8", "LC_ALL=")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }) // what waits for a line fails then
	t.Cleanup(func() {
		late.Stop()
		cmd.Process.Kill()
		cmd.Wait()
	})
	w := &watcher{t, cmd, stdout, bufio.NewReader(stdout), bufio.NewReader(stderr)}
	return w
}

// says wants the next line of a stream to match.
func (w *watcher) says(r *bufio.Reader, want string) string {
	w.t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		rest, _ := io.ReadAll(w.err)
		w.t.Fatalf("no line %q: %v\n%s%s", want, err, line, rest)
	}
	if !regexp.MustCompile("^" + want + "\n$").MatchString(line) {
		w.t.Errorf("it says\n %q, want\n %q", line, want)
	}
	return line
}

// ends wants the program to end well and to have said nothing more.
func (w *watcher) ends() {
	w.t.Helper()
	out, _ := io.ReadAll(w.out)
	errs, _ := io.ReadAll(w.err)
	if err := w.cmd.Wait(); err != nil || len(out)+len(errs) > 0 {
		w.t.Errorf("it ends with %v and says %q and %q", err, out, errs)
	}
}

// project makes a project with a workspace and a node, and returns its folder and the node's file.
func project(t *testing.T) (dir, file string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "Login", "--goal", "x"}, {"add", "Sign in", "-m", "x"}} {
		if out, err := exec.Command("arbor", append([]string{"-C", dir, "-q"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, ".tanmi-workspace", "ws-*", "nodes", "node-*", "Node.md"))
	if err != nil || len(found) != 1 {
		t.Fatalf("nodes %q, %v", found, err)
	}
	return dir, found[0]
}

// save changes a file as many editors do: beside it, and renamed over it.
func save(t *testing.T, file, old, new string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q", file, old)
	}
	if err := os.WriteFile(file+".tmp", []byte(strings.Replace(string(data), old, new, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".tmp", file); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := exec.Command("arbor", append([]string{"-C", dir, "-q"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("arbor %q: %v\n%s", args, err, out)
	}
}

// What people save and what other commands do is printed as it happens, with what is wrong since then; signals end it
// well.
func TestWatch(t *testing.T) {
	t.Parallel()
	const when = `[0-9]{2}:[0-9]{2}:[0-9]{2} `
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir, file := project(t)
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			t.Fatal(err)
		}
		at := regexp.QuoteMeta(rel)
		id := filepath.Base(filepath.Dir(file))
		node := id[len(id)-6:]
		w := watch(t, dir)
		w.says(w.err, `watching 1 workspace with 2 nodes in \.tanmi-workspace; Ctrl-C ends it`)
		save(t, file, "status: pending", "status: done")
		w.says(w.out, when+"changed "+node+" Sign in: status pending → done  "+at)
		w.says(w.out, at+`:5:9: STATUS_INVALID: status is "done"; .*`)
		save(t, file, "status: done", "status: pending")
		w.says(w.out, when+"changed "+node+" Sign in: status done → pending  "+at)
		w.says(w.out, "mended "+at+`:5:9: STATUS_INVALID: status is "done"; .*`)
		run(t, dir, "log", node, "Hello, all of you")
		w.says(w.out, when+"changed "+node+` Sign in: Log \+1 "Human: Hello, all of you"  `+at)
		if err := os.Rename(filepath.Join(dir, ".tanmi-workspace"), filepath.Join(dir, "aside")); err != nil {
			t.Fatal(err)
		}
		w.says(w.err, "the vault was moved or deleted; waiting for it to come back")
		if err := os.Rename(filepath.Join(dir, "aside"), filepath.Join(dir, ".tanmi-workspace")); err != nil {
			t.Fatal(err)
		}
		w.says(w.err, "the vault is back")
		if sig == syscall.SIGTERM { // another folder in its place
			if err := os.Rename(filepath.Join(dir, ".tanmi-workspace"), filepath.Join(dir, "aside")); err != nil {
				t.Fatal(err)
			}
			w.says(w.err, "the vault was moved or deleted; waiting for it to come back")
			if err := os.CopyFS(filepath.Join(dir, ".tanmi-workspace"), os.DirFS(filepath.Join(dir, "aside"))); err != nil {
				t.Fatal(err)
			}
			w.says(w.err, "the vault is back")
			save(t, file, "status: pending", "status: implementing")
			w.says(w.out, when+"changed "+node+" Sign in: status pending → implementing  "+at)
		}
		if err := w.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		w.ends()
	}
}

// With --json each change is a document of one line.
func TestWatchJSON(t *testing.T) {
	t.Parallel()
	dir, file := project(t)
	w := watch(t, dir, "Login", "--json")
	node := filepath.Base(filepath.Dir(file))
	var line string
	saved := make(chan struct{})
	go func() { // nothing says when it watches: it is told again until it does
		defer close(saved)
		line, _ = w.out.ReadString('\n')
	}()
	for old, new := "pending", "done"; ; old, new = new, old {
		save(t, file, "status: "+old, "status: "+new)
		select {
		case <-saved:
		case <-time.After(time.Second):
			continue
		}
		break
	}
	var doc struct {
		Time                      int64 // Unix milliseconds
		WorkspaceID, NodeID, Kind string
		Title, Path               string
		Fields                    []struct{ Key, From, To string }
		Sections                  []any
		Diagnostics, Mended       []struct {
			File, Code string
			Line, Col  int
		}
	}
	dec := json.NewDecoder(strings.NewReader(line))
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if doc.Time == 0 || doc.WorkspaceID == "" || doc.NodeID != node || doc.Kind != "changed" || doc.Title != "Sign in" || doc.Path != file ||
		len(doc.Fields) != 1 || doc.Fields[0].Key != "status" || len(doc.Sections) != 0 || len(doc.Diagnostics)+len(doc.Mended) != 1 {
		t.Errorf("it prints %s", line)
	}
	for _, d := range append(doc.Diagnostics, doc.Mended...) {
		if d.File != file || d.Code != "STATUS_INVALID" || d.Line != 5 {
			t.Errorf("the diagnostic is %+v", d)
		}
	}
}

// Watching writes nothing.
func TestWatchWritesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(shipped, "field-notes"))); err != nil {
		t.Fatal(err)
	}
	names := func() string {
		var all []string
		if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			all = append(all, fmt.Sprint(path, info.Mode(), info.ModTime()))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return strings.Join(all, "\n")
	}
	before := names()
	w := watch(t, dir, "--no-color")
	w.says(w.err, "watching .*")
	if err := w.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, w.err) // it may know of diagnostics
	if err := w.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if after := names(); after != before {
		t.Errorf("the vault was\n%s\nand is\n%s", before, after)
	}
}

// A pipe whose reader is gone ends it well, with the next line.
func TestWatchUnread(t *testing.T) {
	dir, file := project(t)
	w := watch(t, dir)
	w.says(w.err, "watching .*")
	if err := w.stdout.Close(); err != nil {
		t.Fatal(err)
	}
	save(t, file, "status: pending", "status: implementing")
	errs, _ := io.ReadAll(w.err)
	if err := w.cmd.Wait(); err != nil || len(errs) > 0 {
		t.Errorf("it ends with %v and says %q", err, errs)
	}
}
