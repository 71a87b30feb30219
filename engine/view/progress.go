package view

import (
	"iter"

	"arbor/mdstore"
	"arbor/statemachine"
)

// Progress counts the leaves of the tree by outcome. Every report of progress uses it.
func (v *View) Progress() (out statemachine.Outcomes) {
	for n, frozen := range v.Leaves() {
		out.Add(n.Status, frozen)
	}
	return out
}

// Leaves yields the nodes without children, other than the root, in tree order, and whether a node above each is
// completed or cancelled.
func (v *View) Leaves() iter.Seq2[*mdstore.Node, bool] {
	return func(yield func(*mdstore.Node, bool) bool) {
		all := v.tree()
		frozen := -1 // depth of a completed or cancelled node above; -1 for none
		for i, s := range all {
			if s.depth <= frozen {
				frozen = -1
			}
			leaf := (i+1 == len(all) || all[i+1].depth <= s.depth) && s.node.ID != mdstore.Root
			if leaf && !yield(v.docs.of(s.node), frozen >= 0) {
				return
			}
			if frozen < 0 && statemachine.Frozen(s.node.Status) {
				frozen = s.depth
			}
		}
	}
}
