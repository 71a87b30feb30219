package plan

import "arbor/mdstore"

// A moment is the time at which the source says that an item was made, and the parent.
type moment struct {
	parent mdstore.ID
	at     int64
}

// place gives a new node the time at which it was made, unless the source says it, and its place among its siblings,
// which is that of the source. nth is its number below the parent.
func (m *importing) place(n *ImportNode, parent mdstore.ID, nth int64) {
	if m.begin[parent] == 0 {
		m.begin[parent] = m.d.createdAt(parent)
	}
	if n.CreatedAt == 0 {
		n.CreatedAt = m.begin[parent] + nth
	} else { // siblings of one moment stay in their order
		at := moment{parent, n.CreatedAt}
		n.CreatedAt += m.times[at]
		m.times[at]++
	}
	place := n.CreatedAt
	if place <= m.last[parent] && n.Order == nil { // made before a sibling that stands above it in the source
		place = m.last[parent] + 1
		n.Order = new(float64(place))
	}
	m.last[parent] = max(m.last[parent], place)
}
