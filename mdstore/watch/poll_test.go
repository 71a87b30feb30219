package watch

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A change that comes so soon after another that the times of the file stay the same is named all the same.
func TestChangesWithinOneStepOfTheClock(t *testing.T) {
	w := &world{judge: t, root: t.TempDir()}
	w.write("old", "")
	w.write("a/f", "")
	synctest.Test(t, func(t *testing.T) { // whose clock stands in the year 2000, so that all files are as new
		p := &poller{root: w.root, opt: Options{}.withDefaults()}
		if err := p.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		tick := func(when string, want ...string) {
			t.Helper()
			var n news
			if _, err := p.tick(t.Context(), &n); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(n.paths, want) {
				t.Errorf("%s: named %q, want %q", when, n.paths, want)
			}
		}
		tick("at once")
		time.Sleep(racy)
		tick("when the files that were there are no longer new", "a/f", "old")
		tick("once only")
		w.write("a/f", "x")
		w.write("a/g", "x")
		tick("after a change", "a/f", "a/g")
		time.Sleep(racy / 2)
		tick("soon after")
		time.Sleep(racy / 2)
		tick("when no further change could go unseen", "a/f", "a/g")
		time.Sleep(time.Hour)
		tick("once only")
	})
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
