package watch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A habit is something that people, editors and programs do to files.
type habit struct {
	name   string
	before func(w *world)   // makes the files that are there when watching begins
	do     []func(w *world) // each is named before the next
	want   []string         // named in the end, besides all differences
}

func files(names ...string) func(w *world) {
	return func(w *world) {
		for _, n := range names {
			w.write(n, "before")
		}
	}
}

func steps(do ...func(w *world)) []func(w *world) { return do }

var habits = []habit{
	{"create", nil, steps(files("new.md")), nil},
	{"create empty", nil, steps(func(w *world) { w.write("new.md", "") }), nil},
	{"write in place", files("a/Node.md"), steps(func(w *world) { w.write("a/Node.md", "after!") }), nil},
	{"append", files("a/Node.md"), steps(func(w *world) {
		f, err := os.OpenFile(w.path("a/Node.md"), os.O_APPEND|os.O_WRONLY, 0)
		w.must(err)
		_, err = f.WriteString("more")
		w.must(err)
		w.must(f.Close())
	}), nil},
	{"write half, and the rest later", files("Node.md"), steps(
		func(w *world) { w.write("Node.md", "---\nid: ") },
		func(w *world) { w.write("Node.md", "---\nid: x\n---\n") }), nil},
	{"keep open and write again", files("Node.md"), steps(
		func(w *world) {
			var err error
			w.open, err = os.OpenFile(w.path("Node.md"), os.O_WRONLY, 0)
			w.must(err)
			_, err = w.open.WriteString("half")
			w.must(err)
		},
		func(w *world) {
			_, err := w.open.WriteString(" whole")
			w.must(err)
			w.must(w.open.Close())
		}), nil},
	{"truncate and write", files("Node.md"), steps(
		func(w *world) { w.must(os.Truncate(w.path("Node.md"), 0)) },
		func(w *world) { w.write("Node.md", "before, and after") }), nil},
	{"same size, and the time put back", files("Node.md"), steps(func(w *world) {
		info, err := os.Stat(w.path("Node.md"))
		w.must(err)
		w.write("Node.md", "BEFORE")
		w.must(os.Chtimes(w.path("Node.md"), info.ModTime(), info.ModTime()))
	}), nil},
	{"write beside and rename", files("a/Node.md"), steps(func(w *world) {
		w.write("a/.Node.md.tmp", "after")
		w.rename("a/.Node.md.tmp", "a/Node.md")
	}), nil},
	{"rename away, create, remove the old", files("a/Node.md"), steps(func(w *world) {
		w.rename("a/Node.md", "a/Node.md~")
		w.write("a/Node.md", "after")
		w.remove("a/Node.md~")
	}), nil},
	{"delete and create", files("a/Node.md"), steps(func(w *world) {
		w.remove("a/Node.md")
		w.write("a/Node.md", "after")
	}), nil},
	{"delete, and create later", files("a/Node.md"), steps(
		func(w *world) { w.remove("a/Node.md") },
		func(w *world) { w.write("a/Node.md", "before") }), []string{"a/Node.md"}},
	{"rename a file", files("a/one", "b/two"), steps(func(w *world) { w.rename("a/one", "b/three") }), []string{"a/one", "b/three"}},
	{"new folder with a file in it", files("ws/nodes/root/Node.md"), steps(files("ws/nodes/n1/Node.md")), []string{"ws/nodes/n1"}},
	{"new folders deep down", nil, steps(files("a/b/c/d/e/f", "a/b/x")), nil},
	{"new folder, filled later", nil, steps(func(w *world) { w.mkdir("a/b") }, files("a/b/c")), nil},
	{"rename a folder", files("a/x/Node.md", "b/Node.md"), steps(func(w *world) { w.rename("a", "c") }), []string{"a", "c", "c/x", "c/x/Node.md"}},
	{"rename a folder twice", files("a/x/Node.md"), steps(func(w *world) { w.rename("a", "b"); w.rename("b", "c") }), nil},
	{"rename a folder there and back", files("a/x/Node.md"), steps(func(w *world) { w.rename("a", "b"); w.rename("b", "a") }), nil},
	{"move a folder into a new one", files("a/x/Node.md", "a/y/z/Node.md"), steps(func(w *world) {
		w.mkdir("b/c")
		w.rename("a", "b/c/a")
	}), nil},
	{"move many folders into a new one", func(w *world) {
		for i := range 100 {
			w.write(fmt.Sprintf("a/n%d/sub/Node.md", i), "before")
		}
	}, steps(func(w *world) {
		w.mkdir("archive/old")
		for i := range 100 {
			w.rename(fmt.Sprintf("a/n%d", i), fmt.Sprintf("archive/old/n%d", i))
		}
	}), nil},
	{"exchange two folders", files("a/x/one", "b/y/two"), steps(func(w *world) {
		w.rename("a", "t")
		w.rename("b", "a")
		w.rename("t", "b")
	}), nil},
	{"another folder in the place of one", files("a/x/Node.md", "new/x/Node.md"), steps(func(w *world) {
		w.rename("a", "old")
		w.rename("new", "a")
		w.remove("old")
	}), []string{"a/x/Node.md"}},
	{"move a tree out", files("a/x/Node.md", "b"), steps(func(w *world) { w.must(os.Rename(w.path("a"), w.root+"-out")) }), nil},
	{"move a tree in", func(w *world) {
		w.must(os.MkdirAll(w.root+"-in/x/y", 0o755))
		w.must(os.WriteFile(w.root+"-in/x/y/Node.md", nil, 0o644))
	}, steps(func(w *world) { w.must(os.Rename(w.root+"-in", w.path("a"))) }), []string{"a/x/y/Node.md"}},
	{"move a tree out, work on it there, make it anew", files("a/x/Node.md"), steps(func(w *world) {
		w.must(os.Rename(w.path("a"), w.root+"-out"))
		w.must(os.RemoveAll(w.root + "-out/x"))
		w.must(os.MkdirAll(w.root+"-out/x", 0o755))
		w.write("a/x/Node.md", "another")
	}), nil},
	{"remove a tree", files("a/x/Node.md", "a/y/z/Node.md"), steps(func(w *world) { w.remove("a") }), []string{"a"}},
	{"remove a tree and make it again", files("a/x/Node.md", "a/y/z/Node.md"), steps(func(w *world) {
		w.remove("a")
		files("a/x/Node.md", "a/y/z/Node.md")(w)
	}), []string{"a/x/Node.md", "a/y/z/Node.md"}},
	{"a file becomes a folder", files("a"), steps(func(w *world) { w.remove("a"); w.write("a/b", "after") }), nil},
	{"a folder becomes a file", files("a/b"), steps(func(w *world) { w.remove("a"); w.write("a", "after") }), nil},
	{"hard link", files("a/one"), steps(func(w *world) { w.must(os.Link(w.path("a/one"), w.path("two"))) }), nil},
	{"names of all kinds", nil, steps(files("你好/需求.md", "a b/-", "a/b", "a-b/c", "a!/.x", "e\u0301/é")), nil},
}

