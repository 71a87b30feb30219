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
	total, deepest, widest := measure(tree, 0)
	if lines <= 0 || total <= lines && fits(tree, deepest+1, 0, lines) {
		return rowsOf(tree, deepest+1, 0, total), 0
	}
	depth := max(1, sort.Search(min(deepest+1, lines), func(d int) bool { return !fits(tree, d+1, 0, lines) }))
	children := max(0, sort.Search(min(widest, lines)+1, func(k int) bool { return !fits(tree, depth, k, lines) })-1)
	rows = rowsOf(tree, depth, children, lines)
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

// measure returns the number of nodes, without those that the result left out already, the deepest level and the greatest number of children.
func measure(nodes []*ops.TreeNode, depth int) (total, deepest, widest int) {
	total, deepest, widest = len(nodes), depth, len(nodes)
	for _, n := range nodes {
		below, d, w := measure(n.Children, depth+1)
		total, deepest, widest = total+below, max(deepest, d), max(widest, w)
	}
	return total, deepest, widest
}

// shown returns the children of a node that are drawn: all in the first levels, the first few in the next one.
func shown(n *ops.TreeNode, depth, levels, children int) []*ops.TreeNode {
	switch {
	case depth >= levels:
		return nil
	case depth == levels-1:
		return n.Children[:min(children, len(n.Children))]
	}
	return n.Children
}

// fits reports whether what rowsOf returns is drawn in that many lines. It looks at no more nodes than that.
func fits(tree []*ops.TreeNode, levels, children, lines int) bool {
	var visit func(nodes []*ops.TreeNode, depth int)
	visit = func(nodes []*ops.TreeNode, depth int) {
		for _, n := range nodes {
			show := shown(n, depth, levels, children)
			if lines--; n.Hidden > 0 || len(show) < len(n.Children) {
				lines--
			}
			if lines < 0 {
				return
			}
			visit(show, depth+1)
		}
	}
	visit(tree, 0)
	return lines >= 0
}

// rowsOf returns all rows of the first levels, and of the next one the first few children of each parent; about so many.
func rowsOf(tree []*ops.TreeNode, levels, children, about int) []render.TreeRow {
	rows := make([]render.TreeRow, 0, about)
	var visit func(nodes []*ops.TreeNode, depth int)
	visit = func(nodes []*ops.TreeNode, depth int) {
		for _, n := range nodes {
			show := shown(n, depth, levels, children)
			below, _, _ := measure(n.Children[len(show):], 0)
			rows = append(rows, render.TreeRow{
				Depth: depth, ID: n.ID, Title: n.Title, Type: n.Type, Status: n.Status,
				Focus: n.Focused, Problem: n.HasProblem, Damaged: n.Damaged, Isolated: n.Isolated, Hidden: n.Hidden + below,
			})
			visit(show, depth+1)
		}
	}
	visit(tree, 0)
	return rows
}
