package journal

import "slices"

// takeBack undoes the steps of a fresh commit that were made, the last first, and reports whether no step is made then,
// durably. The system may refuse a step for a reason that could not be known before the commit point, such as a folder
// in a lower layer of an overlay file system, or an immutable file. Such a commit could never be finished, and would
// block all later writes. If takeBack returns false, the steps must be made after all: a person has changed something
// meanwhile, or something was merged or kept.
func (m *maker) takeBack() bool {
	for i := range slices.Backward(m.steps) {
		if !m.undo(i) {
			return false
		}
	}
	// What was moved back must be durable before the folders that it lay in are removed.
	if len(m.made) > 0 && flush(m.FS, m.folders) != nil {
		return false
	}
	for _, dir := range slices.Backward(m.made) {
		if m.FS.Remove(dir) == nil { // a folder that is not empty stays
			m.mark(dir.Dir())
		}
	}
	return flush(m.FS, m.folders) == nil
}

// undo undoes step i, after all later steps, and reports whether step i is not made then.
func (m *maker) undo(i int) bool {
	s := m.steps[i]
	m.mark(s.Path.Dir())
	if s.Do == move {
		if !s.moved {
			return true
		}
		m.mark(s.To.Dir())
		s.moved = m.FS.RenameNew(s.To, s.Path) != nil
		return !s.moved
	}
	m.mark(s.Temp.Dir())
	now, err := read(m.FS, s.Path)
	if err != nil {
		return false
	}
	held, err := read(m.FS, s.Temp)
	switch {
	case err != nil:
		return false
	case same(held, s.New) && (now != nil || s.Do == write):
		return true // the file there is not from this commit
	case !same(held, s.Base) || !same(now, s.New):
		return false
	}
	return m.put(s.Temp, s.Path, s.New, s.Base) == nil
}
