package ops

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/internal/search"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

type NodeListIn struct {
	In
	RootID string   `json:"rootId,omitempty" arg:"NODE" is:"node" help:"the node to start from; default: the root"`
	Depth  int      `json:"depth,omitempty" min:"0" flag:"depth,d" help:"only N levels deep; 0 for all"`
	Status []string `json:"status,omitempty" flag:"status,s" is:"status" help:"only nodes in these STATUSES, separated by commas"`
	Type   string   `json:"type,omitempty" flag:"type,t" enum:"planning,execution"`
	Where  string   `json:"where,omitempty" help:"only nodes that match QUERY"`
	Sort   []string `json:"sort,omitempty" is:"key" help:"sort by these KEYS, -KEY for descending; no tree"`
	Limit  int      `json:"limit,omitempty" min:"-1" flag:"limit,n" help:"at most N nodes; default 200"`
	Cursor string   `json:"cursor,omitempty" help:"the CURSOR of an earlier page"`
	Waves  bool     `json:"waves,omitempty" flag:"-" help:"open work in waves"`

	Own []string `json:"-"` // own keys of nodes that the result is to have
}

type NodeListOut struct {
	Tree   []*TreeNode `json:"tree"`
	Above  int         `json:"above,omitempty"` // levels above the tree that a bounded result leaves out
	Total  int         `json:"total"`           // nodes that match
	Shown  int         `json:"shown"`
	Cursor string      `json:"cursor,omitempty"` // for the next page; "" at the end
	// files of nodes that are nowhere in the tree: damaged, or below a missing parent
	Lost int `json:"lost,omitempty"`
	// with waves: what can be done at once, wave by wave
	Waves [][]Titled `json:"waves,omitempty"`
	Out
}

const (
	listLimit = 200 // nodes that a list shows by default
	leastRow  = 20  // least number of bytes of a node in a reply
)

var nodeList = op("node_list", reads|repeats, NodeList, Help{
	Summary: "list nodes in tree order",
	Use:     "list [NODE]",
	Aliases: "ls",
	Text: `Prints id, status, type and title of all nodes, or of those below NODE, for grep
and scripts: -q prints only ids, --fields only the named fields. With --json,
nodes is one flat list in tree order. If there are more nodes than the limit,
the printed cursor fetches the next page; --all prints everything.

--where takes a query as arbor search does: words, fields such as assignee:nia
or due<fri, and is:ready, blocked, overdue, running or terminal. --sort orders
by fields, also your own; -KEY is descending.`,
	Example: `arbor list --status implementing,validating
arbor list --where 'is:ready type:execution' --sort title
arbor list Backend --type execution -q
arbor list --json --fields id,title,parentId
arbor list --all | grep -i login`,
})

// NodeList returns nodes as a tree, at most Limit of them: 200 by default, all if Limit is negative.
func NodeList(ctx context.Context, env *Env, in NodeListIn) (*NodeListOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	root := mdstore.Root
	if in.RootID != "" {
		if root, err = env.resolve(s, in.RootID, "rootId"); err != nil {
			return nil, stateNamed(err, in.RootID)
		}
	}
	where, doubt, err := env.where(ctx, s, in.Where)
	if err != nil {
		return nil, err
	}
	if in.Waves {
		hint := "all of a wave can be done at once, after the waves before it"
		out := &NodeListOut{Tree: []*TreeNode{}, Out: Out{Hint: hint}}
		all := waves(s, root, where)
		env.fit(out, len(all), func(n int) { out.Waves, out.Total, out.Shown = all[:n], len(all), n })
		return out, nil
	}
	for _, st := range in.Status {
		if !slices.ContainsFunc(statemachine.Types(), func(t statemachine.Type) bool { return statemachine.Valid(t, statemachine.Status(st)) }) {
			return nil, badParam("status", "status is %q; one of %s is expected", short(st), listed(statemachine.AllStatuses()))
		}
	}
	limit := in.Limit
	if limit == 0 {
		limit = listLimit
	}
	focus, _ := env.Focus(ctx, s)
	p := branch{s: s, focus: focus, today: env.day(), by: claimants(ctx, env, s.Workspace().ID), open: s.BlockedBy(),
		limit: limit, depth: in.Depth}
	if p.order, err = env.order(ctx, s, in.Sort); err != nil {
		return nil, err
	}
	p.match = func(n *mdstore.Node) bool {
		return (len(in.Status) == 0 || slices.Contains(in.Status, string(n.Status))) &&
			(in.Type == "" || in.Type == string(n.Type)) && where(n)
	}
	for _, key := range in.Own {
		if !env.language(ctx, s.All()).Own(key) {
			return nil, unknownKey("fields", key, ListFields())
		}
		p.own = func(n *mdstore.Node) mdstore.Owns { return env.own(ctx, n) }
	}
	if in.Cursor != "" {
		if p.after, err = after(s, in.Cursor); err != nil {
			return nil, err
		}
	}
	if most := env.MaxBytes / leastRow; env.bounded() && (limit < 0 || limit > most) {
		limit = max(1, most)
	}
	out := &NodeListOut{}
	env.fit(out, limit, func(n int) {
		p.limit = n
		*out = *env.list(&p, root)
		if doubt != "" && out.Cursor != "" {
			out.Hint += "; " + doubt
		} else if doubt != "" {
			out.Hint = doubt
		}
	})
	out.Sends(s.Workspace().ID)
	if in.Cursor != "" && p.lost {
		return nil, badCursor(in.Cursor, "is none of an answer to this question")
	}
	return out, nil
}

