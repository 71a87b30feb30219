package dirstore

import (
	"context"

	"arbor/mdstore"
)

// The files that a plan only read, the ancestors of a node above all, are read by one plan after another, and seldom change. What such a file held under a firm stamp
// it holds for as long as it has that stamp, and so one look at it is all that its commit needs.

// keptMost is of how many files it is known what they hold. Beyond that all of it is learnt anew.
const keptMost = 4 << 10

// A held is what a file held when it had a stamp, which is firm.
type held struct {
	stamp   mdstore.Stamp
	version mdstore.Version
}

// doubtful returns the changes without those that keep a file of which a look proves that it is at its base. The lock is held.
func (s *Store) doubtful(ctx context.Context, changes []mdstore.Change) []mdstore.Change {
	out := make([]mdstore.Change, 0, len(changes))
	for _, c := range changes {
		if !c.Keep || !s.keeps(ctx, c) {
			out = append(out, c)
		}
	}
	return out
}

// keeps reports whether a file that a plan read is proven to be at its base. False is no answer. The lock is held.
func (s *Store) keeps(ctx context.Context, c mdstore.Change) bool {
	if b := c.Path.Base(); b != mdstore.NodeFile && b != mdstore.WorkspaceFile || c.Path.Under(mdstore.LocalDir) {
		return false
	}
	now, err := s.Stat(ctx, c.Path)
	if err != nil || !proof(now) {
		return false
	}
	was, known := s.kept[c.Path]
	if !known || !was.stamp.Same(now) {
		f, err := s.Read(ctx, c.Path)
		if err != nil || !proof(f.Stamp) {
			return false
		}
		if s.kept == nil {
			s.kept = map[mdstore.Path]held{}
		} else if len(s.kept) >= keptMost {
			clear(s.kept)
		}
		was = held{f.Stamp, f.Version}
		s.kept[c.Path] = was
	}
	return was.version == c.Base
}
