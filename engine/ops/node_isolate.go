package ops

import (
	"context"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// NodeIsolateIn cuts a node's context off from its ancestors, or joins it again.
type NodeIsolateIn struct {
	In
	NodeID  string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Isolate bool   `json:"isolate" req:"true" flag:"-"`
	Match
	Write
}

// NodeIsolateOut is the result of node_isolate.
type NodeIsolateOut struct {
	Isolated bool `json:"isolated"`
	Wrote
}

var nodeIsolate = op("node_isolate", writes|repeats, NodeIsolate, Help{
	Summary: "cut a node's context off from its ancestors, or join it again",
	Use:     "isolate NODE",
	Also:    "node isolate",
	Text: `The context of the node and of all below it begins at the node then; the goal,
rules and documents of the workspace stay in it. --off joins it again.`,
	Example: `arbor isolate node-mj2hz4gy
arbor isolate node-mj2hz4gy --off`,
})

// NodeIsolate cuts a node's context off from its ancestors, or joins it again.
func NodeIsolate(ctx context.Context, env *Env, in NodeIsolateIn) (*NodeIsolateOut, error) {
	hint := "its context begins with itself now"
	if !in.Isolate {
		hint = "its context begins with its ancestors again"
	}
	t := env.target(ctx, in.WorkspaceID, in.NodeID)
	p := plan.NodeTexts{Node: t.node, Fields: mdstore.Fields{Isolated: &in.Isolate}}
	_, w, err := apply(ctx, env, t, env.act(in.Write, in.Match), p, hint)
	if err != nil {
		return nil, err
	}
	return &NodeIsolateOut{Isolated: in.Isolate, Wrote: w}, nil
}