// stateNamed returns the error for a word that names no node, with how to ask for a state or a status, if it is one.
func stateNamed(err error, word string) error {
	word, by := strings.ToLower(word), ""
	switch {
	case errs.As(err).Code != errs.NodeNotFound:
	case slices.Contains(search.States(), word):
		by = "{.where: is:" + word + "}"
	case slices.Contains(statemachine.AllStatuses(), statemachine.Status(word)):
		by = "{.status: " + word + "}"
	}
	if by == "" {
		return err
	}
	return errs.New(errs.NodeNotFound, "%s: no such node; "+by+" lists the nodes that are so", word)
}

// listed joins words with commas.
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

// list collects a page as a result. If that is bounded, the way to its first node takes a quarter of the room at
// most: what is too much goes at the top.
func (env *Env) list(p *branch, root mdstore.ID) *NodeListOut {
	out := &NodeListOut{Tree: p.collect(root), Total: p.total, Shown: p.shown, Cursor: cursorAt(p.s, p.next),
		Out: Out{Hint: "{node_get} shows one, {context_get} its context"}}
	switch {
	case out.Total == 0:
		out.Hint = "no node matches"
	case out.Cursor != "":
		out.Hint = shownOf(out.Shown, out.Total, "nodes", "cursor "+out.Cursor+" brings the next, depth or status narrow it")
	}
	if root == mdstore.Root {
		if out.Lost = p.s.Len() + len(p.s.Broken()) - p.met; out.Lost > 0 {
			out.Hint += "; " + LostFiles(out.Lost) + ": {workspace_check} names them"
		}
	}
	if !env.bounded() || env.fits(out) {
		return out
	}
	var way []*TreeNode
	for list := out.Tree; len(list) == 1 && list[0] != p.first; list = list[0].Children {
		way = append(way, list[0])
	}
	size := 0
	for i, n := range slices.Backward(way) {
		head := *n
		head.Children = nil
		if size += env.sizeOf(&head); size > env.MaxBytes/4 {
			out.Above, out.Tree = i+1, n.Children
			out.Hint += "; the tree begins below " + strconv.Itoa(out.Above) + " levels"
			break
		}
	}
	return out
}

// TreeNode is a node in a tree of results.
type TreeNode struct {
	ID       string `json:"id"`
	ParentID string `json:"parentId,omitempty"` // in a list that is not in the order of the tree
	mdstore.Head
	Own        mdstore.Owns `json:"-"`
	Focused    bool         `json:"focused,omitempty"`
	HasProblem bool         `json:"hasProblem,omitempty"`
	Damaged    bool         `json:"damaged,omitempty"`
	BlockedBy  []string     `json:"blockedBy,omitempty" is:"node"` // what a node that has not begun waits for
	ClaimedBy  string       `json:"claimedBy,omitempty"`           // as in Claim
	Hidden     int          `json:"hidden,omitempty"`              // nodes below that depth, limit or filter left out
	Children   []*TreeNode  `json:"children"`
	Passed     bool         `json:"-"` // here only as an ancestor of others: it does not match, or an earlier page has it
}

// Row returns the node as a row of a drawn tree.
func (n *TreeNode) Row(depth int) render.TreeRow {
	return render.TreeRow{
		Depth: depth, ID: n.ID, Head: n.Head, Focus: n.Focused, Problem: n.HasProblem, Damaged: n.Damaged,
		Blocked: len(n.BlockedBy) > 0, By: n.ClaimedBy, Hidden: n.Hidden,
	}
}

// A branch collects a part of a tree: matching nodes after a cursor up to a limit, with the way to them.
type branch struct {
	s     *view.View
	focus mdstore.ID // the node that is marked as focused
	today string
	open  map[mdstore.ID][]view.Dependency
	by    func(mdstore.ID) string // the owner of a node's claim; "" if unclaimed
	limit int                     // negative: no limit
	depth int                     // 0: no limit
	after mdstore.ID
	match func(*mdstore.Node) bool
	order []sortKey                          // nil for the order of the tree
	own   func(n *mdstore.Node) mdstore.Owns // nil if own keys are not wanted

	total, shown int
	met          int        // nodes below the start
	lost         bool       // the cursor was not met
	first        *TreeNode  // the first node shown; nodes above it are only ancestors
	next         mdstore.ID // the last node shown, where more follow
}

func (p *branch) collect(root mdstore.ID) []*TreeNode {
	p.total, p.shown, p.met, p.first, p.next = 0, 0, 0, nil, ""
	if p.order != nil {
		return p.sorted(root)
	}
	top := &TreeNode{}
	way := []*TreeNode{top} // by depth, below top: the tree nodes of the current path; nil if not attached yet
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

// attach adds the last of nodes to the tree, with its ancestors that are not in it yet.
func (p *branch) attach(way []*TreeNode, nodes []*mdstore.Node) {
	for i, n := range nodes {
		if way[i+1] != nil {
			continue
		}
		way[i+1] = p.treeNode(n)
		way[i+1].Passed = i < len(nodes)-1
		way[i].Children = append(way[i].Children, way[i+1])
	}
}

func (p *branch) treeNode(n *mdstore.Node) *TreeNode {
	t := &TreeNode{
		ID: string(n.ID), Head: p.s.HeadOn(n, p.today), Focused: p.focus == n.ID,
		HasProblem: n.HasProblem(), Damaged: n.Editable() != nil,
		BlockedBy: waitsFor(p.open[n.ID]), ClaimedBy: p.by(n.ID), Children: []*TreeNode{},
	}
	if p.own != nil {
		t.Own = p.own(n)
	}
	return t
}

// prune keeps the first room nodes of a tree, in tree order. It counts the others in Hidden of the node that they hung
// below.
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

// Rows returns at most limit rows for drawing a tree. Nodes that are left out are counted at the node above them. A
// negative limit means no limit.
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
