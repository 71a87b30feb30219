package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/plan"
)

// ContextFocusIn moves a workspace's focus.
type ContextFocusIn struct {
	In
	NodeID string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Match
	Write
}

// ContextFocusOut is the result of context_focus.
type ContextFocusOut struct {
	FocusedNodeID         string `json:"focusedNodeId"`
	PreviousFocusedNodeID string `json:"previousFocusedNodeId"`
	Wrote
}

var contextFocus = op("context_focus", writes|repeats, ContextFocus, Help{
	Summary: "move the focus to a node",
	Use:     "focus [NODE]",
	Text: `The focused node is the one that "." names, and the default of arbor context.
Without NODE it prints the focused node.`,
	Example: `arbor focus node-mj2hz4gy
arbor focus`,
})

// ContextFocus moves a workspace's focus.
func ContextFocus(ctx context.Context, env *Env, in ContextFocusIn) (*ContextFocusOut, error) {
	s, id, err := env.At(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	w := s.Workspace()
	_, o, err := engine.Apply(ctx, env.Engine, w.ID, env.act(in.Write, in.Match), plan.Focus{Node: id})
	if err != nil {
		return nil, fail(err)
	}
	hint := env.refocus(ctx, w.ID, id, in.Write, "context_get without nodeId is about this node now")
	return &ContextFocusOut{FocusedNodeID: string(id), PreviousFocusedNodeID: string(w.Focus), Wrote: env.wrote(ctx, w.ID, o, hint)}, nil
}
