package engine

import (
	"maps"

	"arbor/mdstore"
)

// A memory is what is known of a workspace when it is read as a whole: what its files last said, and which of them somebody may be saving at that moment. What
// is missing or damaged of those is as it was. A nil memory knows nothing.
type memory struct {
	last *Snapshot
	open map[mdstore.Path]bool // files and folders that may be in the middle of a save
	left map[mdstore.Path]bool // those of open that are as they were
}

// remember returns what is known at a moment.
func remember(at moment) *memory {
	if at.snap == nil {
		return nil
	}
	m := &memory{last: at.snap, open: map[mdstore.Path]bool{}, left: map[mdstore.Path]bool{}}
	for p, mark := range at.stale {
		if mark.open {
			m.open[p] = true
		}
	}
	return m
}

// mark returns what was named for a file in the middle of a save.
func (m *memory) mark(p mdstore.Path) (mdstore.Path, bool) {
	for ; p != ""; p = p.Dir() {
		if m.open[p] {
			return p, true
		}
	}
	return "", false
}

// node returns a node as it is to be taken.
func (m *memory) node(n *mdstore.Node) *mdstore.Node {
	if m == nil || m.last == nil {
		return n
	}
	if o, open := m.mark(n.Path); open && n.Editable() != nil {
		if last, ok := m.last.file(n.Path); ok && last.Editable() == nil {
			m.left[o] = true
			return last
		}
	}
	return m.last.held(n)
}

// workspace returns the workspace's own file as it is to be taken.
func (m *memory) workspace(w *mdstore.Workspace) *mdstore.Workspace {
	if m == nil || m.last == nil {
		return w
	}
	if o, open := m.mark(w.Path); open && w.Doc.Editable() != nil && w.Path == m.last.ws.Path && m.last.ws.Doc.Editable() == nil {
		m.left[o] = true
		return m.last.ws
	}
	return m.last.heldWorkspace(w)
}

// missing returns the nodes that are not there in s and may be in a moment. One that is elsewhere has moved.
func (m *memory) missing(s *Snapshot) []*mdstore.Node {
	if m == nil || len(m.open) == 0 {
		return nil
	}
	var out []*mdstore.Node
	for n := range m.last.All() {
		o, open := m.mark(n.Path)
		if _, listed := s.file(n.Path); open && !listed && len(s.filesOf(n.ID)) == 0 {
			m.left[o] = true
			out = append(out, n)
		}
	}
	return out
}

// settled returns what was heard without what was left as it was.
func (h heard) settled(left map[mdstore.Path]bool) heard {
	if len(left) == 0 {
		return h
	}
	h = maps.Clone(h)
	maps.DeleteFunc(h, func(p mdstore.Path, _ mark) bool { _, in := left[p]; return in })
	return h
}
