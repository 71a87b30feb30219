package watch

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// A faulty source is the system's, and can lose events, break, and run out of watches.
type faulty struct {
	system
	events chan fsnotify.Event
	errs   chan error

	mu    sync.Mutex
	deaf  bool   // events are lost
	room  int    // watches that may still be added
	base  string // the folder that was added first
	first error
}

func (f *faulty) open() (source, error) {
	if f.first != nil {
		return nil, f.first
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.system, f.events, f.errs = system{w}, make(chan fsnotify.Event), make(chan error)
	go func(events chan fsnotify.Event, errs chan error) {
		defer close(events)
		defer close(errs)
		for ev := range w.Events {
			f.mu.Lock()
			deaf := f.deaf
			f.mu.Unlock()
			if !deaf {
				events <- ev
			}
		}
	}(f.events, f.errs)
	return f, nil
}

func (f *faulty) Add(folder string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.base == "" {
		f.base = folder
	}
	if f.room--; f.room < 0 {
		return fmt.Errorf("add a watch: %w", syscall.ENOSPC)
	}
	return f.system.Add(folder)
}

func (f *faulty) channels() (<-chan fsnotify.Event, <-chan error) { return f.events, f.errs }

// fail reports an error, as the system does.
func (f *faulty) fail(err error) {
	f.mu.Lock()
	errs := f.errs
	f.mu.Unlock()
	errs <- err
}

func (f *faulty) set(deaf bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deaf = deaf
}

func needEvents(t *testing.T) {
	t.Helper()
	if err := eventsMissing(t.TempDir()); err != nil {
		t.Skip(err)
	}
}

func TestRescanWhenEventsAreLost(t *testing.T) {
	needEvents(t)
	src := &faulty{room: 1000}
	w := start(t, t.TempDir(), quick(false), src.open)
	defer w.close()
	w.write("a/x", "before")
	w.probe()

	src.set(true)
	w.write("b/c/new", "lost")
	w.rename("a", "d")
	w.mkdir("a")
	src.fail(fsnotify.ErrEventOverflow)
	for !w.rescan {
		w.next("Rescan, as events were lost")
	}
	src.set(false)
	w.rescan = false
	w.probe() // the folders whose events were lost are watched
}

func TestTooManyCollectedPathsCountAsLostEvents(t *testing.T) {
	p := &pump{opt: Options{}.withDefaults(), ready: make(chan struct{}, 1)}
	for i := range maxPaths + 1 {
		p.put(fmt.Sprint(i), fsnotify.Write, nil)
	}
	if got := p.take(); !got.lost || got.ops != nil {
		t.Errorf("after %d paths: lost %t, and %d paths", maxPaths+1, got.lost, len(got.ops))
	}
	p.put("a", fsnotify.Create, nil)
	p.put("a", fsnotify.Write, nil)
	if got := p.take(); got.lost || len(got.ops) != 1 || got.ops["a"] != fsnotify.Create|fsnotify.Write {
		t.Errorf("then it took %+v", got)
	}
}

func TestPollsAndSaysWhyWhenThereAreNoEvents(t *testing.T) {
	needEvents(t)
	fill := func(w *world) {
		for i := range 10 {
			w.write(fmt.Sprintf("d%d/f", i), "before")
		}
	}
	t.Run("no room for the watches", func(t *testing.T) {
		src := &faulty{room: 5}
		made := &world{judge: t, root: t.TempDir()}
		fill(made)
		w := start(t, made.root, quick(false), func() (source, error) { return src.open() })
		defer w.close()
		w.saysPolling(syscall.ENOSPC)
		w.probe()
	})
	t.Run("no events at all", func(t *testing.T) {
		src := &faulty{first: syscall.EMFILE}
		w := start(t, t.TempDir(), quick(false), src.open)
		defer w.close()
		w.saysPolling(syscall.EMFILE)
		w.write("a/b", "")
		w.probe()
	})
	t.Run("no room for new folders", func(t *testing.T) {
		src := &faulty{room: 5}
		w := start(t, t.TempDir(), quick(false), src.open)
		defer w.close()
		if w.polling {
			t.Fatal("it polls at once")
		}
		fill(w)
		w.ready <- await(t, w.ready, "Ready once more")
		w.saysPolling(syscall.ENOSPC)
		for !w.rescan {
			w.next("Rescan, as it polls from now on")
		}
		w.probe()
	})
	t.Run("the source breaks", func(t *testing.T) {
		src := &faulty{room: 1000}
		w := start(t, t.TempDir(), quick(false), src.open)
		defer w.close()
		fill(w)
		w.probe()
		src.fail(syscall.EIO)
		w.ready <- await(t, w.ready, "Ready once more")
		w.saysPolling(syscall.EIO)
		for !w.rescan {
			w.next("Rescan, as it polls from now on")
		}
		w.probe()
	})
}

func TestOutdatedEventsAndHarmlessErrorsChangeNothing(t *testing.T) {
	needEvents(t)
	src := &faulty{room: 1000}
	root := t.TempDir()
	made := &world{judge: t, root: root}
	made.write("a/b/c", "")
	w := start(t, root, quick(false), src.open)
	defer w.close()
	for _, op := range []fsnotify.Op{fsnotify.Remove, fsnotify.Rename, fsnotify.Create, fsnotify.Write, fsnotify.Chmod} {
		for _, path := range []string{"a", "a/b", "a/b/c", "gone", "gone/too", "a/b/c/d"} {
			src.events <- fsnotify.Event{Name: filepath.Join(src.base, filepath.FromSlash(path)), Op: op}
		}
		w.probe()
	}
	if runtime.GOOS == "linux" {
		src.fail(fmt.Errorf("remove a watch: %w", syscall.EINVAL))
		w.probe()
	}
	if len(w.ready) > 0 {
		t.Errorf("it polls: %+v", <-w.ready)
	}
}

// saysPolling fails unless the last call of Ready said that it polls because of why.
func (w *world) saysPolling(why error) {
	w.Helper()
	last := w.last
	select {
	case last = <-w.ready:
	default:
	}
	if !last.polling || !errors.Is(last.why, why) || !strings.HasPrefix(last.why.Error(), "events of files: ") {
		w.Errorf("Ready(%t, %v), want true and %v", last.polling, last.why, why)
	}
	w.polling = last.polling
}

// On systems where each watched file takes a descriptor.
func TestEventsAreRefusedForTooManyFiles(t *testing.T) {
	needEvents(t)
	made := &world{judge: t, root: t.TempDir()}
	files("a/1", "a/2", "b/c/3")(made) // a, b and c count too
	for most, want := range map[int]bool{5: false, 6: true, 0: true} {
		e := &events{root: made.root, opt: Options{}.withDefaults(), maxFiles: most}
		err := e.start(t.Context())
		if got := err == nil; got != want {
			t.Errorf("with room for %d: %v", most, err)
		}
		if err == nil {
			e.drop(e.top.find("a"))
			if most > 0 && e.files != 4 {
				t.Errorf("%d files are watched after a went, want 4", e.files)
			}
		}
		e.stop()
	}
}