func TestEveryHabitIsNamedAndEveryFolderWatchedAfterwards(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, polling bool) {
		for _, h := range habits {
			t.Run(h.name, func(t *testing.T) {
				root := filepath.Join(t.TempDir(), "root")
				made := &world{judge: t, root: root}
				made.mkdir("")
				if h.before != nil {
					h.before(made)
				}
				w := begin(t, root, polling)
				var before map[string]string
				for _, do := range h.do {
					w.forget()
					before = snapshot(root)
					do(w)
					after := snapshot(root)
					w.sync()
					w.wants(w.differences("", before, after))
				}
				w.wants(w.covers(h.want...))
				if w.rescan && !w.polling { // polling cannot always know whether the file of sync was the only change of the root
					t.Error("Rescan")
				}
				w.probe()
			})
		}
	})
}

func TestSymbolicLinksAreNamedAndNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links takes a privilege")
	}
	both(t, func(t *testing.T, polling bool) {
		dir := t.TempDir()
		outside := &world{judge: t, root: filepath.Join(dir, "outside")}
		outside.write("f", "x")
		root := filepath.Join(dir, "root")
		outside.must(os.Mkdir(root, 0o755))
		w := begin(t, root, polling)
		w.must(os.Symlink(outside.root, w.path("folder")))
		w.must(os.Symlink(outside.path("f"), w.path("file")))
		w.must(os.Symlink("nowhere", w.path("nowhere")))
		w.must(os.Symlink(".", w.path("self")))
		w.sync()
		w.wants(w.covers("folder", "file", "nowhere", "self"))
		w.forget()
		outside.write("f", "y")
		w.sync()
		if w.named["folder/f"] {
			t.Error("a link was followed")
		}
		w.remove("file")
		w.must(os.Symlink("elsewhere", w.path("file")))
		w.sync()
		w.wants(w.covers("file"))
	})
}

