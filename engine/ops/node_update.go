package ops

import (
	"context"

	"arbor/engine"
)

// NodeUpdateIn changes a node's texts; what is absent stays.
type NodeUpdateIn struct {
	In
	NodeID      string  `json:"nodeId" req:"true"`
	Title       *string `json:"title,omitempty"`
	Requirement *string `json:"requirement,omitempty"`
	Note        *string `json:"note,omitempty"`
	Conclusion  *string `json:"conclusion,omitempty"`
	Match
	Write
}

// NodeUpdateOut is the result of node_update.
type NodeUpdateOut struct{ Wrote }

var nodeUpdate = op("node_update", "give a node another title, requirement, note or conclusion", writes|repeats, NodeUpdate)

// NodeUpdate changes a node's texts.
func NodeUpdate(ctx context.Context, env *Env, in NodeUpdateIn) (*NodeUpdateOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	if in.Title == nil && in.Requirement == nil && in.Note == nil && in.Conclusion == nil {
		return nil, engine.Fail(engine.InvalidParams, "nothing is to be updated; give title, requirement, note or conclusion")
	}
	o, err := env.Engine.UpdateNode(ctx, s.Workspace().ID, id, engine.NodeTexts{Title: in.Title, Requirement: in.Requirement, Note: in.Note, Conclusion: in.Conclusion}, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &NodeUpdateOut{env.wrote(ctx, s.Workspace().ID, o, "node_get shows it as it is now")}, nil
}
