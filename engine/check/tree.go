package check

import (
	"cmp"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// adopted returns the repair of a node whose parent does not exist: it moves to the nearest remaining ancestor of its
// old parent, if these are known, or else to the root.
func (c *checker) adopted(n *mdstore.Node) repair {
	if _, ok := c.v.Node(mdstore.Root); !ok {
		return repair{}
	}
	return c.ifAbsent(n.Parent, c.on(n, "move it to the nearest ancestor that is left, or to the root", func(d *plan.Draft, e *plan.Edit) error {
		to := n.Parent
		for range len(d.Parents) {
			to = d.Parents[to]
			if p, ok := d.View.Node(to); ok && statemachine.TakesChildren(p.Type) && !d.View.Circular(p) {
				reparent(d, e, n, to)
				return nil
			}
		}
		reparent(d, e, n, mdstore.Root)
		return nil
	}))
}

func reparent(d *plan.Draft, e *plan.Edit, n *mdstore.Node, to mdstore.ID) {
	e.Set(mdstore.KeyParent, mdoc.Text(string(to)))
	e.Did(view.Change{ID: n.ID, Key: mdstore.KeyParent, From: string(n.Parent), To: string(to)})
	d.Log(e, movedEntry+string(n.Parent)+" → "+string(to))
}

// movedEntry is how the log entry of a move begins.
const movedEntry = "moved: "

// goesBack returns the repair of a cycle of parents, which two concurrent moves can make: the later move is undone. If
// both were at the same time, it is that of the node with the greater id.
func (c *checker) goesBack(n *mdstore.Node) repair {
	up, _ := c.v.Ancestors(n.ID)
	last := slices.MaxFunc(append(up, n), func(a, b *mdstore.Node) int {
		aAt, _ := lastMove(a)
		bAt, _ := lastMove(b)
		return cmp.Or(strings.Compare(aAt, bAt), strings.Compare(string(a.ID), string(b.ID)))
	})
	at, from := lastMove(last)
	if at == "" {
		return repair{} // no move made it
	}
	r := c.on(last, "take the move of "+string(last.ID)+" back", func(d *plan.Draft, e *plan.Edit) error {
		above, whole := d.View.Ancestors(from)
		if _, ok := d.View.Node(from); !ok || !whole || slices.ContainsFunc(above, func(a *mdstore.Node) bool { return a.ID == last.ID }) {
			from = mdstore.Root
		}
		reparent(d, e, last, from)
		return nil
	})
	if last.ID != n.ID && r.mend != nil {
		r.mend = func(*plan.Draft) (bool, error) { return true, nil } // it is the finding of that node that is mended
	}
	return r
}

// lastMove returns the time of the move that gave a node its parent, and the parent before; "" for none.
func lastMove(n *mdstore.Node) (at string, from mdstore.ID) {
	for _, e := range n.LogWith(movedEntry) {
		way, ok := strings.CutPrefix(e.Event, movedEntry)
		was, is, _ := strings.Cut(way, " → ")
		if ok && mdstore.ID(is) == n.Parent && e.Time >= at {
			at, from = e.Time, mdstore.ID(was)
		}
	}
	return at, from
}
