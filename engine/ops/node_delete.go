package ops

import (
	"context"
	"slices"

	"arbor/engine"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// NodeDeleteIn moves a node and all below it to the trash.
type NodeDeleteIn struct {
	In
	NodeID string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Match
	Write
}

// NodeDeleteOut says where the nodes went.
type NodeDeleteOut struct {
	DeletedCount int    `json:"deletedCount"`
	Trash        string `json:"trash"`
	Wrote
}

var nodeDelete = op("node_delete", writes|destroys, NodeDelete, Help{
	Summary: "move a node and all below it to the trash",
	Use:     "node delete NODE",
	Aliases: "rm remove",
	Text: `References to it from other nodes are marked as expired.
` + confirmText,
	Example: `arbor node delete node-mj2hz4gy --dry-run
arbor node delete node-mj2hz4gy --yes`,
})

// NodeDelete moves a node and all below it to the trash.
func NodeDelete(ctx context.Context, env *Env, in NodeDeleteIn) (*NodeDeleteOut, error) {
	t := env.target(ctx, in.WorkspaceID, in.NodeID)
	was := engine.Focus{}
	if t.err == nil {
		was = engine.FocusOf(ctx, env.Engine, t.view, env.Session, env.host)
	}
	d, w, err := apply(ctx, env, t, env.act(in.Write, in.Match), plan.Delete{Node: t.node},
		"the folders lie in the trash, whole: arbor restore brings them back")
	if err != nil {
		return nil, err
	}
	if below(t.view, was.Node, t.node) && !was.Shared {
		n, _ := t.view.Node(t.node)
		w.Hint = env.refocus(ctx, t.ws, n.Parent, in.Write, w.Hint)
	}
	return &NodeDeleteOut{DeletedCount: d.Count, Trash: string(d.Trash), Wrote: w}, nil
}

// below reports whether a node is the top or hangs below it.
func below(s *view.View, id, top mdstore.ID) bool {
	up, _ := s.Ancestors(id)
	return id == top || slices.ContainsFunc(up, func(a *mdstore.Node) bool { return a.ID == top })
}
