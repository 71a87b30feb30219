package ops

import (
	"context"

	"arbor/engine"
)

// NodeMoveIn gives a node another parent or place.
type NodeMoveIn struct {
	In
	NodeID      string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	NewParentID string `json:"newParentId" req:"true" arg:"PARENT" is:"node"`
	Before      string `json:"before,omitempty" is:"node" help:"put it before this SIBLING"`
	After       string `json:"after,omitempty" is:"node" help:"put it after this SIBLING"`
	Cascade     bool   `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Match
	Write
}

// NodeMoveOut is the result of node_move.
type NodeMoveOut struct {
	PreviousParentID string           `json:"previousParentId"`
	CascadeUpdates   []engine.Cascade `json:"cascadeUpdates"`
	Wrote
}

var nodeMove = op("node_move", writes|repeats, NodeMove, Help{
	Summary: "give a node another parent or another place",
	Use:     "node move NODE PARENT",
	Aliases: "mv",
	Text: `All below the node comes along. With --before or --after it gets that place
among its siblings, and no file of a sibling changes. The folders stay where
they are: the parent is in the file.`,
	Example: "arbor node move node-mj2hz4gy root --before node-mj2hzz01",
})

// NodeMove gives a node another parent or place.
func NodeMove(ctx context.Context, env *Env, in NodeMoveIn) (*NodeMoveOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	parent, err := env.resolve(s, in.NewParentID, "newParentId")
	if err != nil {
		return nil, recoded(err, engine.NodeNotFound, engine.ParentNotFound)
	}
	m := engine.Move{Node: id, Parent: parent, Cascade: in.Cascade}
	if in.Before != "" {
		if m.Before, err = env.resolve(s, in.Before, "before"); err != nil {
			return nil, err
		}
	}
	if in.After != "" {
		if m.After, err = env.resolve(s, in.After, "after"); err != nil {
			return nil, err
		}
	}
	r, err := env.Engine.Move(ctx, s.Workspace().ID, m, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &NodeMoveOut{PreviousParentID: string(r.Previous), CascadeUpdates: nonNil(r.Cascades), Wrote: env.wrote(ctx, s.Workspace().ID, r.Outcome, "node_list shows the tree as it is now")}, nil
}
