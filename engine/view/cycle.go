package view

import (
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/statemachine"
)

// DependencyCycles returns the cycles among dependencies: lists of nodes in the order of Candidates, each of which must
// wait for another node of its list. Their documents must not be used. Nodes that are their own ancestors are not among
// them.
func (v *View) DependencyCycles() (all [][]*mdstore.Node) {
	if !v.links() {
		return nil
	}
	nodes := v.Candidates()
	after, _ := v.orderOf(nodes)
	for _, cycle := range cyclesOf(after) {
		slices.Sort(cycle)
		var list []*mdstore.Node
		for _, at := range cycle {
			list = append(list, nodes[at/2])
		}
		if list = slices.Compact(list); len(v.steps(list)) > 0 {
			all = append(all, list)
		}
	}
	return all
}

// orderOf returns the required order of starts and ends as a graph: the start of node i is 2i, its end 2i+1. A start
// comes after that of the parent and after the ends of the dependencies, an end after the start and after the ends of
// the children. stuck has the nodes with a dependency that does not exist, or has ended without being completed.
func (v *View) orderOf(nodes []*mdstore.Node) (after [][]int, stuck []bool) {
	at := make(map[mdstore.ID]int, len(nodes))
	for i, n := range nodes {
		at[n.ID] = i
	}
	after, stuck = make([][]int, 2*len(nodes)), make([]bool, len(nodes))
	for i, n := range nodes {
		after[2*i+1] = append(after[2*i+1], 2*i)
		if p, ok := at[n.Parent]; ok && n.ID != mdstore.Root {
			after[2*i] = append(after[2*i], 2*p)
			after[2*p+1] = append(after[2*p+1], 2*i+1)
		}
		for _, target := range n.Dependencies {
			k, ok := at[mdstore.ID(target)]
			if to, found := (*mdstore.Node)(nil), false; !ok { // a link, or nothing
				if to, found = v.Referred(n, target); found {
					k, ok = at[to.ID]
				}
			}
			if !ok {
				stuck[i] = true
				continue
			}
			after[2*i] = append(after[2*i], 2*k+1)
			over := nodes[k].Status
			stuck[i] = stuck[i] || statemachine.Terminal(over) && over != statemachine.Completed
		}
	}
	return after, stuck
}

// cyclesOf returns the strongly connected components of a graph that have more than one member, by Tarjan's algorithm
// ("Depth-first search and linear graph algorithms", 1972) without recursion.
func cyclesOf(after [][]int) (cycles [][]int) {
	at, low := make([]int, len(after)), make([]int, len(after)) // 0: not met yet
	next, on := make([]int, len(after)), make([]bool, len(after))
	met, stack, calls := 0, []int(nil), []int(nil)
	enter := func(n int) {
		met++
		at[n], low[n], on[n] = met, met, true
		stack, calls = append(stack, n), append(calls, n)
	}
	for top := range after {
		if at[top] == 0 {
			enter(top)
		}
		for len(calls) > 0 {
			n := calls[len(calls)-1]
			if next[n] < len(after[n]) {
				m := after[n][next[n]]
				if next[n]++; at[m] == 0 {
					enter(m)
				} else if on[m] {
					low[n] = min(low[n], at[m])
				}
				continue
			}
			if calls = calls[:len(calls)-1]; len(calls) > 0 {
				up := calls[len(calls)-1]
				low[up] = min(low[up], low[n])
			}
			if low[n] != at[n] {
				continue
			}
			from := len(stack) - 1
			for stack[from] != n {
				from--
			}
			if len(stack)-from > 1 {
				cycles = append(cycles, slices.Clone(stack[from:]))
			}
			for _, m := range stack[from:] {
				on[m] = false
			}
			stack = stack[:from]
		}
	}
	return cycles
}

// steps returns the dependencies of nodes on nodes of the same list.
func (v *View) steps(nodes []*mdstore.Node) (all []Dependency) {
	in := make(map[mdstore.ID]bool, len(nodes))
	for _, n := range nodes {
		in[n.ID] = true
	}
	for _, n := range nodes {
		for _, x := range v.Dependencies(n) {
			if x.Node != nil && in[x.Node.ID] {
				all = append(all, x)
			}
		}
	}
	return all
}

// CycleText describes a cycle of nodes: "a (A) waits for b (B), b (B) is inside a (A)". If the list has several cycles,
// it describes the shortest one through the first node that waits.
func (v *View) CycleText(cycle []*mdstore.Node) string {
	says := v.wayOf(cycle)
	if len(says) > CandidatesShown {
		says = append(says[:CandidatesShown], "…")
	}
	return strings.Join(says, ", ")
}

// A moment is the start of a node, or its end.
type moment struct {
	id  mdstore.ID
	end bool
}

// wayOf returns the steps of a cycle. As in orderOf, a start comes after that of the parent and after the ends of the
// dependencies, an end after the start and after the ends of the children.
func (v *View) wayOf(cycle []*mdstore.Node) []string {
	in, inside := map[mdstore.ID]*mdstore.Node{}, map[mdstore.ID][]*mdstore.Node{}
	for _, n := range cycle {
		in[n.ID] = n
	}
	for _, n := range cycle {
		if in[n.Parent] != nil && n.ID != mdstore.Root {
			inside[n.Parent] = append(inside[n.Parent], n)
		}
	}
	after := func(m moment, step func(moment, string)) {
		n := in[m.id]
		if m.end {
			step(moment{n.ID, false}, "")
			for _, k := range inside[n.ID] {
				step(moment{k.ID, true}, Named(k)+" is inside "+Named(n))
			}
			return
		}
		for _, x := range v.Dependencies(n) {
			if x.Node != nil && in[x.Node.ID] != nil {
				step(moment{x.Node.ID, true}, Named(n)+" waits for "+Named(x.Node))
			}
		}
		if p := in[n.Parent]; p != nil && n.ID != mdstore.Root {
			step(moment{p.ID, false}, Named(n)+" is inside "+Named(p))
		}
	}
	type link struct {
		from moment
		says string
	}
	for _, x := range v.steps(cycle) {
		from, to := moment{x.Of, false}, moment{x.Node.ID, true}
		met := map[moment]link{to: {}}
		for queue := []moment{to}; len(queue) > 0; queue = queue[1:] {
			after(queue[0], func(m moment, says string) {
				if _, ok := met[m]; !ok {
					met[m] = link{queue[0], says}
					queue = append(queue, m)
				}
			})
		}
		if _, closed := met[from]; !closed {
			continue
		}
		var says []string
		for m := from; m != to; m = met[m].from {
			if met[m].says != "" {
				says = append(says, met[m].says)
			}
		}
		says = append(says, Named(in[x.Of])+" waits for "+Named(x.Node))
		slices.Reverse(says)
		return says
	}
	return nil
}
