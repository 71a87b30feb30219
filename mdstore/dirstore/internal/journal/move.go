package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"arbor/mdstore"
)

// state says how far a move is.
type state int

const (
	pending state = iota // the target does not exist
	done                 // the target exists, and nothing is at the source
	both                 // source and target exist, so a person made one of them
	lost                 // neither exists: a person moved or removed it
)

// survey finds out which moves are made, the last first: a move below the source of one that is made was made before.
func (m *maker) survey() error {
	if m.fresh {
		return nil
	}
	for i, s := range slices.Backward(m.steps) {
		if s.Do != move || m.movedLater(i) {
			continue
		}
		from, err := exists(m.FS, s.Path)
		if err != nil {
			return err
		}
		to, err := exists(m.FS, s.To)
		if err != nil {
			return err
		}
		switch {
		case from && to:
			m.moves[i] = both
		case to:
			m.moves[i] = done
		case !from:
			m.moves[i] = lost
		}
	}
	return nil
}

// movedLater reports whether the path of step i lies in a folder that a later step has moved. All before such a move
// was durable when it was made.
func (m *maker) movedLater(i int) bool {
	for j := i + 1; j < len(m.steps); j++ {
		if s := m.steps[j]; s.Do == move && m.moves[j] == done && m.steps[i].Path.Under(s.Path) {
			return true
		}
	}
	return false
}

// through returns where the move s takes p.
func (s *step) through(p mdstore.Path) mdstore.Path {
	if p.Under(s.Path) {
		return s.To + p[len(s.Path):]
	}
	return p
}

// move makes step i, a move.
func (m *maker) move(i int) error {
	s := m.steps[i]
	if m.moves[i] == pending {
		err := m.carry(s.Path, s.To)
		if errors.Is(err, fs.ErrNotExist) {
			if there, again := exists(m.FS, s.Path); there || again != nil {
				return errors.Join(err, again) // a person may have removed .local/ with the trash in it
			}
		}
		switch exist := errors.Is(err, fs.ErrExist); {
		case err == nil:
			m.moves[i] = done
		case !exist && !errors.Is(err, fs.ErrNotExist):
			return err
		case m.first(i) && exist:
			return &mdstore.ConflictError{Paths: []mdstore.Path{s.To}}
		case m.first(i):
			return errForeign
		case exist:
			m.moves[i] = both
		default:
			m.moves[i] = lost
		}
	}
	switch m.moves[i] {
	case both:
		m.report(mdstore.Collision{Path: s.Path, Copy: s.To, Unmade: m.fresh,
			Text: fmt.Sprintf("%s was to move to %s, but another program made one of both; both stay", s.Path, s.To)})
	case lost:
		m.report(mdstore.Collision{Path: s.Path, Unmade: m.fresh,
			Text: fmt.Sprintf("%s was to move to %s, but another program moved or removed it", s.Path, s.To)})
	default:
		m.mark(s.Path.Dir())
		m.mark(s.To.Dir())
	}
	return nil
}

// carry renames a file or folder to a new name, for which it makes the folders. What was written below the source is
// durable before it moves, and so is the way to the target. The error is an fs.ErrExist if to exists, and an
// fs.ErrNotExist if from or the way is gone.
func (m *maker) carry(from, to mdstore.Path) error {
	if err := m.mkdirAll(to.Dir()); err != nil {
		return err
	}
	if !m.fresh {
		m.mark(to.Dir())
	}
	if err := flush(m.FS, m.folders); err != nil {
		return err
	}
	return m.FS.RenameNew(from, to)
}
