package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/plan"
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
	Summary: "separate the context of a node from its ancestors, or join it again",
	Use:     "isolate NODE",
	Also:    "node isolate",
	Text: `The context of the node and of all below it begins at the node then; the goal,
rules and documents of the workspace stay in it. --off joins it again.`,
	Example: `arbor isolate node-mj2hz4gy
arbor isolate node-mj2hz4gy --off`,
})

// NodeIsolate cuts a node's context off from its ancestors, or joins it again.
func NodeIsolate(ctx context.Context, env *Env, in NodeIsolateIn) (*NodeIsolateOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	hint := "its context begins with itself now"
	if !in.Isolate {
		hint = "its context begins with its ancestors again"
	}
	_, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, in.Match), plan.Isolate{Node: id, Isolate: in.Isolate})
	if err != nil {
		return nil, fail(err)
	}
	return &NodeIsolateOut{Isolated: in.Isolate, Wrote: env.wrote(ctx, s.Workspace().ID, o, hint)}, nil
}
