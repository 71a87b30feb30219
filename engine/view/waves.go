package view

import (
	"slices"

	"arbor/mdstore"
	"arbor/statemachine"
)

// An Order is an order in which the open work of a plan can be done.
type Order struct {
	Waves [][]*mdstore.Node // nodes that can be worked on at the same time, wave by wave; each in the order of Candidates
	Chain []*mdstore.Node   // the longest chain of nodes that must be done one after the other
	Stuck []*mdstore.Node   // nodes that wait for themselves, or for a node that failed, was given up with
	// a node above it, or does not exist

	// Over is the wave with which a node of the view is over, be it work or the sum of its children: 0 if neither it
	// nor what it waits for is open work, -1 if no order reaches all of it.
	Over map[mdstore.ID]int
}

// Order returns the order of the work that is open below a node and matches: its execution nodes, and planning nodes
// without children. Work elsewhere counts, but is not listed.
func (v *View) Order(top mdstore.ID, matches func(*mdstore.Node) bool) Order {
	nodes := v.Candidates()
	after, stuck := v.orderOf(nodes)
	// at is the wave in which a start or an end is over: 0 before all, the number of waves that it takes else.
	at, from, never := make([]int, len(after)), make([]int, len(after)), make([]bool, len(after))
	for _, cycle := range cyclesOf(after) {
		for _, x := range cycle {
			never[x] = true
		}
	}
	dead := v.dead()
	leaf := func(i int) bool { // it is work itself, not the sum of its children
		return !statemachine.TakesChildren(nodes[i].Type) || len(after[2*i+1]) == 1 && nodes[i].ID != mdstore.Root
	}
	for _, x := range downwards(after) {
		n := nodes[x/2]
		from[x] = -1
		if never[x] = never[x] || dead[n.ID] || x%2 == 0 && stuck[x/2]; x%2 == 1 && statemachine.Terminal(n.Status) {
			never[x] = false
			continue
		}
		for _, y := range after[x] {
			if never[y] {
				never[x] = true
			} else if at[y] > at[x] {
				at[x], from[x] = at[y], y
			}
		}
		if x%2 == 1 && leaf(x/2) && !statemachine.Terminal(n.Status) {
			at[x]++
		}
	}
	out, last := Order{Over: make(map[mdstore.ID]int, len(nodes))}, -1
	in := v.within(top)
	for i, n := range nodes {
		x := 2*i + 1
		over := statemachine.Terminal(n.Status) || dead[n.ID]
		if out.Over[n.ID] = at[x]; over {
			out.Over[n.ID] = 0
		} else if never[x] {
			out.Over[n.ID] = -1
		}
		switch {
		case over || !in(n.ID) || !leaf(i) || !matches(n):
		case never[x]:
			out.Stuck = append(out.Stuck, n)
		default:
			for len(out.Waves) < at[x] {
				out.Waves = append(out.Waves, nil)
			}
			out.Waves[at[x]-1] = append(out.Waves[at[x]-1], n)
			if last < 0 || at[x] > at[last] {
				last = x
			}
		}
	}
	for x := last; x >= 0; x = from[x] {
		if n := nodes[x/2]; x%2 == 1 && leaf(x/2) {
			out.Chain = append(out.Chain, n)
		}
	}
	slices.Reverse(out.Chain)
	return out
}

// dead returns the nodes below a completed or cancelled one.
func (v *View) dead() map[mdstore.ID]bool {
	all, frozen := map[mdstore.ID]bool{}, -1 // depth of a frozen node above; -1 for none
	for _, s := range v.tree() {
		if s.depth <= frozen {
			frozen = -1
		}
		if frozen >= 0 {
			all[s.node.ID] = true
		} else if statemachine.Frozen(s.node.Status) {
			frozen = s.depth
		}
	}
	return all
}

// within returns which nodes are a node or lie below it.
func (v *View) within(top mdstore.ID) func(mdstore.ID) bool {
	if top == mdstore.Root {
		return func(mdstore.ID) bool { return true }
	}
	in := map[mdstore.ID]bool{}
	for _, n := range v.Walk(top) {
		in[n.ID] = true
	}
	return func(id mdstore.ID) bool { return in[id] }
}

// downwards returns the members of a graph, each behind those that it comes after, as far as it has no cycles.
func downwards(after [][]int) []int {
	out, next, met := make([]int, 0, len(after)), make([]int, len(after)), make([]bool, len(after))
	for top := range after {
		if met[top] {
			continue
		}
		met[top] = true
		for calls := []int{top}; len(calls) > 0; {
			x := calls[len(calls)-1]
			if next[x] == len(after[x]) {
				out, calls = append(out, x), calls[:len(calls)-1]
				continue
			}
			y := after[x][next[x]]
			if next[x]++; !met[y] {
				met[y] = true
				calls = append(calls, y)
			}
		}
	}
	return out
}
