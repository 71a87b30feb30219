package view

import (
	"iter"
	"slices"

	"arbor/mdstore"
	"arbor/statemachine"
)

// A spot is a node in its place in the tree, and what it needs to get on.
type spot struct {
	node  *mdstore.Node
	depth int  // below the root
	waits bool // it waits for a worker: it can begin, or all its children are done
	runs  bool // it has begun and is not over; a planning node proceeds by its children

	blocked []Dependency // it has not begun, and these are open; see View.BlockedBy
	asks    bool         // it is not over and has an open question
}

// grown returns the tree. No node below a completed or cancelled one waits, runs or is blocked, and neither does a node
// that cannot be read or has an invalid status.
func (v *View) grown() []spot {
	kids := map[mdstore.ID][]*mdstore.Node{}
	for all := v.kids; len(all) > 0; {
		n := 1
		for n < len(all) && all[n].Parent == all[0].Parent {
			n++
		}
		kids[all[0].Parent], all = all[:n], all[n:]
	}
	out := make([]spot, 0, len(v.nodes))
	var open [][]Dependency // by depth: the dependencies of the node there and of all nodes above it
	frozen := -1            // depth of a completed or cancelled ancestor; -1 for none
	below := func(id mdstore.ID) []*mdstore.Node { return kids[id] }
	v.walk(mdstore.Root, below, func(depth int, n *mdstore.Node) bool {
		s := spot{node: n, depth: depth}
		if depth <= frozen {
			frozen = -1
		}
		if frozen < 0 && statemachine.Frozen(n.Status) {
			frozen = depth
		}
		open = append(open[:depth], v.openOf(n))
		if depth > 0 && len(open[depth-1]) > 0 {
			open[depth] = slices.Concat(open[depth], open[depth-1])
		}
		if frozen < 0 && n.Editable() == nil && statemachine.Valid(n.Type, n.Status) {
			inner, over := statemachine.TakesChildren(n.Type), statemachine.Terminal(n.Status)
			isOpen := func(k *mdstore.Node) bool { return !statemachine.Terminal(k.Status) }
			if !Begun(n) {
				s.blocked = once(open[depth])
			}
			s.waits = !Begun(n) && len(s.blocked) == 0
			if inner && Begun(n) && !over {
				s.waits = !slices.ContainsFunc(kids[n.ID], isOpen)
			}
			s.runs = Begun(n) && !inner && !over
			s.asks = !over && len(n.OpenQuestions()) > 0
			s.waits = s.waits && !s.asks
		}
		out = append(out, s)
		return true
	})
	return out
}

// Ready yields the nodes that can be worked on now with their ancestors, in tree order: those that wait for their start
// and for no dependency or answer, planning nodes that wait for their first child, those whose children are all done
// and that wait for their conclusion, and the running execution nodes for which needs returns true. Below a completed
// or cancelled node nothing is ready. The slice of ancestors is valid only until the next node.
func (v *View) Ready(needs func(*mdstore.Node) bool) iter.Seq2[*mdstore.Node, []*mdstore.Node] {
	return func(yield func(*mdstore.Node, []*mdstore.Node) bool) {
		var way []*mdstore.Node
		for _, s := range v.tree() {
			way = append(way[:s.depth], s.node)
			if (s.waits || s.runs && needs(s.node)) && !yield(v.docs.of(s.node), v.docs.ofAll(way[:s.depth])) {
				return
			}
		}
	}
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
