package view

import (
	"iter"

	"arbor/mdstore"
	"arbor/statemachine"
)

// Ready yields the nodes that can be worked on now with their ancestors, in tree order: those that wait for their
// start, planning nodes that wait for their first child, those whose children are all done and that wait for their
// conclusion, and of the running execution nodes those that needs names. Below a completed or cancelled node nothing is
// ready. The ancestors are another's with the next node.
func (v *View) Ready(needs func(*mdstore.Node) bool) iter.Seq2[*mdstore.Node, []*mdstore.Node] {
	return func(yield func(*mdstore.Node, []*mdstore.Node) bool) {
		var way []*mdstore.Node
		frozen := -1 // depth of the ancestor that freezes what is below it
		for depth, n := range v.Walk(mdstore.Root) {
			way = append(way[:depth], n)
			if frozen >= 0 && depth > frozen {
				continue
			}
			frozen = -1
			if statemachine.Frozen(n.Status) {
				frozen = depth
				continue
			}
			if len(n.Problems) == 0 && (v.waits(n) || runs(n) && needs(n)) && !yield(n, way[:depth]) {
				return
			}
		}
	}
}

// waits reports whether a node waits for a worker: it has not begun, or has nothing left below it that is open.
func (v *View) waits(n *mdstore.Node) bool {
	if !Begun(n) {
		return true
	}
	return statemachine.TakesChildren(n.Type) && !statemachine.Terminal(n.Status) && len(v.OpenChildren(n.ID)) == 0
}

// runs reports whether a node needs a worker to get on: a planning node gets on by its children.
func runs(n *mdstore.Node) bool {
	return Begun(n) && !statemachine.TakesChildren(n.Type) && !statemachine.Terminal(n.Status)
}

// Begun reports whether a node has left the initial status of its type.
func Begun(n *mdstore.Node) bool { return n.Status != statemachine.Initial(n.Type) }

// OpenChildren returns the children of a node that are not terminal, in tree order.
func (v *View) OpenChildren(id mdstore.ID) []string {
	var out []string
	for _, k := range v.below(id) {
		if !statemachine.Terminal(k.Status) {
			out = append(out, string(k.ID))
		}
	}
	return out
}
