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

// looks returns a function that fails unless the next look names exactly the given paths.
func looks(t *testing.T, p *poller) func(when string, want ...string) (rescan bool) {
	t.Helper()
	if err := p.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return func(when string, want ...string) bool {
		t.Helper()
		var n changes
		if err := p.collect(t.Context(), &n); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(n.paths); !slices.Equal(n.paths, want) {
			t.Errorf("%s: named %q, want %q", when, n.paths, want)
		}
		return n.rescan
	}
}

// The times of the file stay the same.
func TestSecondChangeWithinOneStepOfTheClockIsNamed(t *testing.T) {
	w := &world{judge: t, root: t.TempDir()}
	files("old", "a/f")(w)
	synctest.Test(t, func(t *testing.T) { // its clock is in the year 2000, so that all files are new
		look := looks(t, &poller{root: w.root, opt: Options{}.withDefaults()})
		look("at once")
		time.Sleep(clockStep)
		look("a step after the files were made", "a/f", "old")
		look("once only")
		files("a/f", "a/g")(w)
		look("after a change", "a/f", "a/g")
		time.Sleep(clockStep / 2)
		look("soon after")
		time.Sleep(clockStep / 2)
		look("a step after the change", "a/f", "a/g")
		time.Sleep(time.Hour)
		look("once only")
	})
}

func TestWriteIsNamedAfterAFilesTimeIsSetBack(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system has no time of change of an inode")
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

// Unless another change in the folder explains why it has changed.
func TestFolderIsNamedWhenAFileComesAndGoesBetweenTwoLooks(t *testing.T) {
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
		t.Error("the root has changed, and there is no Rescan")
	}
	w.write("x", "")
	if look("a new file in the root", "x") {
		t.Error("Rescan because of a new file")
	}
}

func TestCommonWaysToSaveNeedNoRescan(t *testing.T) {
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
			for i, do := range append([]func(*world){func(*world) {}}, h.do...) { // the first look is a special one
				do(w)
				var n changes
				if err := p.collect(t.Context(), &n); err != nil || n.rescan {
					t.Errorf("step %d: Rescan, error %v", i, err)
				}
			}
		})
	}
}

func TestPollingTakesATenthOfTheTimeAtMost(t *testing.T) {
	l := &loop{opt: Options{poll: time.Second}}
	if got := l.pause(time.Hour); got != missingPoll {
		t.Errorf("without a root the next look is after %v, want %v", got, missingPoll)
	}
	info, err := os.Stat(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l.info = info
	for took, want := range map[time.Duration]time.Duration{0: time.Second, time.Second / 10: time.Second, time.Second: 9 * time.Second} {
		if got := l.pause(took); got != want {
			t.Errorf("after a look of %v the next one is after %v, want %v", took, got, want)
		}
	}
}
