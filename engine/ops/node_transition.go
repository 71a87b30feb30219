package ops

import (
	"context"
	"strings"

	"arbor/engine"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// NodeTransitionIn moves a node along its life cycle.
type NodeTransitionIn struct {
	In
	NodeID     string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Action     string `json:"action" req:"true" arg:"ACTION" flag:"-" enum:"start,submit,complete,fail,retry,reopen,cancel" judge:"engine"`
	Conclusion string `json:"conclusion,omitempty" text:"the conclusion" help:"the result, in Markdown; complete, fail and cancel need one"`
	Reason     string `json:"reason,omitempty" empty:"ok" help:"the REASON, for the log"`
	Cascade    bool   `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Match
	Write
}

// NodeTransitionOut says what moved.
type NodeTransitionOut struct {
	NodeID         string         `json:"nodeId"`
	PreviousStatus string         `json:"previousStatus"`
	CurrentStatus  string         `json:"currentStatus"`
	CascadeUpdates []plan.Cascade `json:"cascadeUpdates"`
	Archived       *plan.Archived `json:"archived,omitempty"`
	Wrote
}

var nodeTransition = op("node_transition", writes, NodeTransition, Help{
	Summary: "start, submit, complete, fail, retry, reopen or cancel a node",
	Advice:  "complete, fail and cancel need a conclusion.",
	Use:     "node transition NODE ACTION [-]",
	Text: `The actions are start, submit, complete, fail, retry, reopen, cancel; each is a
command of its own as well.`,
	Example: `arbor node transition node-mj2hz4gy complete -m "Done"`,
})

// NodeTransition moves a node along its life cycle.
func NodeTransition(ctx context.Context, env *Env, in NodeTransitionIn) (*NodeTransitionOut, error) {
	s, id, err := env.At(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	t, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, in.Match), plan.Transition{
		Node: id, Action: statemachine.Action(in.Action), Conclusion: in.Conclusion, Reason: in.Reason, Cascade: in.Cascade,
	})
	if err != nil {
		return nil, fail(err)
	}
	hint := "nothing is left to do with it"
	if n, ok := s.Node(id); ok {
		if next := actions(n.Type, t.To); len(next) > 0 {
			hint = "next it can: " + strings.Join(next, ", ")
		}
		if t.To == statemachine.InPlanning {
			hint = "divide it with node_create; " + hint
		}
	}
	if t.TakesFocus {
		hint = env.refocus(ctx, s.Workspace().ID, id, in.Write, hint)
	}
	out := &NodeTransitionOut{NodeID: string(id), PreviousStatus: string(t.From), CurrentStatus: string(t.To), CascadeUpdates: nonNil(t.Cascades),
		Archived: t.Archived, Wrote: env.wrote(ctx, s.Workspace().ID, o, hint)}
	if env.Brief && in.NodeID == out.NodeID {
		out.NodeID = "" // nothing that was given is repeated
	}
	if env.Brief && out.Hint == "" && t.To == statemachine.InPlanning {
		out.Hint = hint
	}
	return out, nil
}

// allowed returns the actions that can be taken with a node: none where its workspace or its file takes no writes.
func allowed(s *view.View, n *mdstore.Node) []string {
	if mdstore.Archived(s.Workspace().Dir) || n.Editable() != nil {
		return []string{}
	}
	return actions(n.Type, n.Status)
}

func actions(t statemachine.Type, s statemachine.Status) []string {
	out := []string{}
	for _, a := range statemachine.Allowed(t, s) {
		out = append(out, string(a))
	}
	return out
}
