package plan

import (
	"slices"

	"arbor/mdstore"
)

// dependencies gives the new nodes the dependencies of their items. It leaves out those that would close a cycle, in
// the order of the items, and names them.
func (m *importing) dependencies() {
	g := newWaits(m)
	type edge struct{ item, start, end int }
	var all []edge
	for i, it := range m.Items {
		if m.ids[i] == "" || m.there[it.Key] != nil {
			continue
		}
		m.Items[i].Dependencies = nil
		for _, key := range it.After {
			k, ok := m.at[key]
			if !ok {
				m.left(it.At, "%s waits for %s, which is not in the source; that is left out", short(it.Title), short(key))
				continue
			}
			e := edge{i, 2 * g.at[m.ids[i]], 2*g.at[m.ids[k]] + 1}
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	for _, e := range all {
		g.after[e.start] = append(g.after[e.start], e.end)
	}
	stuck := g.stuck()
	for _, e := range all { // only these can be in a cycle
		if stuck[e.start] && stuck[e.end] {
			g.after[e.start] = slices.DeleteFunc(g.after[e.start], func(n int) bool { return n == e.end })
		}
	}
	for _, e := range all {
		it := &m.Items[e.item]
		if stuck[e.start] && stuck[e.end] {
			if g.leads(e.end, e.start) {
				m.left(it.At, "%s waits for %s, which closes a cycle; that dependency is left out", short(it.Title),
					short(g.names[e.end/2]))
				continue
			}
			g.after[e.start] = append(g.after[e.start], e.end)
		}
		it.Dependencies = append(it.Dependencies, string(g.ids[e.end/2]))
	}
}

// waits is the required order of starts and ends as a graph: the start of node i is 2i, its end 2i+1. A start comes
// after that of the parent and after the ends of the dependencies, an end after the start and after the ends of the
// children.
type waits struct {
	at    map[mdstore.ID]int
	ids   []mdstore.ID
	names []string
	after [][]int
}

// newWaits returns the order of the nodes that are there and of the new ones, whose dependencies it lacks.
func newWaits(m *importing) *waits {
	g := &waits{at: map[mdstore.ID]int{}}
	add := func(id mdstore.ID, name string) {
		g.at[id] = len(g.ids)
		g.ids, g.names = append(g.ids, id), append(g.names, name)
		g.after = append(g.after, nil, []int{2 * (len(g.ids) - 1)})
	}
	below := func(id, parent mdstore.ID) {
		if p, ok := g.at[parent]; ok && id != mdstore.Root {
			i := g.at[id]
			g.after[2*i] = append(g.after[2*i], 2*p)
			g.after[2*p+1] = append(g.after[2*p+1], 2*i+1)
		}
	}
	for n := range m.d.View.All() {
		add(n.ID, n.Title)
	}
	for n := range m.d.View.All() {
		below(n.ID, n.Parent)
		for _, x := range m.d.View.Dependencies(n) {
			if x.Node != nil {
				g.after[2*g.at[n.ID]] = append(g.after[2*g.at[n.ID]], 2*g.at[x.Node.ID]+1)
			}
		}
	}
	isNew := func(i int) bool { return m.ids[i] != "" && m.there[m.Items[i].Key] == nil }
	for i, it := range m.Items {
		if isNew(i) {
			add(m.ids[i], it.Title)
		}
	}
	for i, it := range m.Items {
		if isNew(i) {
			parent := m.Into
			if k, ok := m.at[it.Up]; ok {
				parent = m.ids[k]
			}
			below(m.ids[i], parent)
		}
	}
	return g
}

// stuck reports of each start and end whether it is in a cycle, or between two.
func (g *waits) stuck() []bool {
	return both(peeled(g.after), peeled(reversed(g.after)))
}

func both(a, b []bool) []bool {
	for i := range a {
		a[i] = a[i] && b[i]
	}
	return a
}

// peeled takes all members of a graph away that come after nothing, again and again, and reports which are left.
func peeled(after [][]int) []bool {
	left, open, before := make([]bool, len(after)), make([]int, len(after)), reversed(after)
	var free []int
	for i := range after {
		if left[i], open[i] = true, len(after[i]); open[i] == 0 {
			free = append(free, i)
		}
	}
	for len(free) > 0 {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		left[i] = false
		for _, k := range before[i] {
			if open[k]--; open[k] == 0 {
				free = append(free, k)
			}
		}
	}
	return left
}

func reversed(after [][]int) [][]int {
	before := make([][]int, len(after))
	for i, all := range after {
		for _, k := range all {
			before[k] = append(before[k], i)
		}
	}
	return before
}

// leads reports whether from comes after to, over any number of others.
func (g *waits) leads(from, to int) bool {
	met := make([]bool, len(g.after))
	for stack := []int{from}; len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if i == to {
			return true
		}
		if !met[i] {
			met[i] = true
			stack = append(stack, g.after[i]...)
		}
	}
	return false
}
