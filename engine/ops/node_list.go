package ops

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore"
	"arbor/statemachine"
)

// NodeListIn asks for nodes as a tree.
type NodeListIn struct {
	In
	RootID string   `json:"rootId,omitempty" arg:"NODE" is:"node" help:"the node to start at; the root unless given"`
	Depth  int      `json:"depth,omitempty" min:"0" flag:"depth,d" help:"only N levels below the start; 0 for all"`
	Status []string `json:"status,omitempty" flag:"status,s" is:"status" help:"only nodes in these STATUSES, separated by commas"`
	Type   string   `json:"type,omitempty" flag:"type,t" enum:"planning,execution"`
	Limit  int      `json:"limit,omitempty" min:"-1" flag:"limit,n" help:"at most N nodes; 200 unless given"`
	Cursor string   `json:"cursor,omitempty" help:"continue at the CURSOR of an earlier page"`
}

// NodeListOut is a tree of nodes.
type NodeListOut struct {
	Tree   []*TreeNode `json:"tree"`
	Above  int         `json:"above,omitempty"` // levels above the tree that are left out of it, where results are bounded
	Total  int         `json:"total"`           // nodes that match
	Shown  int         `json:"shown"`
	Cursor string      `json:"cursor,omitempty"` // brings what follows; "" at the end
	Lost   int         `json:"lost,omitempty"`   // files of nodes that are in no place of the tree: damaged ones, and those below a parent that is missing
	Out
}

const (
	listLimit = 200 // nodes that a list shows unless told otherwise
	leastNode = 140 // bytes that a node takes in a reply at least
)

var nodeList = op("node_list", reads|repeats, NodeList, Help{
	Summary: "list nodes in the order of the tree",
	Use:     "list [NODE]",
	Also:    "node list",
	Aliases: "ls",
	Text: `Id, status, type and title of every node, or of those below NODE. Made for grep
and scripts: -q prints only ids, --fields only what is asked for. With --json
nodes is one flat list in tree order. When there are more than fit, the printed
cursor brings the next page, and --all brings everything at once.`,
	Example: `arbor list --status implementing,validating
arbor list Backend --type execution -q
arbor list --json --fields id,title,parentId
arbor list --all | grep -i login`,
})

// NodeList returns nodes as a tree, bounded.
func NodeList(ctx context.Context, env *Env, in NodeListIn) (*NodeListOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
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
			return nil, badParam("status", "status %q: %s are the statuses of planning nodes, and %s those of execution nodes", st, listed(statemachine.Statuses(statemachine.Planning)), listed(statemachine.Statuses(statemachine.Execution)))
		}
	}
	limit := in.Limit
	if limit == 0 {
		limit = listLimit
	}
	focus, _ := env.Focus(ctx, s)
	p := page{s: s, focus: focus, by: claimants(ctx, env, s.Workspace().ID), limit: limit, depth: in.Depth, match: func(n *mdstore.Node) bool {
		return (len(in.Status) == 0 || slices.Contains(in.Status, string(n.Status))) && (in.Type == "" || in.Type == string(n.Type))
	}}
	if in.Cursor != "" {
		if p.after, err = after(s, in.Cursor); err != nil {
			return nil, err
		}
	}
	if most := env.MaxBytes / leastNode; env.bounded() && (limit < 0 || limit > most) {
		limit = max(1, most)
	}
	out := &NodeListOut{}
	env.fit(out, limit, func(n int) {
		p.limit = n
		*out = *env.list(&p, root)
	})
	out.Sends(s.Workspace().ID)
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

// list collects a page as a result. Where that is bounded, the way to its first node takes a quarter of the room at
// most: what is too much goes at the top.
func (env *Env) list(p *page, root mdstore.ID) *NodeListOut {
	out := &NodeListOut{Tree: p.collect(root), Total: p.total, Shown: p.shown, Cursor: cursorAt(p.s, p.next), Out: Out{Hint: "node_get shows one, context_get what its work needs"}}
	if out.Cursor != "" {
		out.Hint = shownOf(out.Shown, out.Total, "nodes", "cursor "+out.Cursor+" brings the next, depth or status narrow it")
	}
	if root == mdstore.Root {
		if out.Lost = p.s.Len() + len(p.s.Broken()) - p.met; out.Lost > 0 {
			out.Hint += "; " + LostFiles(out.Lost) + ": workspace_check names them"
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
