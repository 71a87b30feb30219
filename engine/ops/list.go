package ops

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"arbor/context/render"
	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

const (
	listLimit = 200 // nodes that a list shows unless told otherwise
	leastNode = 140 // bytes that a node takes in a reply at least
	listShare = 64  // of the nodes, one in so many in a list is worth that what lists tell is found out of all, once for all lists to come
)

// NodeList returns nodes as a tree, bounded.
func NodeList(ctx context.Context, env *Env, in NodeListIn) (*NodeListOut, error) {
	s, err := env.snapshot(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	root := mdstore.Root
	if in.RootID != "" {
		if root, err = env.resolve(s, in.RootID, "rootId"); err != nil {
			return nil, err
		}
	}
	for _, st := range in.Status {
		if !slices.ContainsFunc(statemachine.Types(), func(t statemachine.Type) bool { return statemachine.Valid(t, statemachine.Status(st)) }) {
			e := engine.Fail(engine.InvalidParams, "status %q: %s are the statuses of planning nodes, and %s those of execution nodes", st, listed(statemachine.Statuses(statemachine.Planning)), listed(statemachine.Statuses(statemachine.Execution)))
			e.Details = &engine.Details{Param: "status"}
			return nil, e
		}
	}
	if in.Depth < 0 {
		return nil, engine.Fail(engine.InvalidParams, "depth is %d; the number of levels is expected, 0 for all", in.Depth)
	}
	if in.Limit < -1 {
		return nil, engine.Fail(engine.InvalidParams, "limit is %d; a number of nodes is expected, -1 for all", in.Limit)
	}
	limit := in.Limit
	if limit == 0 {
		limit = listLimit
	}
	if most := env.MaxBytes / leastNode; env.bounded() && (limit < 0 || limit > most) {
		limit = max(1, most)
	}
	p := page{s: s, limit: limit, depth: in.Depth, match: func(n *mdstore.Node) bool {
		return (len(in.Status) == 0 || slices.Contains(in.Status, string(n.Status))) && (in.Type == "" || in.Type == string(n.Type))
	}}
	if in.Cursor != "" {
		if p.after, err = after(s, in.Cursor); err != nil {
			return nil, err
		}
	}
	narrowed := root != mdstore.Root || in.Depth > 0 || len(in.Status) > 0 || in.Type != ""
	if least := s.Len() / listShare; (limit < 0 || limit >= least) && (!narrowed || p.before(root) >= least) {
		s.Gather() // it would be found out node after node
	}
	out := env.list(&p, root)
	for !env.fits(out) && p.shown > 1 {
		p.limit = env.fewer(p.shown, out)
		out = env.list(&p, root)
	}
	if in.Cursor != "" && p.lost {
		return nil, badCursor(in.Cursor, "is none of an answer to this question")
	}
	return out, nil
}

// listed returns words as a sentence has them.
func listed[T ~string](words []T) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}

// A page collects a part of a tree: matching nodes after a cursor up to a limit, with the way to them.
type page struct {
	s     *engine.Snapshot
	limit int // negative: no limit
	depth int // 0: no limit
	after mdstore.ID
	match func(*mdstore.Node) bool

	total, shown int
	met          int        // nodes below the start
	lost         bool       // the cursor was not met
	first        *TreeNode  // the first node shown; those above it are the way to it
	next         mdstore.ID // the last node shown, where more follow

	made []TreeNode // those that come next, made many at a time
}

// list collects a page as a result. Where that is bounded, the way to its first node takes a quarter of the room at most: what is too much goes at the top.
func (env *Env) list(p *page, root mdstore.ID) *NodeListOut {
	out := &NodeListOut{Tree: p.collect(root), Total: p.total, Shown: p.shown, Cursor: cursorAt(p.s, p.next), Out: Out{Hint: "node_get shows one, context_get what its work needs"}}
	if out.Cursor != "" {
		out.Hint = shownOf(out.Shown, out.Total, "nodes", "cursor "+out.Cursor+" brings the next, depth or status narrow it")
	}
	if root == mdstore.Root {
		if out.Lost = p.s.Len() + p.s.Unreadable() - p.met; out.Lost > 0 {
			out.Hint += "; " + LostFiles(out.Lost) + ": workspace_check names them"
		}
	}
	if !env.bounded() || env.fits(out) {
		return out
	}
	way, size := []*TreeNode{}, 0
	for list := out.Tree; len(list) == 1 && list[0] != p.first; list = list[0].Children {
		way = append(way, list[0])
	}
	for i, n := range backward(way) {
		head := *n
		head.Children = nil
		if size += sizeOf(&head); size > env.MaxBytes/4 {
			out.Above = len(way) - i
			out.Tree = way[out.Above-1].Children
			out.Hint += "; the tree begins below " + strconv.Itoa(out.Above) + " levels"
			break
		}
	}
	return out
}

