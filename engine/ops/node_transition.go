package ops

import (
	"context"
	"slices"
	"strings"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

type NodeTransitionIn struct {
	In
	NodeID     string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Action     string `json:"action" req:"true" arg:"ACTION" flag:"-" is:"action" judge:"engine"`
	Conclusion string `json:"conclusion,omitempty" text:"the conclusion" help:"the result, in Markdown; complete, fail and cancel need one"`
	Reason     string `json:"reason,omitempty" empty:"ok" help:"the REASON, for the log"`
	Log        string `json:"log,omitempty" empty:"ok" help:"a log entry of its own in the same commit: what HAPPENED"`
	Context    bool   `json:"context,omitempty" flag:"-" help:"with start, retry and reopen: the context is in the reply"`
	Cascade    bool   `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Match
	Write

	Drop bool `json:"-"` // give the node up, whatever it takes: see plan.Drop
}

type NodeTransitionOut struct {
	NodeID         string         `json:"nodeId"`
	PreviousStatus string         `json:"previousStatus"`
	CurrentStatus  string         `json:"currentStatus"`
	CascadeUpdates []plan.Cascade `json:"cascadeUpdates"`
	Archived       *plan.Archived `json:"archived,omitempty"`
	Next           *NextNode      `json:"next,omitempty"` // after complete and fail: the node that can be worked on next
	// what the parent waits for, if no node is next
	Waits   *Waits       `json:"waits,omitempty"`
	Context *NodeContext `json:"context,omitempty" like:"context_get"` // only if the call asked for it
	Wrote
}

// NodeContext is what context_get returns of the node.
type NodeContext struct{ *assemble.Bundle }

// Waits are the open children that a planning node waits for.
type Waits struct {
	NodeID string    `json:"nodeId"`
	Title  string    `json:"title"`
	For    []Running `json:"for"`
}

var nodeTransition = op("node_transition", writes, NodeTransition, Help{
	Summary: "start, submit, complete, fail, retry, reopen or cancel a node",
	Advice:  "complete, fail and cancel need a conclusion.",
	Use:     "node transition NODE ACTION [-]",
	Text: `The actions are start, submit, complete, fail, retry, reopen, cancel; each is a
command of its own as well.`,
	Example: `arbor node transition node-mj2hz4gy complete -m "Done"`,
})

// NodeTransition changes a node's status by an action of its life cycle.
func NodeTransition(ctx context.Context, env *Env, in NodeTransitionIn) (*NodeTransitionOut, error) {
	s, id, err := env.At(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	action, resumes := statemachine.Action(in.Action), []statemachine.Action{statemachine.Start, statemachine.Retry, statemachine.Reopen}
	if in.Context && !slices.Contains(resumes, action) {
		return nil, badParam("context", "context goes with start, retry and reopen; %s has none", in.Action)
	}
	step := plan.Transition{Node: id, Action: action, Conclusion: in.Conclusion, Reason: in.Reason, Log: in.Log, Cascade: in.Cascade}
	var do plan.Operation[*plan.Transitioned] = step
	if in.Drop {
		do = plan.Drop{Transition: step}
	}
	t, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, in.Match), do)
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
	if env.Detail == DetailBrief && in.NodeID == out.NodeID {
		out.NodeID = "" // the reply does not repeat the arguments
	}
	if env.Detail == DetailBrief && out.Hint == "" && t.To == statemachine.InPlanning {
		out.Hint = hint
	}
	if in.DryRun {
		return out, nil
	}
	if action == statemachine.Complete || action == statemachine.Fail {
		env.whatNext(ctx, out, s.Workspace().ID, id)
	}
	if in.Context {
		env.withContext(ctx, out, s.Workspace().ID, id)
	}
	return out, nil
}

// whatNext adds the node that can be worked on next, as node_next would offer it. If there is none, it adds what the
// nearest open ancestor waits for. The transition is committed already, so an error only leaves these out.
func (env *Env) whatNext(ctx context.Context, out *NodeTransitionOut, ws, id mdstore.ID) {
	offer, err := env.Engine.Next(ctx, ws, env.act(Write{}, Match{}), 1, 0)
	if err != nil {
		return
	}
	if len(offer.Nodes) > 0 {
		out.Next = &env.next(offer.Nodes, false)[0]
		if env.Detail == DetailBrief { // the caller knows the plan, and the status tells the type
			out.Next.Type, out.Next.Way, out.Next.Allowed = "", nil, nil
		}
		return
	}
	s, err := env.Engine.View(ctx, ws)
	if err != nil {
		return
	}
	n, _ := s.Node(id)
	for n != nil {
		if n, _ = s.Node(n.Parent); n == nil || statemachine.Terminal(n.Status) {
			continue
		}
		out.Waits = &Waits{NodeID: string(n.ID), Title: n.Title, For: []Running{}}
		open := s.OpenChildren(n.ID)
		shown, _ := first(env, open, boundedItems)
		held, _ := env.Engine.Claims(ctx) // empty if they cannot be told
		for _, k := range shown {
			kid, _ := s.Node(mdstore.ID(k))
			out.Waits.For = append(out.Waits.For, runningOf(held, ws, kid))
		}
		return
	}
}

// withContext adds the context of the node, as far as the reply has room for it.
func (env *Env) withContext(ctx context.Context, out *NodeTransitionOut, ws, id mdstore.ID) {
	rest := *env
	if env.bounded() {
		rest.MaxBytes = max(1, env.MaxBytes-env.sizeOf(out))
	}
	c, err := ContextGet(ctx, &rest, ContextGetIn{In: In{WorkspaceID: string(ws)}, NodeID: string(id)})
	if err != nil {
		out.Hint = "done; but the context cannot be told: " + err.Error() + "; context_get brings it"
		return
	}
	out.Context = &NodeContext{c.Bundle}
	out.Sends(c.ws, c.nodes...)
}

// allowed returns the actions that a node's status allows: none if its workspace is archived or its file is damaged.
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
