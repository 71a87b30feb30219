package ops

import "context"

// NodeIsolateIn cuts a node's context off from its ancestors, or joins it again.
type NodeIsolateIn struct {
	In
	NodeID  string `json:"nodeId" req:"true"`
	Isolate bool   `json:"isolate" req:"true"`
	Match
	Write
}

// NodeIsolateOut is the result of node_isolate.
type NodeIsolateOut struct {
	Isolated bool `json:"isolated"`
	Wrote
}

var nodeIsolate = op("node_isolate", "cut a node's context off from its ancestors, or join it again", writes|repeats, NodeIsolate)

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
	o, err := env.Engine.Isolate(ctx, s.Workspace().ID, id, in.Isolate, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &NodeIsolateOut{Isolated: in.Isolate, Wrote: env.wrote(ctx, s.Workspace().ID, o, hint)}, nil
}
