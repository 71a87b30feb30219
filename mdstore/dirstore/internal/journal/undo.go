package journal

import (
	"slices"

	"arbor/mdstore"
)

// takeBack undoes the steps that were made of a fresh commit, the last first, and reports whether no step is made
// then, durably. A system may refuse a step for a reason that could not be known before the commit point: a folder
// that belongs to a layer below, a file that must not change. Such a commit could never be finished, and would keep
// the vault from being written. If takeBack reports false, the record is to be redone: a person has changed something
// meanwhile, or something was merged, kept or removed.
func (m *maker) takeBack() bool {
	if !m.fresh {
		return false
	}
	for i, s := range slices.Backward(m.steps) {
		if made, ok := m.undoable(i); !ok || made && !m.undo(i, s) {
			return false
		}
	}
	// What was carried back is durable in its place before the folders go that it lay in.
	if len(m.made) > 0 && flush(m.FS, m.folders) != nil {
		return false
	}
	slices.SortFunc(m.made, func(a, b mdstore.Path) int { return len(b) - len(a) })
	for _, dir := range m.made {
		if m.FS.Remove(dir) == nil { // one that holds something by now stays
			m.mark(dir.Dir())
		}
	}
	return flush(m.FS, m.folders) == nil
}

// undoable reports whether a step is made, and ok if it is in a state that undo can take back, or not made.
func (m *maker) undoable(i int) (made, ok bool) {
	s := m.steps[i]
	if s.Do == move {
		return m.moves[i] == done, m.moves[i] == done || m.moves[i] == pending
	}
	if m.movedLater(i) { // it is looked at once its folder is back
		return true, true
	}
	now, err := read(m.FS, s.Path)
	if err != nil {
		return false, false
	}
	if s.Do == remove {
		return false, same(now, s.Base)
	}
	held, err := read(m.FS, s.Temp)
	switch {
	case err != nil:
		return false, false
	case same(held, s.New):
		return false, true // what is in its place is not of this commit
	}
	return true, same(held, s.Base) && same(now, s.New)
}

// undo takes back a step that is made, while no later one is.
func (m *maker) undo(i int, s *step) bool {
	m.mark(s.Path.Dir())
	switch {
	case s.Do == move:
		m.mark(s.To.Dir())
		if m.FS.RenameNew(s.To, s.Path) != nil {
			return false
		}
		m.moves[i] = pending
		return true
	case s.Base == nil:
		m.mark(s.Temp.Dir())
		return m.FS.RenameNew(s.Path, s.Temp) == nil
	}
	return m.put(s.Temp, s.Path, s.New, s.Base) == nil
}
