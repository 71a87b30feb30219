package ops

import (
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// Counts are the numbers of a workspace's nodes.
type Counts struct {
	Total     int            `json:"total"`
	ByStatus  map[string]int `json:"byStatus"`
	Done      int            `json:"done"`      // terminal execution nodes
	Work      int            `json:"work"`      // execution nodes
	Problems  int            `json:"problems"`  // nodes with an open problem
	Damaged   int            `json:"damaged"`   // diagnostics of files
	Unreached int            `json:"unreached"` // nodes that hang below no root: orphans and cycles
}

// counts returns the numbers of a workspace's nodes.
func counts(s *view.View, diagnostics int) Counts {
	c := Counts{ByStatus: map[string]int{}}
	for _, n := range s.Walk(mdstore.Root) {
		c.add(n, n.HasProblem())
	}
	c.finish(s, diagnostics)
	return c
}

// add counts a node of the tree.
func (c *Counts) add(n *mdstore.Node, problem bool) {
	c.Total++
	c.ByStatus[string(n.Status)]++
	if !statemachine.TakesChildren(n.Type) {
		c.Work++
		if statemachine.Terminal(n.Status) {
			c.Done++
		}
	}
	if problem {
		c.Problems++
	}
}

// finish counts what a walk through the tree does not meet.
func (c *Counts) finish(s *view.View, diagnostics int) {
	c.Unreached, c.Total, c.Damaged = s.Len()-c.Total, s.Len(), diagnostics
}
