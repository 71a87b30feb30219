package jail_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"arbor/engine/env/jail"
)

const secret = "the secret of the outside"

// world makes a folder with a root, a trash and files outside, to which links of the root lead.
func world(t testing.TB) (r *jail.Root, dir string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("root/a.txt", "one\ntwo\nthree\n")
	write("root/sub/b.txt", "in sub\n")
	write("root/.git/config", "[core]\n")
	write("outside/secret.txt", secret)
	write("root-sibling/secret.txt", secret)
	for name, to := range map[string]string{
		"out": "../outside", "abs": filepath.Join(dir, "outside"), "file": "../outside/secret.txt", "gone": "../outside/new.txt",
		"inner": "sub", "proc": "/proc/self/root", "loop": "loop", "git": ".git", "sub/up": "../..",
	} {
		if err := os.Symlink(to, filepath.Join(dir, "root", name)); err != nil {
			t.Skip("links cannot be made here: ", err)
		}
	}
	return open(t, dir), dir
}

func open(t testing.TB, dir string) *jail.Root {
	t.Helper()
	r, err := jail.Open(filepath.Join(dir, "root"), options(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func options(dir string) jail.Options {
	return jail.Options{Trash: filepath.Join(dir, "trash"), Protected: func(rel string) string {
		if rel == ".git" || strings.HasPrefix(rel, ".git/") {
			return "it is git's"
		}
		return ""
	}}
}

func codeOf(err error) string {
	if e, ok := errors.AsType[*jail.Error](err); ok {
		return e.Code
	}
	if err != nil {
		return "error"
	}
	return ""
}

// calls are the tools, each at one path; they return what they read.
var calls = map[string]func(context.Context, *jail.Root, string) (string, error){
	"read": func(ctx context.Context, r *jail.Root, p string) (string, error) {
		text, err := r.Read(ctx, p, 0, 0)
		if err != nil {
			return "", err
		}
		return text.Text, nil
	},
	"list": func(ctx context.Context, r *jail.Root, p string) (string, error) {
		l, err := r.List(ctx, p, 3)
		if err != nil {
			return "", err
		}
		var all strings.Builder
		for _, e := range l.Entries {
			all.WriteString(e.Path + "\n")
		}
		return all.String(), nil
	},
	"search": func(ctx context.Context, r *jail.Root, p string) (string, error) {
		found, err := r.Search(ctx, jail.Query{Pattern: "secret", Path: p})
		if err != nil || len(found.Hits) == 0 {
			return "", err
		}
		return found.Hits[0].Text, nil
	},
	"write": func(ctx context.Context, r *jail.Root, p string) (string, error) {
		c, err := r.PlanWrite(p, "written")
		if err == nil {
			_, err = r.Apply(ctx, c)
			return string(c.Before), err
		}
		return "", err
	},
	"edit": func(ctx context.Context, r *jail.Root, p string) (string, error) {
		c, err := r.PlanEdit(p, "secret", "written")
		if err == nil {
			_, err = r.Apply(ctx, c)
			return string(c.Before), err
		}
		return "", err
	},
	"delete": func(ctx context.Context, r *jail.Root, p string) (string, error) {
		c, err := r.PlanDelete(p)
		if err == nil {
			_, err = r.Apply(ctx, c)
			return string(c.Before), err
		}
		return "", err
	},
}

// untouched fails where something outside of the root was written.
func untouched(t *testing.T, dir string) {
	t.Helper()
	want := map[string]bool{"outside/secret.txt": true, "root-sibling/secret.txt": true}
	for _, folder := range []string{"outside", "root-sibling"} {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, _ := filepath.Rel(dir, name)
			if data, err := os.ReadFile(name); err != nil || string(data) != secret || !want[filepath.ToSlash(rel)] {
				t.Errorf("%s was made or changed: %q %v", rel, data, err)
			}
			delete(want, filepath.ToSlash(rel))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range want {
		t.Errorf("%s is gone", name)
	}
}

func TestNothingLeavesTheRoot(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			r, dir := world(t)
			for _, p := range []string{
				"..", "../root-sibling/secret.txt", "a/../../outside/secret.txt", "sub/../../outside/secret.txt", filepath.Join(dir, "outside/secret.txt"),
				"/etc/passwd", "a\x00b", "out/secret.txt", "abs/secret.txt", "file", "gone", "out/new.txt", "proc/etc/passwd", "loop",
				"sub/up/outside/secret.txt", "../root-sibling", "./../outside", "sub/up", "out", "abs", "..\x00",
			} {
				if name == "list" && (p == "file" || p == "gone") {
					continue // these are no folders
				}
				got, err := call(t.Context(), r, p)
				if c := codeOf(err); c != jail.PathOutside && c != jail.InvalidParams && c != jail.FileNotFound && c != "error" || got != "" {
					t.Errorf("%q: %q, %v", p, got, err)
				}
			}
			if got, err := call(t.Context(), r, "%2e%2e/outside/secret.txt"); name != "write" && codeOf(err) != jail.FileNotFound {
				t.Errorf("a percent is no escape, but a name: %q, %v", got, err)
			}
			untouched(t, dir)
		})
	}
}

func TestWhatIsProtectedIsReadAndNotWritten(t *testing.T) {
	r, _ := world(t)
	if _, err := r.Read(t.Context(), ".git/config", 0, 0); err != nil {
		t.Error(err)
	}
	for _, p := range []string{".git/config", ".git/hooks/x", "sub/../.git/config", ".git"} {
		for _, name := range []string{"write", "edit", "delete"} {
			if _, err := calls[name](t.Context(), r, p); codeOf(err) != jail.PathProtected {
				t.Errorf("%s %s: %v", name, p, err)
			}
		}
	}
	for _, name := range []string{"write", "edit", "delete"} { // by another name
		if _, err := calls[name](t.Context(), r, "git/config"); codeOf(err) != jail.PathOutside {
			t.Errorf("%s through a link: %v", name, err)
		}
	}
}

// swapping makes root/swap a link to target and a folder with a file of that name, in turn, until end is called.
func swapping(dir, target, name string) (end func()) {
	var swaps sync.WaitGroup
	done := make(chan struct{})
	swaps.Go(func() {
		at := filepath.Join(dir, "root/swap")
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			_ = os.RemoveAll(at)
			if n%2 == 0 {
				_ = os.Symlink(filepath.FromSlash(target), at)
			} else if os.Mkdir(at, 0o777) == nil {
				_ = os.WriteFile(filepath.Join(at, name), []byte("inside"), 0o666)
			}
		}
	})
	return func() { close(done); swaps.Wait() }
}

