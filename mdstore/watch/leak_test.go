package watch

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"
)

// Nothing is left behind: no goroutine, descriptor or watch, however watching ends.
func TestNothingIsLeftBehind(t *testing.T) {
	made := &world{judge: t, root: t.TempDir()}
	files("a/b/c", "d/e")(made)
	round := func(i int) {
		opt := quick(i%2 == 1)
		open := opener(openSystem)
		if i%10 == 4 { // it changes over
			src := &faulty{room: 3}
			open = src.open
		}
		ctx, stop := context.WithCancel(t.Context())
		ready := make(chan struct{}, 2)
		opt.Ready = func(bool, error) { ready <- struct{}{} }
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				if v := recover(); v != nil && v != "enough" {
					t.Errorf("panicked: %v", v)
				}
			}()
			_ = watch(ctx, made.root, opt, open, func(Batch) {
				if i%3 == 0 {
					panic("enough")
				}
			})
		}()
		await(t, ready, "Ready")
		if i%3 != 1 { // some end while there is something to tell
			made.write("a/b/c", "again")
		}
		if i%3 == 0 {
			await(t, done, "the panic")
		}
		stop()
		await(t, done, "Watch to return")
	}
	round(0) // what is made once
	round(1)
	before := left(t)
	for i := range 200 {
		round(i)
	}
	var after leftovers
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); runtime.Gosched() { // goroutines that are about to end
		after = left(t)
		if after.goroutines <= before.goroutines && after.descriptors == before.descriptors && after.watches == before.watches {
			return
		}
	}
	buf := make([]byte, 1<<20)
	t.Errorf("before %+v, after %+v\n%s", before, after, buf[:runtime.Stack(buf, true)])
}

type leftovers struct{ goroutines, descriptors, watches int }

func left(t *testing.T) (l leftovers) {
	t.Helper()
	l.goroutines = runtime.NumGoroutine()
	l.watches, _ = kernelWatches()
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		l.descriptors = len(fds)
	}
	return l
}

// An ignored folder is not watched, and what is in it is not told of.
func TestIgnore(t *testing.T) {
	both(t, func(t *testing.T, polling bool) {
		made := &world{judge: t, root: t.TempDir()}
		files(".git/refs/x", "a/.git/y", "a/Node.md", "a/other")(made)
		opt := quick(polling)
		opt.Ignore = func(path string, dir bool) bool { // all but Markdown
			base := path[len(parentOf(path)):]
			if dir {
				return base == ".git" || base == "/.git"
			}
			return len(base) < 3 || base[len(base)-3:] != ".md"
		}
		w := start(t, made.root, opt, openSystem)
		defer w.close()
		if w.polling && !polling {
			t.Skip("no events on this system")
		}
		if n, ok := kernelWatches(); ok && !polling && n != 2 {
			t.Errorf("%d watches, want those of the root and a", n)
		}
		files(".git/refs/x", ".git/refs/new/z", "a/other", "a/another", "b/.git/z", "b/c/other")(w)
		w.rename("a/other", "a/plain")
		w.remove("b/.git/z")
		files("a/Node.md", "b/c/Node.md", "z.md")(w)
		w.waitFor("z.md", "a/Node.md", "b", "b/c", "b/c/Node.md")
		w.rename("b/.git", "b/kept") // a folder that was ignored, and is not by its new name
		w.write("b/kept/x.md", "")
		w.waitFor("b/kept", "b/kept/x.md")
		for p := range w.told {
			switch p {
			case "a", "b", "b/c", "b/kept", "a/Node.md", "b/c/Node.md", "z.md", "b/kept/x.md":
			case "a/other", "b/.git": // of what has gone nobody knows what it was
			default:
				t.Errorf("told of %s", p)
			}
		}
	})
}

// waitFor waits until all are named.
func (w *world) waitFor(paths ...string) {
	w.Helper()
	covered := w.covers(paths...)
	for missing := covered(); missing != ""; missing = covered() {
		w.next(missing + ", after " + w.says())
	}
}
