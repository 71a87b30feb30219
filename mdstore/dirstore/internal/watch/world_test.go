package watch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits before it fails.
const patience = 20 * time.Second

// judge is what *testing.T and *rapid.T have in common.
type judge interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// A world is a watched folder, with the names that Watch gave.
type world struct {
	judge
	root    string
	polling bool

	batches chan Batch
	ready   chan readied
	early   chan string
	stop    context.CancelFunc
	done    chan error

	named  map[string]bool // since forget
	rescan bool
	count  int
	open   *os.File // a file that a habit left open
	last   readied
}

type readied struct {
	polling bool
	why     error
}

// quick returns options with short times.
func quick(polling bool) Options {
	return Options{polling: polling, settling: settling{quiet: time.Millisecond, most: 10 * time.Millisecond}, poll: 2 * time.Millisecond}
}

// start watches root, and returns when every change is seen. close must be called.
func start(j judge, root string, opt Options, open opener) *world {
	j.Helper()
	w := launch(j, root, opt, open)
	w.last = w.awaitReady()
	w.polling = w.last.polling
	return w
}

// launch begins to watch root.
func launch(j judge, root string, opt Options, open opener) *world {
	j.Helper()
	w := &world{judge: j, root: root, batches: make(chan Batch, 1<<16), ready: make(chan readied, 8), early: make(chan string, 1<<10),
		done: make(chan error, 1), named: map[string]bool{}}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	opt.open = open
	opt.Ready = func(polling bool, why error) { w.ready <- readied{polling, why} }
	opt.Early = func(path string) {
		select {
		case w.early <- path:
		default: // the test does not look at it
		}
	}
	go func() { w.done <- Watch(ctx, root, opt, func(b Batch) { w.batches <- b }) }()
	return w
}

// begin is start for a test that needs events, or polling.
func begin(t *testing.T, root string, polling bool) *world {
	t.Helper()
	return beginAs(t, root, quick(polling))
}

// beginAs is begin with other options.
func beginAs(t *testing.T, root string, opt Options) *world {
	t.Helper()
	w := start(t, root, opt, openSystem)
	if w.polling && !opt.polling {
		w.close()
		t.Skip("no events on this system")
	}
	t.Cleanup(w.close)
	w.sync() // the first look is a special one
	w.forget()
	return w
}

func (w *world) close() {
	w.Helper()
	w.stop()
	if err := await(w, w.done, "Watch to return"); !errors.Is(err, context.Canceled) {
		w.Errorf("Watch returned %v, want the context's error", err)
	}
}

func await[T any](j judge, c <-chan T, what string) T {
	j.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case v := <-c:
		return v
	case <-late.C:
		buf := make([]byte, 1<<20)
		j.Fatalf("waited in vain for %s\n%s", what, buf[:runtime.Stack(buf, true)])
		panic("unreachable")
	}
}

func (w *world) awaitReady() readied {
	w.Helper()
	select { // an error comes before patience ends
	case r := <-w.ready:
		return r
	case err := <-w.done:
		w.Fatalf("Watch(%s): %v", w.root, err)
		panic("unreachable")
	case <-time.After(patience):
		w.Fatalf("waited in vain for Ready")
		panic("unreachable")
	}
}

// next takes one batch, and fails if it breaks a promise of Batch.
func (w *world) next(what string) (rescan bool) {
	w.Helper()
	b := await(w, w.batches, what)
	if b.Rescan != (len(b.Paths) == 0) {
		w.Errorf("a batch with %d paths and Rescan %t", len(b.Paths), b.Rescan)
	}
	if !slices.IsSorted(b.Paths) || len(slices.Compact(slices.Clone(b.Paths))) != len(b.Paths) {
		w.Errorf("a batch is not sorted, or not without doubles: %q", b.Paths)
	}
	for _, p := range b.Paths {
		if !fs.ValidPath(p) || p == "." {
			w.Errorf("a batch names %q", p)
		}
		w.named[p] = true
	}
	w.rescan = w.rescan || b.Rescan
	return b.Rescan
}

// forget forgets the batches so far.
func (w *world) forget() {
	for {
		select {
		case <-w.batches:
		default:
			clear(w.named)
			w.rescan = false
			return
		}
	}
}

// sync returns when events have named all that was done before: it makes a file in the root,
// which is named last. Polling may need another look for files whose times did not change.
func (w *world) sync() {
	w.Helper()
	for name := ""; !w.named[name]; {
		if rescan := name != "" && w.next(name+", after "+w.says()); rescan || name == "" { // it is unknown whether the file is covered
			w.count++
			name = fmt.Sprintf("sync-%d", w.count)
			w.write(name, "")
		}
	}
}

