package watch

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// looks returns a function that holds what the next look names against what is wanted.
func looks(t *testing.T, p *poller) func(when string, want ...string) (rescan bool) {
	t.Helper()
	if err := p.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return func(when string, want ...string) bool {
		t.Helper()
		var n news
		if _, err := p.tick(t.Context(), &n); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(n.paths); !slices.Equal(n.paths, want) {
			t.Errorf("%s: named %q, want %q", when, n.paths, want)
		}
		return n.rescan
	}
}

// A change that comes so soon after another that the times of the file stay the same is named all the same.
func TestChangesWithinOneStepOfTheClock(t *testing.T) {
	w := &world{judge: t, root: t.TempDir()}
	files("old", "a/f")(w)
	synctest.Test(t, func(t *testing.T) { // whose clock stands in the year 2000, so that all files are as new
		look := looks(t, &poller{root: w.root, opt: Options{}.withDefaults()})
		look("at once")
		time.Sleep(racy)
		look("when the files that were there are no longer new", "a/f", "old")
		look("once only")
		files("a/f", "a/g")(w)
		look("after a change", "a/f", "a/g")
		time.Sleep(racy / 2)
		look("soon after")
		time.Sleep(racy / 2)
		look("when no further change could go unseen", "a/f", "a/g")
		time.Sleep(time.Hour)
		look("once only")
	})
}

// Whoever sets a file's time back does not hide that it was written.
func TestTimeSetBack(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no time of the last change of all is to be had")
	}
	w := &world{judge: t, root: t.TempDir()}
	w.write("a/f", "before")
	old := time.Now().Add(-time.Hour)
	w.must(os.Chtimes(w.path("a/f"), old, old))
	look := looks(t, &poller{root: w.root, opt: Options{}.withDefaults()})
	look("at once")
	w.write("a/f", "BEFORE")
	w.must(os.Chtimes(w.path("a/f"), old, old))
	look("afterwards", "a/f")
}

// Of what comes and goes between two looks its folder is named, if nothing else tells why that has changed.
func TestCameAndWent(t *testing.T) {
	w := &world{judge: t, root: t.TempDir()}
	files("a/b/f", "a/g")(w)
	old := time.Now().Add(-time.Hour)
	w.must(os.Chtimes(w.path("a/b/f"), old, old))
	w.must(os.Chtimes(w.path("a/g"), old, old))
	passing := func(name string) { w.write(name, ""); w.remove(name) }
	p := &poller{root: w.root, opt: Options{}.withDefaults()}
	p.opt.Ignore = func(path string, dir bool) bool { return path == "a/ignored" }
	look := looks(t, p)
	passing("a/x")
	w.write("a/y", "")
	look("in the first look it is named in any case", "a", "a/y")
	look("once only")
	passing("a/b/x")
	look("in later ones", "a/b")
	passing("a/x")
	w.write("a/z", "")
	look("with something else", "a/z")
	w.write("a/ignored", "")
	look("what is ignored is something else, too")
	passing("x")
	if !look("in the root") {
		t.Error("the root has changed, and nothing is to be scanned again")
	}
	w.write("x", "")
	if look("a new file in the root", "x") {
		t.Error("all is to be scanned again because of a new file")
	}
}

// What people and programs do to files is named, between looks, without that all is to be scanned again.
func TestLooksBetweenHabits(t *testing.T) {
	for _, h := range habits {
		t.Run(h.name, func(t *testing.T) {
			w := &world{judge: t, root: filepath.Join(t.TempDir(), "root")}
			w.mkdir("")
			if h.before != nil {
				h.before(w)
			}
			p := &poller{root: w.root, opt: Options{}.withDefaults()}
			if err := p.start(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i, do := range append([]func(*world){func(*world) {}}, h.do...) { // the first look of all is a careful one
				do(w)
				var n news
				if _, err := p.tick(t.Context(), &n); err != nil || n.rescan {
					t.Errorf("step %d: all is to be scanned again, error %v", i, err)
				}
			}
		})
	}
}

// Looking takes a tenth of the time at most.
func TestPollingIsStretched(t *testing.T) {
	w := &world{judge: t, root: t.TempDir()}
	p := &poller{root: w.root, opt: Options{Poll: time.Nanosecond}.withDefaults()}
	if err := p.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	pause, err := p.tick(t.Context(), &news{})
	if err != nil || pause <= time.Nanosecond {
		t.Errorf("the next look is after %v (%v), want nine times what this one took", pause, err)
	}
	p.opt.Poll = time.Hour
	if pause, err := p.tick(t.Context(), &news{}); err != nil || pause != time.Hour {
		t.Errorf("the next look is after %v (%v), want an hour", pause, err)
	}
}
