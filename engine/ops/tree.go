package ops

import (
	"arbor/context/render"
	"arbor/engine/view"
	"arbor/mdstore"
)

// TreeNode is a node in a tree or list.
type TreeNode struct {
	ID string `json:"id"`
	mdstore.Head
	Focused    bool        `json:"focused,omitempty"`
	HasProblem bool        `json:"hasProblem,omitempty"`
	Damaged    bool        `json:"damaged,omitempty"`
	ClaimedBy  string      `json:"claimedBy,omitempty"` // the session, or the operator of a claim without one
	Hidden     int         `json:"hidden,omitempty"`    // nodes below that depth, limit or filter left out
	Children   []*TreeNode `json:"children"`
	Passed     bool        `json:"-"` // it is here as the way to others: it does not match, or an earlier page has it
}

// Row returns the node as a row to be drawn.
func (n *TreeNode) Row(depth int) render.TreeRow {
	return render.TreeRow{
		Depth: depth, ID: n.ID, Head: n.Head, Focus: n.Focused, Problem: n.HasProblem, Damaged: n.Damaged, By: n.ClaimedBy, Hidden: n.Hidden,
	}
}

// A page collects a part of a tree: matching nodes after a cursor up to a limit, with the way to them.
type page struct {
	s     *view.View
	focus mdstore.ID              // the node that is marked as focused
	by    func(mdstore.ID) string // who has claimed a node, "" for nobody
	limit int                     // negative: no limit
	depth int                     // 0: no limit
	after mdstore.ID
	match func(*mdstore.Node) bool

	total, shown int
	met          int        // nodes below the start
	lost         bool       // the cursor was not met
	first        *TreeNode  // the first node shown; those above it are the way to it
	next         mdstore.ID // the last node shown, where more follow
}

func (p *page) collect(root mdstore.ID) []*TreeNode {
	p.total, p.shown, p.met, p.first, p.next = 0, 0, 0, nil, ""
	top := &TreeNode{}
	way := []*TreeNode{top} // by depth: the node of the walk, with the tree it was attached to or not yet
	var nodes []*mdstore.Node
	skipping, before := p.after != "", 0 // before: matching nodes up to the cursor
	last := mdstore.ID("")
	for depth, n := range p.s.Walk(root) {
		way, nodes = append(way[:depth+1], nil), append(nodes[:depth], n)
		p.met++
		if p.depth > 0 && depth > p.depth {
			if at := way[p.depth+1]; at != nil {
				at.Hidden++
			}
			continue
		}
		if p.match(n) {
			p.total++
			switch {
			case skipping:
				before++
			case p.limit >= 0 && p.shown >= p.limit:
			default:
				p.attach(way, nodes)
				if p.shown++; p.shown == 1 {
					p.first = way[len(way)-1]
				}
				last = n.ID
			}
		}
		if n.ID == p.after {
			skipping = false
		}
	}
	p.lost = skipping
	if before+p.shown < p.total {
		p.next = last
		if last == "" {
			p.next = p.after
		}
	}
	return nonNil(top.Children)
}

// attach puts the node at the end of the way into the tree, with those above it that are not in it yet.
func (p *page) attach(way []*TreeNode, nodes []*mdstore.Node) {
	for i, n := range nodes {
		if way[i+1] != nil {
			continue
		}
		way[i+1] = p.treeNode(n)
		way[i+1].Passed = i < len(nodes)-1
		way[i].Children = append(way[i].Children, way[i+1])
	}
}

func (p *page) treeNode(n *mdstore.Node) *TreeNode {
	return &TreeNode{
		ID: string(n.ID), Head: n.Head, Focused: p.focus == n.ID, HasProblem: n.HasProblem(), Damaged: len(n.Problems) > 0, ClaimedBy: p.by(n.ID), Children: []*TreeNode{},
	}
}

// prune keeps as many nodes of a tree as there is room for, in tree order, and counts the others where they hung.
func prune(ns []*TreeNode, room *int) []*TreeNode {
	for i, n := range ns {
		if *room == 0 {
			return ns[:i:i]
		}
		*room--
		all := size(n)
		n.Children = prune(n.Children, room)
		n.Hidden = 0
		n.Hidden = all - size(n)
	}
	return ns
}

func size(n *TreeNode) int {
	count := 1 + n.Hidden
	for _, k := range n.Children {
		count += size(k)
	}
	return count
}

// Rows returns a tree as rows to be drawn, at most that many; what is left out is counted at the node that it hangs
// below. A negative limit is none.
func Rows(tree []*TreeNode, limit int) []render.TreeRow {
	var rows []render.TreeRow
	var add func(ns []*TreeNode, depth int) int
	add = func(ns []*TreeNode, depth int) (left int) {
		for _, n := range ns {
			if limit >= 0 && len(rows) >= limit {
				left += size(n)
				continue
			}
			rows = append(rows, n.Row(depth))
			at := len(rows) - 1
			rows[at].Hidden += add(n.Children, depth+1)
		}
		return left
	}
	if left := add(tree, 0); left > 0 && len(rows) > 0 {
		rows[0].Hidden += left
	}
	return rows
}
