package cli

import (
	"sort"

	"arbor/context/render"
	"arbor/engine/ops"
)

// fit returns the rows of a tree that are drawn in at most that many lines, 0 for any number, and how many nodes they leave out. A tree
// that is too long loses its deepest levels first, so that one can see where to look closer; of the first level that does not fit, each parent
// shows as many children as there is room for.
func fit(tree []*ops.TreeNode, lines int) (rows []render.TreeRow, hidden int) {
	f := fitter{sizes: map[*ops.TreeNode]int{}}
	total, deepest, widest := f.measure(tree, 0)
	if lines <= 0 || total <= lines {
		if rows = f.rows(tree, deepest+1, 0); lines <= 0 || drawn(rows) <= lines {
			return rows, 0
		}
	}
	fits := func(depth, children int) bool { return drawn(f.rows(tree, depth, children)) <= lines }
	depth := max(1, sort.Search(min(deepest+1, lines), func(d int) bool { return !fits(d+1, 0) }))
	children := max(0, sort.Search(min(widest, lines)+1, func(k int) bool { return !fits(depth, k) })-1)
	rows = f.rows(tree, depth, children)
	for drawn(rows) > lines { // more nodes at the top than lines
		rows = rows[:len(rows)-1]
	}
	return rows, total - len(rows)
}

// drawn returns the lines that rows are drawn in.
func drawn(rows []render.TreeRow) int {
	n := len(rows)
	for _, r := range rows {
		if r.Hidden > 0 {
			n++
		}
	}
	return n
}

// A fitter knows the number of nodes in each subtree, its top included, without those that the result left out already.
type fitter struct{ sizes map[*ops.TreeNode]int }

// measure fills the sizes and returns their sum, the deepest level and the greatest number of children.
func (f fitter) measure(nodes []*ops.TreeNode, depth int) (total, deepest, widest int) {
	deepest, widest = depth, len(nodes)
	for _, n := range nodes {
		below, d, w := f.measure(n.Children, depth+1)
		f.sizes[n] = 1 + below
		total += 1 + below
		deepest, widest = max(deepest, d), max(widest, w)
	}
	return total, deepest, widest
}

// rows returns all rows of the first levels, and of the next one the first few children of each parent.
func (f fitter) rows(tree []*ops.TreeNode, levels, children int) []render.TreeRow {
	var rows []render.TreeRow
	var visit func(nodes []*ops.TreeNode, depth int)
	visit = func(nodes []*ops.TreeNode, depth int) {
		for _, n := range nodes {
			show := n.Children
			switch {
			case depth >= levels:
				show = nil
			case depth == levels-1:
				show = show[:min(children, len(show))]
			}
			r := render.TreeRow{
				Depth: depth, ID: n.ID, Title: n.Title, Type: n.Type, Status: n.Status,
				Focus: n.Focused, Problem: n.HasProblem, Damaged: n.Damaged, Isolated: n.Isolated, Hidden: n.Hidden,
			}
			for _, c := range n.Children[len(show):] {
				r.Hidden += f.sizes[c]
			}
			rows = append(rows, r)
			visit(show, depth+1)
		}
	}
	visit(tree, 0)
	return rows
}
