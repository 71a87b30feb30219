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
		from, err := m.exists(s.Path)
		if err != nil {
			return err
		}
		to, err := m.exists(s.To)
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

// movedLater reports whether the path of step i lies in a folder that a later step has moved. All before such a move was durable
// when it was made.
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
		switch {
		case m.first(i) && errors.Is(err, fs.ErrExist):
			return &mdstore.ConflictError{Paths: []mdstore.Path{s.To}}
		case m.first(i) && errors.Is(err, fs.ErrNotExist):
			return errForeign
		case errors.Is(err, fs.ErrExist):
			m.moves[i] = both
		case errors.Is(err, fs.ErrNotExist):
			m.moves[i] = lost
		case err != nil:
			return err
		default:
			m.moves[i] = done
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

// carry renames from to a new name. It makes the folders for that, again if another program removes them meanwhile, as a person may
// remove .local/ with the trash in it. The error is an fs.ErrExist if to exists, and an fs.ErrNotExist if from does not.
func (m *maker) carry(from, to mdstore.Path) error {
	for range tries {
		if err := m.mkdirAll(to.Dir()); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		if !m.fresh {
			m.mark(to.Dir())
		}
		// What was written below the source is durable before it moves, and so is the way to the target.
		if err := m.sync(m.folders); err != nil {
			return err
		}
		err := m.FS.RenameNew(from, to)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if there, again := m.exists(from); again != nil || !there {
			return errors.Join(again, err)
		}
	}
	return fmt.Errorf("%s: the folder is removed all the time", to.Dir())
}
