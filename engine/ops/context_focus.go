package ops

import (
	"cmp"
	"context"

	"arbor/engine"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
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
Starting a node moves the focus of the session, or of this machine; this command
also moves the one in Workspace.md, which counts for everybody who has none. A
session that is bound keeps its focus to itself. Without NODE it prints the
focused node.`,
	Example: `arbor focus node-mj2hz4gy
arbor focus`,
})

// ContextFocus moves the focus of a bound session. Without one it moves the focus that everybody shares, and this
// machine's along with it.
func ContextFocus(ctx context.Context, env *Env, in ContextFocusIn) (*ContextFocusOut, error) {
	s, id, err := env.At(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	w := s.Workspace()
	was, _ := env.Focus(ctx, s)
	out := &ContextFocusOut{FocusedNodeID: string(id), PreviousFocusedNodeID: string(was)}
	act := env.act(in.Write, in.Match)
	o, bound, err := engine.SetFocus(ctx, env.Engine, env.Session, w.ID, id, plan.Act{Operator: act.Operator, DryRun: true})
	if err != nil {
		return nil, fail(err)
	}
	const hint = "context_get without nodeId is about this node now"
	if bound {
		if in.IfMatch != "" {
			return nil, badParam("ifMatch", "the session has a focus of its own, which is in no file that has a version; leave ifMatch out")
		}
		if !in.DryRun {
			if o, _, err = engine.SetFocus(ctx, env.Engine, env.Session, w.ID, id, act); err != nil {
				return nil, fail(err)
			}
		}
		out.Wrote = env.wrote(ctx, w.ID, o, hint)
		return out, nil
	}
	if _, o, err = engine.Apply(ctx, env.Engine, w.ID, act, plan.Focus{Node: id}); err != nil {
		return nil, fail(err)
	}
	out.Wrote = env.wrote(ctx, w.ID, o, hint)
	if out.Hint = env.refocus(ctx, w.ID, id, in.Write, out.Hint); was != id && !in.DryRun && !o.Changed() {
		what := view.Change{ID: w.ID, Key: "focus", From: string(cmp.Or(was, "nothing")), To: string(id)}
		out.Changed, out.Hint = true, hint
		out.Files = []FileDiff{{Path: mdstore.LocalDir + "/" + string(engine.MachineFile), Lines: 1, What: []view.Change{what}}}
	}
	return out, nil
}