// 100,000 paths with ARBOR_HEAVY, over every tool, while folders are swapped for links that lead out.
func TestNoPathLeavesTheRootWhileFoldersAreSwapped(t *testing.T) {
	rounds := 6000
	if os.Getenv("ARBOR_HEAVY") != "" {
		rounds = 100_000
	}
	r, dir := world(t)
	end := swapping(dir, "../outside", "secret.txt")
	parts := []string{"..", ".", "swap", "secret.txt", "sub", "a.txt", "out", "abs", "inner", "up", "new", "", "\x00", "%2e%2e", "C:", "~", "root-sibling",
		"outside", "\\..", "proc", "…", strings.Repeat("x", 300)}
	names := []string{"read", "list", "search", "write", "edit", "delete"}
	rnd := rand.New(rand.NewPCG(21, 3))
	for range rounds {
		path := make([]string, 1+rnd.IntN(5))
		for i := range path {
			path[i] = parts[rnd.IntN(len(parts))]
		}
		p := strings.Join(path, "/")
		if rnd.IntN(20) == 0 {
			p = "/" + p
		}
		if got, _ := calls[names[rnd.IntN(len(names))]](t.Context(), r, p); strings.Contains(got, secret) {
			t.Fatalf("%q reads what is outside", p)
		}
	}
	end()
	untouched(t, dir)
}

