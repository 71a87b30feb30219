package txn

import (
	"errors"
	"fmt"
	"io/fs"

	"arbor/mdstore"
)

// state says how far a move is.
type state int

const (
	pending state = iota // the target is not there
	done                 // the target is there, and nothing is at the source
	unclear              // both are there, so one of them is somebody else's
	lost                 // neither is there: somebody else moved or removed it
)

// survey finds out which moves are made, the last first: where the source of one lies depends on those after it.
func (r *redoer) survey() error {
	for i := len(r.steps) - 1; i >= 0; i-- {
		s := r.steps[i]
		if s.Do != move {
			continue
		}
		from, err := r.exists(r.shift(i, s.Path))
		if err != nil {
			return err
		}
		to, err := r.exists(s.To)
		if err != nil {
			return err
		}
		switch {
		case from && to:
			r.moved[i] = unclear
		case to:
			r.moved[i] = done
		case !from:
			r.moved[i] = lost
		}
	}
	return nil
}

func (r *redoer) exists(p mdstore.Path) (bool, error) {
	_, err := r.FS.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// shift returns where p, as step i names it, lies after the later moves that are made.
func (r *redoer) shift(i int, p mdstore.Path) mdstore.Path {
	for j := i + 1; j < len(r.steps); j++ {
		if s := r.steps[j]; s.Do == move && r.moved[j] == done {
			p = through(s, p)
		}
	}
	return p
}

// through returns where the move s takes p.
func through(s *step, p mdstore.Path) mdstore.Path {
	if p.Under(s.Path) {
		return s.To + p[len(s.Path):]
	}
	return p
}

// place is shift for the file of step i, which also looks through moves that are unclear.
func (r *redoer) place(i int, p mdstore.Path) (mdstore.Path, error) {
	for j := i + 1; j < len(r.steps); j++ {
		s := r.steps[j]
		if s.Do != move || !p.Under(s.Path) {
			continue
		}
		switch r.moved[j] {
		case done:
			p = through(s, p)
		case unclear:
			here, err := r.read(p)
			if err != nil && !unreadable(err) {
				return "", err
			}
			there, err := r.read(through(s, p))
			if err != nil && !unreadable(err) {
				return "", err
			}
			if !same(here, r.steps[i].Base) && !same(here, r.steps[i].New) && there != nil {
				p = through(s, p)
			}
		}
	}
	return p, nil
}

// move makes step i, a move.
func (r *redoer) move(i int) error {
	s := r.steps[i]
	from := r.shift(i, s.Path)
	switch r.moved[i] {
	case unclear:
		r.conflictOf(Conflict{Path: s.Path, Copy: s.To, Text: fmt.Sprintf("%s was to move to %s, but somebody else made one of both; both stay", s.Path, s.To), Unmade: r.fresh})
		return nil
	case lost:
		r.conflictOf(Conflict{Path: s.Path, Text: fmt.Sprintf("%s was to move to %s, but somebody else moved or removed it", s.Path, s.To), Unmade: r.fresh})
		return nil
	case pending:
		err := r.carry(from, s.To)
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			r.moved[i] = unclear
			if errors.Is(err, fs.ErrNotExist) {
				r.moved[i] = lost
			}
			return r.move(i)
		}
		if err != nil {
			return err
		}
		r.moved[i] = done
		r.forget(s.Path)
		r.forget(s.To)
	}
	r.mark(r.set, from.Dir())
	r.mark(r.set, s.To.Dir())
	return nil
}

// carry renames from to a new name, for which it makes the folders: again if somebody removes them meanwhile, as they may with .local/ and the trash in
// it. The error is an fs.ErrExist where to exists, and an fs.ErrNotExist where from does not.
func (r *redoer) carry(from, to mdstore.Path) error {
	for range tries {
		if err := r.mkdirAll(r.set, to.Dir()); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		// What was written below the source is durable before it moves, and so is the way to the target.
		if err := r.sync(r.set); err != nil {
			return err
		}
		clear(r.set)
		err := r.FS.RenameNew(from, to)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if there, again := r.exists(from); again != nil || !there {
			return errors.Join(again, err)
		}
	}
	return fmt.Errorf("%s: the folder is removed all the time", to.Dir())
}