// LostFiles says how many files of nodes no list shows.
func LostFiles(n int) string {
	if n == 1 {
		return "1 file of a node is in no place of the tree"
	}
	return fmt.Sprintf("%d files of nodes are in no place of the tree", n)
}

func (p *page) collect(root mdstore.ID) []*TreeNode {
	p.total, p.shown, p.met, p.first, p.next = 0, 0, 0, nil, ""
	top := &TreeNode{}
	way := []*TreeNode{top} // by depth: the node of the walk, with the tree it was attached to or not yet
	var nodes []*mdstore.Node
	skipping := p.after != ""
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
			case skipping, p.limit >= 0 && p.shown >= p.limit:
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
	before := 0
	if p.after != "" {
		before = p.before(root)
	}
	if before+p.shown < p.total {
		p.next = last
		if last == "" {
			p.next = p.after
		}
	}
	if top.Children == nil {
		return []*TreeNode{}
	}
	return top.Children
}

// before returns the number of matching nodes up to the cursor, of all where there is none.
func (p *page) before(root mdstore.ID) int {
	count := 0
	for depth, n := range p.s.Walk(root) {
		if p.depth > 0 && depth > p.depth {
			continue
		}
		if p.match(n) {
			count++
		}
		if n.ID == p.after {
			break
		}
	}
	return count
}

// attach puts the node at the end of the way into the tree, with those above it that are not in it yet.
func (p *page) attach(way []*TreeNode, nodes []*mdstore.Node) {
	for i, n := range nodes {
		if way[i+1] != nil {
			continue
		}
		way[i+1] = p.treeNode(n)
		if cap(way[i].Children) == 0 {
			way[i].Children = make([]*TreeNode, 0, 4)
		}
		way[i].Children = append(way[i].Children, way[i+1])
	}
}

func (p *page) treeNode(n *mdstore.Node) *TreeNode {
	if len(p.made) == 0 {
		p.made = make([]TreeNode, 64)
	}
	t := &p.made[0]
	p.made = p.made[1:]
	*t = TreeNode{ID: string(n.ID), Title: n.Title, Type: string(n.Type), Status: string(n.Status), Role: string(n.Role), Isolated: n.Isolated,
		Focused: p.s.Workspace().Focus == n.ID, HasProblem: p.s.HasProblem(n), Damaged: len(n.Problems) > 0, Children: []*TreeNode{}}
	return t
}

