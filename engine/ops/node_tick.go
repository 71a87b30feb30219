package ops

import (
	"context"

	"arbor/engine/plan"
	"arbor/mdstore"
)

type NodeTickIn struct {
	In
	NodeID string
	Field  string // "requirement", "conclusion", "note", or the index of an own text in NodeInfo.Sections
	Line   int    // of that text as NodeGet returns it, from 0
	Done   bool
	Match
	Write
}

// NodeTick ticks a task box where it stands in a text of a node, or takes the tick away. It changes one character of
// the file. Only the page has it: programs tick criteria.
func NodeTick(ctx context.Context, env *Env, in NodeTickIn) (*Wrote, error) {
	t := env.target(ctx, in.WorkspaceID, in.NodeID)
	if t.err != nil {
		return nil, t.err
	}
	ctx = mdstore.WithOperation(ctx, nodeUpdate.deed(env, &NodeUpdateIn{In: in.In, NodeID: in.NodeID}))
	x := plan.TickLine{Node: t.node, Field: in.Field, Line: in.Line, Done: in.Done}
	_, w, err := apply(ctx, env, t, env.act(in.Write, in.Match), x, "{node_get} shows it as it is now")
	if err != nil {
		return nil, err
	}
	return &w, nil
}
