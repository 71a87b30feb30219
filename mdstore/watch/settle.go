package watch

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Settling says when a file that another program is saving can be read as it is: it has
// not changed for Quiet, or Most has passed since its first change.
type Settling struct {
	Quiet time.Duration // 0 is 100 ms
	Most  time.Duration // 0 is 500 ms
}

// Wait returns how long to wait until a file is settled, 0 if it is. sinceFirst and
// sinceLast are the times since its first and its last change. A file that is not
// complete, such as an empty one, is settled only by Most.
func (s Settling) Wait(sinceFirst, sinceLast time.Duration, complete bool) time.Duration {
	wait := cmp.Or(s.Most, 500*time.Millisecond) - sinceFirst
	if complete {
		wait = min(wait, cmp.Or(s.Quiet, 100*time.Millisecond)-sinceLast)
	}
	return max(wait, 0)
}

// Settled reports whether a file that another program may be saving is settled. first and
// now are its stamps at two looks, elapsed is the time between them. If both are equal,
// elapsed may be the time since the file changed.
func Settled[Stamp comparable](first, now Stamp, elapsed time.Duration, complete bool) bool {
	quiet := elapsed
	if first != now {
		quiet = 0
	}
	return Settling{}.Wait(elapsed, quiet, complete) == 0
}

// maxPaths bounds the paths of a batch, and what is collected for it. More paths become a
// Rescan.
const maxPaths = 1 << 16

// changes are what one look has found.
type changes struct {
	paths   []string
	rescan  bool
	restart bool // events were lost, or are about the root: the finder has to start anew
}

func (c *changes) add(path string) {
	if c != nil {
		c.paths = append(c.paths, path)
	}
}

// A settler holds changes back until they are settled. Each call says what time it is.
type settler struct {
	Settling
	paths       map[string]struct{}
	rescan      bool
	first, last time.Time // of the changes, if there are any
}

func (s *settler) empty() bool { return len(s.paths) == 0 && !s.rescan }

func (s *settler) add(c changes, now time.Time) {
	if len(c.paths) == 0 && !c.rescan {
		return
	}
	if s.empty() {
		s.first, s.paths = now, map[string]struct{}{}
	}
	s.last = now
	for _, p := range c.paths {
		s.paths[p] = struct{}{}
	}
	s.rescan = s.rescan || c.rescan || len(s.paths) > maxPaths
	if s.rescan {
		clear(s.paths)
	}
}

// wait returns how long to wait until the changes are settled.
func (s *settler) wait(now time.Time) time.Duration {
	return s.Wait(now.Sub(s.first), now.Sub(s.last), true)
}

// take returns the changes as a batch and forgets them.
func (s *settler) take() Batch {
	b := Batch{Paths: slices.Sorted(maps.Keys(s.paths)), Rescan: s.rescan}
	s.paths, s.rescan = nil, false
	return b
}
