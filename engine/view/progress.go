package view

import (
	"arbor/mdstore"
	"arbor/statemachine"
)

// Progress counts the leaves of the tree by outcome. Everything that says how far a plan is asks it.
func (v *View) Progress() (out statemachine.Outcomes) {
	all := v.tree()
	frozen := -1 // depth of a completed or cancelled node above; -1 for none
	for i, s := range all {
		if s.depth <= frozen {
			frozen = -1
		}
		if leaf := i+1 == len(all) || all[i+1].depth <= s.depth; leaf && s.node.ID != mdstore.Root {
			out.Add(s.node.Status, frozen >= 0)
		}
		if frozen < 0 && statemachine.Frozen(s.node.Status) {
			frozen = s.depth
		}
	}
	return out
}