func (w *world) says() string {
	return fmt.Sprintf("%q, rescan %t", slices.Sorted(maps.Keys(w.named)), w.rescan)
}

// wants fails unless the paths were named: by events before sync returned, by polling at last.
func (w *world) wants(covered func() (missing string)) {
	w.Helper()
	for missing := covered(); missing != ""; missing = covered() {
		if !w.polling {
			w.Fatalf("%s was not named, only %s", missing, w.says())
		}
		w.next(missing + ", after " + w.says())
	}
}

// covers is for wants: it returns a path that was not named.
func (w *world) covers(paths ...string) func() string {
	return func() string {
		for _, p := range paths {
			if !w.named[p] && !w.rescan {
				return p
			}
		}
		return ""
	}
}

// waitFor waits until all paths are named.
func (w *world) waitFor(paths ...string) {
	w.Helper()
	covered := w.covers(paths...)
	for missing := covered(); missing != ""; missing = covered() {
		w.next(missing + ", after " + w.says())
	}
}

// probe fails unless every folder is watched: it writes a file into each, and wants all of them.
func (w *world) probe() {
	w.Helper()
	w.sync()
	w.forget()
	var paths []string
	for p, c := range snapshot(w.root) {
		if c == "folder" {
			paths = append(paths, p+"/probe")
		}
	}
	w.count++
	for _, p := range paths {
		w.write(p, fmt.Sprint(w.count))
	}
	w.sync()
	w.wants(w.covers(paths...))
	if n, ok := kernelWatches(); ok && !w.polling && n != len(paths)+1 {
		w.Errorf("the system has %d watches for %d folders", n, len(paths)+1)
	}
	for _, p := range paths {
		w.remove(p)
	}
	w.sync()
	w.forget()
}

func (w *world) path(rel string) string { return filepath.Join(w.root, filepath.FromSlash(rel)) }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("%v", err)
	}
}

// write creates a file with its folders, or overwrites it in place.
func (w *world) write(rel, text string) {
	w.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.path(rel)), 0o755))
	w.must(os.WriteFile(w.path(rel), []byte(text), 0o644))
}

func (w *world) mkdir(rel string)       { w.Helper(); w.must(os.MkdirAll(w.path(rel), 0o755)) }
func (w *world) rename(from, to string) { w.Helper(); w.must(os.Rename(w.path(from), w.path(to))) }
func (w *world) remove(rel string)      { w.Helper(); w.must(os.RemoveAll(w.path(rel))) }

// snapshot returns all that is below root: "folder", or the content of a file.
func snapshot(root string) map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, p)
		switch {
		case err != nil || rel == ".":
		case d.IsDir():
			all[filepath.ToSlash(rel)] = "folder"
		case d.Type()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			all[filepath.ToSlash(rel)] = "link to " + to
		default:
			b, _ := os.ReadFile(p)
			all[filepath.ToSlash(rel)] = "file " + string(b)
		}
		return nil
	})
	return all
}

// differences is for wants: what came or changed must be named, and what went or a folder
// above it. The keys are relative to the folder under.
func (w *world) differences(under string, before, after map[string]string) func() string {
	return func() string {
		if w.rescan {
			return ""
		}
		for p, c := range after {
			if before[p] != c && !w.named[path.Join(under, p)] {
				return path.Join(under, p)
			}
		}
	gone:
		for p := range before {
			if _, still := after[p]; still {
				continue
			}
			for up := path.Join(under, p); up != ""; up = parentOf(up) {
				if w.named[up] {
					continue gone
				}
			}
			return p
		}
		return ""
	}
}

// kernelWatches counts the watches of this process, if the system says.
func kernelWatches() (n int, ok bool) {
	fds, err := os.ReadDir("/proc/self/fdinfo")
	if err != nil {
		return 0, false
	}
	for _, fd := range fds {
		b, _ := os.ReadFile("/proc/self/fdinfo/" + fd.Name())
		for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
			if strings.HasPrefix(s.Text(), "inotify wd:") {
				n++
			}
		}
	}
	return n, runtime.GOOS == "linux"
}

// both runs a test with events and with polling.
func both(t *testing.T, f func(t *testing.T, polling bool)) {
	for _, polling := range []bool{false, true} {
		t.Run(variant(polling), func(t *testing.T) { f(t, polling) })
	}
}

func variant(polling bool) string {
	if polling {
		return "polling"
	}
	return "events"
}