func TestLinksAreNamedIfOnlyFilesAreIgnored(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links takes a privilege")
	}
	both(t, func(t *testing.T, polling bool) {
		root := filepath.Join(t.TempDir(), "root")
		if err := os.Mkdir(root, 0o755); err != nil {
			t.Fatal(err)
		}
		o := quick(polling)
		o.Ignore = func(p string, dir bool) bool { return !dir && !strings.HasPrefix(p, "sync-") }
		w := beginAs(t, root, o)
		w.must(os.Symlink("nowhere", w.path("linked")))
		w.sync()
		w.wants(w.covers("linked"))
	})
}

func TestRootMayBeALinkWithATrailingSeparator(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links takes a privilege")
	}
	both(t, func(t *testing.T, polling bool) {
		dir := t.TempDir()
		for _, name := range []string{"one", "two"} {
			if err := os.MkdirAll(filepath.Join(dir, name, "sub"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		link := filepath.Join(dir, "link")
		point := func(to string) {
			t.Helper()
			_ = os.Remove(link)
			if err := os.Symlink(to, link); err != nil {
				t.Fatal(err)
			}
		}
		point("one")
		w := begin(t, link+string(filepath.Separator), polling)
		w.probe()
		point("two")
		for !w.rescan {
			w.next("Rescan, as the link leads elsewhere")
		}
		w.forget()
		w.probe()
	})
}

// With ARBOR_HEAVY set it checks thousands of files out.
func TestEveryDifferenceOfAGitCheckoutIsNamed(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	n := 200
	if os.Getenv("ARBOR_HEAVY") != "" {
		n = 5000
	}
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	made := &world{judge: t, root: root}
	commit := func(text string) {
		made.remove("ws")
		for i := range n {
			made.write(fmt.Sprintf("ws/nodes/%s-%d/Node.md", text[:i%2], i), text) // half of the folders have the same name in both
		}
		git("add", "-A")
		git("commit", "-qm", text)
	}
	git("init", "-q", "-b", "one")
	commit("1st")
	git("checkout", "-qb", "two")
	commit("2nd")
	both(t, func(t *testing.T, polling bool) {
		opt := quick(polling)
		opt.Ignore = func(path string, dir bool) bool { return path == ".git" && dir }
		w := start(t, root, opt, openSystem)
		defer w.close()
		vault := func() map[string]string { return snapshot(w.path("ws")) }
		for _, to := range []string{"one", "two"} {
			w.forget()
			before := vault()
			git("checkout", "-q", to)
			after := vault()
			w.sync()
			w.wants(w.differences("ws", before, after))
			for p := range w.named {
				if strings.HasPrefix(p, ".git") {
					t.Errorf("named %s, which is ignored", p)
				}
			}
		}
	})
}

func TestChangesAreCollectedWhileTheCallerIsBusy(t *testing.T) {
	both(t, func(t *testing.T, polling bool) {
		opt := quick(polling)
		inside, leave := make(chan Batch), make(chan struct{})
		w := &world{judge: t, root: t.TempDir()}
		ready, done := make(chan bool, 2), make(chan struct{})
		opt.Ready = func(p bool, _ error) { ready <- p }
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			defer close(done)
			_ = Watch(ctx, w.root, opt, func(b Batch) { inside <- b; <-leave })
		}()
		await(t, ready, "Ready")
		w.write("first", "")
		await(t, inside, "the first batch")
		for i := range 100 {
			w.write(fmt.Sprintf("dir/%d", i), "")
		}
		leave <- struct{}{}
		for named := map[string]bool{}; len(named) < 101; {
			b := await(t, inside, fmt.Sprintf("all files, %d of them were named", len(named)))
			for _, p := range b.Paths {
				if p != "first" {
					named[p] = true
				}
			}
			leave <- struct{}{}
		}
		stop()
		await(t, done, "Watch to return")
	})
}

func TestEarlyIsCalledBeforeChangesSettle(t *testing.T) {
	both(t, func(t *testing.T, polling bool) {
		opt := quick(polling)
		opt.quiet, opt.most = time.Hour, time.Hour
		made := &world{judge: t, root: filepath.Join(t.TempDir(), "root")}
		files("a/Node.md")(made)
		w := start(t, made.root, opt, openSystem)
		defer w.close()
		early := func(path string) {
			t.Helper()
			for await(t, w.early, "Early of "+path) != path {
			}
		}
		w.write("a/Node.md", "after")
		early("a/Node.md")
		w.write("b/c/Node.md", "")
		early("b") // and so all that is in it
		w.must(os.Rename(w.root, w.root+"-away"))
		early("")
		select {
		case b := <-w.batches:
			t.Errorf("%v was given before anything could settle", b)
		default:
		}
	})
}
