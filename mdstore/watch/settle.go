package watch

import (
	"maps"
	"slices"
	"time"
)

// mostPaths bounds what a batch names, and what is collected for it: more paths become a Rescan.
const mostPaths = 1 << 16

// news are changes that one look has found.
type news struct {
	paths  []string
	rescan bool
	away   bool // the root is gone
}

func (n *news) add(path string) {
	if n != nil {
		n.paths = append(n.paths, path)
	}
}

// A settler holds changes back until things are quiet. It has no clock: each
// call says what time it is.
type settler struct {
	quiet, most time.Duration

	paths       map[string]struct{}
	rescan      bool
	first, last time.Time // when changes came; meaningful if there are any
}

func (s *settler) empty() bool { return len(s.paths) == 0 && !s.rescan }

// take takes over what a look has found at the time now.
func (s *settler) take(n news, now time.Time) {
	if len(n.paths) == 0 && !n.rescan {
		return
	}
	if s.empty() {
		s.first = now
	}
	s.last = now
	if s.paths == nil {
		s.paths = map[string]struct{}{}
	}
	for _, p := range n.paths {
		s.paths[p] = struct{}{}
	}
	if s.rescan = s.rescan || n.rescan || len(s.paths) > mostPaths; s.rescan {
		s.paths = nil
	}
}

// due returns when the batch is to be given.
func (s *settler) due() time.Time {
	quiet, most := s.last.Add(s.quiet), s.first.Add(s.most)
	if most.Before(quiet) {
		return most
	}
	return quiet
}

// batch returns what was taken, and forgets it.
func (s *settler) batch() Batch {
	b := Batch{Paths: slices.Sorted(maps.Keys(s.paths)), Rescan: s.rescan}
	s.paths, s.rescan = nil, false
	return b
}
