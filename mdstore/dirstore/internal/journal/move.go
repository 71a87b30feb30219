package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"arbor/mdstore"
)

// survey finds out which moves an earlier process has made. It looks at the last one first: if that is made, the moves
// below its source were made before it.
func (m *maker) survey() error {
	if m.fresh {
		return nil
	}
	for i, s := range slices.Backward(m.steps) {
		if s.Do != move || m.now(i, s.Path) != s.Path {
			continue
		}
		from, err := exists(m.FS, s.Path)
		to, again := exists(m.FS, s.To)
		if err = errors.Join(err, again); err != nil {
			return err
		}
		s.moved = to && !from
	}
	return nil
}

// now returns where the later moves that are made have taken a path of step i. Everything before such a move was
// durable when the move was made.
func (m *maker) now(i int, p mdstore.Path) mdstore.Path {
	for ; i+1 < m.moves; i++ {
		s := m.steps[i+1]
		if s.moved && p.Under(s.Path) {
			p = s.To + p[len(s.Path):]
		}
	}
	return p
}

// move makes step i, a move. Before that, it makes durable what was written below the source and the folders above the
// target. If another program made the target, or moved or removed the source, move leaves both as they are.
func (m *maker) move(i int) error {
	s := m.steps[i]
	if !s.moved {
		if err := m.mkdirAll(s.To.Dir()); err != nil {
			return err
		}
		if !m.fresh {
			m.mark(s.To.Dir())
		}
		if err := flush(m.FS, m.folders); err != nil {
			return err
		}
		if err := m.FS.RenameNew(s.Path, s.To); err != nil {
			return m.unmoved(i, err)
		}
		s.moved = true
		m.note(s)
	}
	m.mark(s.Path.Dir())
	m.mark(s.To.Dir())
	return nil
}

// unmoved handles err, the failure of move i. If another program is the cause, it reports a collision and returns nil;
// for the first step of a fresh commit it returns a conflict instead. Otherwise it returns err.
func (m *maker) unmoved(i int, err error) error {
	s := m.steps[i]
	there, again := exists(m.FS, s.Path)
	taken := errors.Is(err, fs.ErrExist)
	switch {
	case again != nil || !taken && (there || !errors.Is(err, fs.ErrNotExist)):
		return errors.Join(err, again) // also if a person removed .local/ with the trash in it
	case m.first(i) && taken:
		return &mdstore.ConflictError{Paths: []mdstore.Path{s.To}}
	case m.first(i):
		return errForeign
	}
	k := mdstore.Collision{Path: s.Path, Unmade: m.fresh}
	k.Text = fmt.Sprintf("%s was to move to %s, but another program moved or removed it", s.Path, s.To)
	if taken {
		k.Copy = s.To
		k.Text = fmt.Sprintf("%s was to move to %s, but another program made one of both; both stay", s.Path, s.To)
	}
	m.report(k)
	return nil
}