func TestTextsAreReadByLines(t *testing.T) {
	r, dir := world(t)
	text, err := r.Read(t.Context(), "a.txt", 2, 1)
	if err != nil || text.Text != "2\ttwo\n" || text.Lines != 3 || text.Cut != "more lines follow; offset 3 goes on" {
		t.Errorf("%+v, %v", text, err)
	}
	if _, err := r.Read(t.Context(), "a.txt", 9, 0); codeOf(err) != jail.InvalidParams {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "root/bin"), []byte("a\x00b"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := r.Read(t.Context(), "bin", 0, 0); err != nil || !text.Binary || text.Text != "" || text.Bytes != 3 {
		t.Errorf("%+v, %v", text, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "root/long"), []byte(strings.Repeat("é", 40_000)+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := r.Read(t.Context(), "long", 0, 0); err != nil || text.Binary || len(text.Text) > 2100 || text.Cut == "" {
		t.Errorf("%+v, %v", text, err)
	}
}

// A change keeps the mode and the ends of lines, is refused where the file is another one by now, and is taken back
// byte for byte.
func TestAChangeIsTakenBackByteForByte(t *testing.T) {
	r, dir := world(t)
	name := filepath.Join(dir, "root/dos.bat")
	was := "first\r\nsecond\r\n"
	if err := errors.Join(os.WriteFile(name, []byte(was), 0o666), os.Chmod(name, 0o750)); err != nil {
		t.Fatal(err)
	}
	c, err := r.PlanEdit("dos.bat", "first\nsecond", "first\nmiddle\nsecond")
	if err != nil {
		t.Fatal(err)
	}
	stale, err := r.PlanWrite("dos.bat", "other")
	if err != nil {
		t.Fatal(err)
	}
	id, err := r.Apply(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if data, _ := os.ReadFile(name); string(data) != "first\r\nmiddle\r\nsecond\r\n" || err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o750 {
		t.Errorf("%q %v %v", data, info.Mode(), err)
	}
	if _, err := r.Apply(t.Context(), stale); codeOf(err) != jail.Conflict {
		t.Errorf("a change that was planned over another version: %v", err)
	}
	again := func(root string) (*jail.Root, error) { return jail.Open(root, options(dir)) }
	_, redo, err := undone(t.Context(), filepath.Join(dir, "trash"), id, again)
	if data, _ := os.ReadFile(name); err != nil || string(data) != was {
		t.Errorf("%q, %v", data, err)
	}
	if _, _, err := undone(t.Context(), filepath.Join(dir, "trash"), id, again); codeOf(err) != jail.Conflict {
		t.Errorf("undone twice: %v", err)
	}
	if _, _, err := undone(t.Context(), filepath.Join(dir, "trash"), redo, again); err != nil {
		t.Error(err)
	}
	if _, _, err := undone(t.Context(), filepath.Join(dir, "trash"), "../x", again); codeOf(err) != jail.InvalidParams {
		t.Error(err)
	}

	c, err = r.PlanDelete("sub/b.txt")
	if err == nil {
		id, err = r.Apply(t.Context(), c)
	}
	if _, gone := os.Stat(filepath.Join(dir, "root/sub/b.txt")); err != nil || gone == nil {
		t.Fatal(err, gone)
	}
	if _, _, err := undone(t.Context(), filepath.Join(dir, "trash"), id, again); err != nil {
		t.Error(err)
	}
	c, err = r.PlanWrite("new/folder/file.txt", "made")
	if err == nil {
		id, err = r.Apply(t.Context(), c)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "root/new/folder/file.txt")); err != nil || string(data) != "made" {
		t.Fatal(err)
	}
	if _, _, err := undone(t.Context(), filepath.Join(dir, "trash"), id, again); err != nil {
		t.Error(err)
	}
}

func TestAnEditHasOnePlace(t *testing.T) {
	r, dir := world(t)
	if err := os.WriteFile(filepath.Join(dir, "root/twice"), []byte("x\ny\nx\n  z\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for old, want := range map[string]string{"x": "lines 1, 3", "z\nq": "line 4 begins as it does", "": "old is empty", "nowhere": "{file_read} shows"} {
		if _, err := r.PlanEdit("twice", old, "n"); codeOf(err) != jail.InvalidParams || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", old, err)
		}
	}
}

// A root whose folder was moved away, with another one at its path, says so.
func TestAMovedRootIsNoticed(t *testing.T) {
	r, dir := world(t)
	if r.Moved() {
		t.Error("it was not moved")
	}
	if err := errors.Join(os.Rename(filepath.Join(dir, "root"), filepath.Join(dir, "other")), os.Mkdir(filepath.Join(dir, "root"), 0o777)); err != nil {
		t.Skip(err)
	}
	if !r.Moved() {
		t.Error("it was moved")
	}
}

// undone takes a change back, and returns the change and its id.
func undone(ctx context.Context, trash, id string, open func(string) (*jail.Root, error)) (*jail.Change, string, error) {
	r, c, err := jail.PlanUndo(trash, id, open)
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	undo, err := r.Apply(ctx, c)
	return c, undo, err
}
