package check

import (
	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A waiting is a problem of the dependencies of a node.
type waiting struct{ code, text string }

// dependsOn returns the problems of a node's dependencies, except that they do not exist.
func (c *checker) dependsOn(n *mdstore.Node) (all []waiting) {
	open := c.v.Open(n)
	if len(open) == 0 || statemachine.Terminal(n.Status) {
		return nil
	}
	if view.Begun(n) && !statemachine.TakesChildren(n.Type) {
		return []waiting{{CodeDependsOpen, "it is " + string(n.Status) + ", and waits for " + view.WaitsText(open)}}
	}
	for _, x := range open {
		if x.Of == n.ID && x.Node != nil && statemachine.Terminal(x.Node.Status) {
			all = append(all, waiting{CodeDependsFailed, "it waits for " + view.WaitsText([]view.Dependency{x}) +
				"; retry or reopen that node, or take it out"})
		}
	}
	return all
}

// cycle reports a cycle of nodes, in the file of the first that depends on another one of them.
func (c *checker) cycle(nodes []*mdstore.Node) {
	for _, n := range nodes {
		if n, _ = c.v.Node(n.ID); len(n.Dependencies) > 0 {
			c.field(n.Doc(), mdstore.KeyDependencies, string(errs.DependencyCycle), repair{},
				"none of these can be started: %s; take one of the dependencies out", c.v.CycleText(nodes))
			return
		}
	}
}