// WorkspaceStatus returns the state of a workspace at a glance.
func WorkspaceStatus(ctx context.Context, env *Env, in WorkspaceStatusIn) (*WorkspaceStatusOut, error) {
	s, err := env.snapshot(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	w := s.Workspace()
	out := &WorkspaceStatusOut{Workspace: env.info(w), Problem: problem(w.Problem()), Problems: []NodeProblem{}, Diagnostics: s.Diagnostics()}
	out.Counts.ByStatus = map[string]int{}
	p := page{s: s, limit: -1, match: func(n *mdstore.Node) bool { // of every node of the tree, in its order
		p := s.Problem(n)
		out.Counts.add(n, !p.IsZero())
		if !p.IsZero() {
			out.Problems = append(out.Problems, NodeProblem{string(n.ID), n.Title, Problem{p.Text, p.NextStep}})
		}
		return true
	}}
	out.Tree = p.collect(mdstore.Root)
	out.Counts.finish(s, len(out.Diagnostics))
	out.Hint = "node_next names what is ready to be worked on"
	out.Text = render.Board(out.Board(), Rows(out.Tree, listLimit), render.Style{Markdown: in.Format == "markdown"})
	switch {
	case env.bounded():
		env.glance(out, render.Style{Markdown: in.Format == "markdown"})
	case !in.All:
		room := listLimit
		out.Tree = prune(out.Tree, &room)
		out.Problems = out.Problems[:min(len(out.Problems), listLimit)]
		out.Diagnostics = out.Diagnostics[:min(len(out.Diagnostics), listLimit)]
	}
	return out, nil
}

// glance makes the state of a workspace small: the text shows the tree, with as many rows as there is room for, and lists what is wrong in part.
func (env *Env) glance(out *WorkspaceStatusOut, style render.Style) {
	tree := out.Tree
	board := out.Board()
	out.Tree, out.Problems, out.Diagnostics = nil, out.Problems[:min(len(out.Problems), boundedLog)], out.Diagnostics[:min(len(out.Diagnostics), boundedLog)]
	out.Problems, out.Diagnostics = out.Problems[:share(env, out.Problems, 8)], out.Diagnostics[:share(env, out.Diagnostics, 8)]
	w := &out.Workspace
	rules, docs := share(env, w.Rules, 8), share(env, w.Docs, 8)
	w.RulesHidden, w.DocsHidden = len(w.Rules)-rules, len(w.Docs)-docs
	w.Rules, w.Docs = w.Rules[:rules], w.Docs[:docs]
	for rows := listLimit; rows > 1 && !env.fits(out); {
		if rows = env.fewer(rows, out); rows < boundedRows { // the text is what was asked for, and it names these
			w.RulesHidden, w.DocsHidden = w.RulesHidden+len(w.Rules), w.DocsHidden+len(w.Docs)
			w.Rules, w.Docs, out.Problems, out.Diagnostics = []string{}, []Doc{}, []NodeProblem{}, []mdoc.Diagnostic{}
		}
		out.Text = render.Board(board, Rows(tree, rows), style)
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

// Board returns what stands above and below the tree of a workspace at a glance, bounded.
func (out *WorkspaceStatusOut) Board() render.BoardHead {
	const most = 10
	h := render.BoardHead{ID: out.Workspace.ID, Name: out.Workspace.Name, Goal: out.Workspace.Goal, Archived: out.Workspace.Status == mdstore.StatusArchived,
		Rules: len(out.Workspace.Rules), Done: out.Counts.Done, Work: out.Counts.Work, ByStatus: out.Counts.ByStatus}
	if out.Problem != nil {
		h.Problem = render.BoardProblem{Problem: out.Problem.Problem, NextStep: out.Problem.NextStep}
	}
	for _, p := range out.Problems[:min(len(out.Problems), most)] {
		h.Problems = append(h.Problems, render.BoardProblem{ID: p.NodeID, Title: p.Title, Problem: p.Problem.Problem, NextStep: p.NextStep})
	}
	for _, d := range out.Diagnostics[:min(len(out.Diagnostics), most)] {
		h.Damaged = append(h.Damaged, d.String())
	}
	h.MoreProblems, h.MoreDamaged = max(0, len(out.Problems)-most), max(0, len(out.Diagnostics)-most)
	return h
}

// Rows returns a tree as rows to be drawn, at most that many; what is left out is counted at the node that it hangs below. A negative limit is none.
func Rows(tree []*TreeNode, limit int) []render.TreeRow {
	var rows []render.TreeRow
	var add func(ns []*TreeNode, depth int) int
	add = func(ns []*TreeNode, depth int) (left int) {
		for _, n := range ns {
			if limit >= 0 && len(rows) >= limit {
				left += size(n)
				continue
			}
			rows = append(rows, render.TreeRow{Depth: depth, ID: n.ID, Title: n.Title, Type: n.Type, Status: n.Status, Focus: n.Focused, Problem: n.HasProblem,
				Damaged: n.Damaged, Isolated: n.Isolated, Hidden: n.Hidden})
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

func size(n *TreeNode) int {
	count := 1 + n.Hidden
	for _, k := range n.Children {
		count += size(k)
	}
	return count
}
