package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
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
	PreviousParentID string         `json:"previousParentId"`
	CascadeUpdates   []plan.Cascade `json:"cascadeUpdates"`
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
	s, id, err := env.At(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	parent, err := env.resolve(s, in.NewParentID, "newParentId")
	if err != nil {
		return nil, recoded(err, errs.NodeNotFound, errs.ParentNotFound)
	}
	m := plan.Move{Node: id, Parent: parent, Cascade: in.Cascade}
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
	r, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, in.Match), m)
	if err != nil {
		return nil, fail(err)
	}
	return &NodeMoveOut{PreviousParentID: string(r.Previous), CascadeUpdates: nonNil(r.Cascades), Wrote: env.wrote(ctx, s.Workspace().ID, o, "node_list shows the tree as it is now")}, nil
}
