package watch

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// settling says when a file that another program is saving can be read as it is: it has not changed for quiet, or most
// has passed since its first change.
type settling struct {
	quiet time.Duration // 0 is 100 ms
	most  time.Duration // 0 is 500 ms
}

// maxPaths bounds the paths of a batch, and what is collected for it. More paths become a Rescan.
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
	settling
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
	most := cmp.Or(s.most, 500*time.Millisecond) - now.Sub(s.first)
	quiet := cmp.Or(s.quiet, 100*time.Millisecond) - now.Sub(s.last)
	return max(min(most, quiet), 0)
}

// take returns the changes as a batch and forgets them.
func (s *settler) take() Batch {
	b := Batch{Paths: slices.Sorted(maps.Keys(s.paths)), Rescan: s.rescan}
	s.paths, s.rescan = nil, false
	return b
}
