package ops

import (
	"context"
	"strings"

	"arbor/engine/check"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// NodeGetIn asks for a node.
type NodeGetIn struct {
	In
	NodeID string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
}

// NodeGetOut is a node.
type NodeGetOut struct {
	Node NodeInfo `json:"node"`
	Out
}

// NodeInfo is what a Node.md says.
type NodeInfo struct {
	ID string `json:"id"`
	mdstore.Head
	ParentID    string             `json:"parentId"`
	Requirement string             `json:"requirement"`
	Conclusion  string             `json:"conclusion"`
	Note        string             `json:"note"`
	Docs        []mdstore.Ref      `json:"docs"`
	References  []Reference        `json:"references"`
	Problem     *mdstore.Problem   `json:"problem"`
	Log         []mdstore.LogEntry `json:"log"`
	LogHidden   int                `json:"logHidden,omitempty"` // older entries, where results are bounded
	Children    []string           `json:"children"`
	MoreKids    int                `json:"childrenHidden,omitempty"` // further children, where results are bounded
	Allowed     []string           `json:"allowed"`                  // the actions that its status allows; none in an archived workspace
	CreatedAt   int64              `json:"createdAt"`
	UpdatedAt   int64              `json:"updatedAt"`
	Path        string             `json:"path" only:"verbose"`
	Version     string             `json:"version"`
	Claim
	Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty" only:"rarely"`
}

var nodeGet = op("node_get", reads|repeats, NodeGet, Help{
	Summary: "show a node and the actions that it allows",
	Use:     "show NODE",
	Also:    "node get",
	Aliases: "view cat",
	Text: `All sections of the node, the newest entries of its log, and the actions that
its status allows. The version in the last line goes with --if-match. To work
on the node, read arbor context: it has more.`,
	Example: `arbor show node-mj2hz4gy
arbor show "Sign-in endpoint"
arbor show . --json`,
})

// NodeGet returns a node.
var NodeGet = reading(func(ctx context.Context, env *Env, in NodeGetIn) (*NodeGetOut, error) {
	s, id, err := env.At(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	n, err := s.Known(id)
	if err != nil {
		return nil, fail(err)
	}
	out := &NodeGetOut{Node: NodeInfo{
		ID: string(n.ID), Head: n.Head, ParentID: string(n.Parent),
		Requirement: n.Requirement(), Conclusion: n.Conclusion(), Note: n.Note(), Docs: nonNil(n.Docs()), References: references(s, view.References(s, n)), Problem: problem(n.Problem()),
		Log: nonNil(n.Log()), Children: []string{}, Allowed: allowed(s, n), CreatedAt: n.CreatedAt, UpdatedAt: n.UpdatedAt, Path: env.path(n.Path),
		Version: n.Version().String(), Claim: env.claimOf(ctx, s.Workspace().ID, n), Diagnostics: check.Node(s, n),
	}}
	out.Sends(s.Workspace().ID, id)
	out.Node.Log, out.Node.LogHidden = newest(env, out.Node.Log, boundedItems)
	kids, hidden := first(env, s.Children(id), boundedIDs)
	out.Node.MoreKids = hidden
	for _, k := range kids {
		out.Node.Children = append(out.Node.Children, string(k))
	}
	switch {
	case n.Editable() != nil:
		out.Hint = damaged(out.Node.Diagnostics)
	case len(out.Node.Diagnostics) > 0:
		out.Hint = found(out.Node.Diagnostics)
	case out.Node.MoreKids > 0:
		out.Hint = shownOf(len(kids), len(kids)+out.Node.MoreKids, "children", "node_list with this node as rootId brings all")
	case mdstore.Archived(s.Workspace().Dir):
		out.Hint = archivedHint
	case len(out.Node.Allowed) > 0:
		out.Hint = "node_transition can: " + strings.Join(out.Node.Allowed, ", ")
	default:
		out.Hint = "nothing is left to do with it"
	}
	return out, nil
})
