package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/internal/people"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

type NodeTransitionIn struct {
	In
	NodeID     string   `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Action     string   `json:"action" req:"true" arg:"ACTION" flag:"-" is:"action" judge:"engine"`
	Conclusion string   `json:"conclusion,omitempty" text:"the conclusion" help:"the result, in Markdown; required by complete, fail and cancel"`
	Reason     string   `json:"reason,omitempty" empty:"ok" help:"the REASON, for the log"`
	Log        string   `json:"log,omitempty" empty:"ok" help:"also add a log entry that says what HAPPENED"`
	Context    bool     `json:"context,omitempty" flag:"-" help:"with start, retry and reopen: include the context in the reply"`
	Have       []string `json:"have,omitempty" flag:"-" listed:"never" help:"for context: see context_get"`
	Cascade    bool     `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Force      bool     `json:"force,omitempty" help:"act despite open dependencies or criteria"`
	Match
	Write

	Checked []string `json:"checked,omitempty" flag:"tick" help:"criteria to tick, by NUMBERS or beginning"`

	Several
	Begin bool `json:"-"` // complete starts a pending execution node first
}

type NodeTransitionOut struct {
	NodeID         string         `json:"nodeId"`
	PreviousStatus string         `json:"previousStatus" only:"verbose"`
	CurrentStatus  string         `json:"currentStatus"`
	CascadeUpdates []plan.Cascade `json:"cascadeUpdates"`
	Archived       *plan.Archived `json:"archived,omitempty"`
	Unblocked      []Titled       `json:"unblocked,omitempty"` // nodes that became ready because this one is completed
	Next           *NextNode      `json:"next,omitempty"`      // after complete and fail: the node that can be worked on next
	// what the parent waits for, if no node is next
	Waits   *Waits       `json:"waits,omitempty"`
	Context *NodeContext `json:"context,omitempty" like:"context_get"` // only if the call asked for it
	Nodes   []Moved      `json:"nodes,omitempty" only:"rarely"`        // all nodes of a call that names several
	Wrote
}

// Moved says from which status to which a node went.
type Moved struct {
	NodeID         string `json:"nodeId"`
	PreviousStatus string `json:"previousStatus"`
	CurrentStatus  string `json:"currentStatus"`
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
	Summary: "start, submit, complete, fail, retry, reopen, cancel or drop a node",
	Advice:  "complete, fail, cancel and drop need a conclusion.",
	Use:     "node transition NODE ACTION [-]",
	Text: `The actions are start, submit, complete, fail, retry, reopen, cancel and drop;
each is also a command.`,
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
	if len(in.Nodes) > 0 && len(in.Checked) > 0 {
		return nil, badParam("checked", "checked works on one node only")
	}
	if err := env.mayForce(in); err != nil {
		return nil, err
	}
	ids, err := env.others(s, id, in.Nodes, in.Match)
	if err != nil {
		return nil, err
	}
	var steps plan.Each[plan.Transition, *plan.Transitioned]
	for _, id := range ids {
		steps = append(steps, plan.Transition{Node: id, Action: action, Conclusion: in.Conclusion, Reason: in.Reason,
			Log: in.Log, Cascade: in.Cascade, Force: in.Force, Begin: in.Begin, Ticks: plan.Ticks{On: in.Checked}})
	}
	if action == statemachine.Complete && !in.Force && !in.DryRun {
		if err := env.verifies(ctx, s, in, steps); err != nil {
			return nil, err
		}
	}
	all, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, in.Match), steps)
	if err != nil {
		return nil, fail(err)
	}
	t, hint := all[0], env.canNow(ctx, s.Workspace().ID, id, in.Write)
	if t.TakesFocus {
		hint = env.refocus(ctx, s.Workspace().ID, id, in.Write, hint)
	}
	out := &NodeTransitionOut{NodeID: string(id), PreviousStatus: string(t.From), CurrentStatus: string(t.To),
		CascadeUpdates: []plan.Cascade{}}
	for i, t := range all {
		out.CascadeUpdates = append(out.CascadeUpdates, t.Cascades...)
		if t.Archived != nil && out.Archived != nil {
			out.Archived.Rules = append(out.Archived.Rules, t.Archived.Rules...)
			out.Archived.Docs = append(out.Archived.Docs, t.Archived.Docs...)
		} else if t.Archived != nil {
			out.Archived = t.Archived
		}
		if len(all) > 1 {
			out.Nodes = append(out.Nodes, Moved{string(ids[i]), string(t.From), string(t.To)})
		}
	}
	out.Wrote = env.wrote(ctx, s.Workspace().ID, o, hint)
	out.about = ids
	if env.Detail == DetailBrief && (in.NodeID == out.NodeID || in.NodeID == id.Short()) {
		out.NodeID = "" // the reply does not repeat the arguments
	}
	if env.Detail == DetailBrief && out.Hint == "" && t.To == statemachine.InPlanning {
		out.Hint = hint
	}
	if in.DryRun {
		return out, nil
	}
	if action == statemachine.Complete {
		out.Unblocked = env.unblocked(ctx, s)
	}
	if slices.Contains([]statemachine.Action{statemachine.Complete, statemachine.Fail, statemachine.Drop}, action) {
		env.whatNext(ctx, out, s.Workspace().ID, id)
	}
	if in.Context {
		of := In{WorkspaceID: string(s.Workspace().ID)}
		env.withContext(ctx, out, ContextGetIn{In: of, NodeID: string(id), Have: in.Have})
	}
	return out, nil
}

// mayForce refuses the force of a completion to all but a person.
func (env *Env) mayForce(in NodeTransitionIn) error {
	if !in.Force || statemachine.Action(in.Action) != statemachine.Complete || decides(env) {
		return nil
	}
	if env.Who != nil {
		return lacks(env.Who, in.NodeID+": a completion by force", people.Decide)
	}
	return errs.New(errs.ToolRefused, "%s: only a person completes a node by force, "+
		"at a terminal (arbor complete --force) or on the page; "+
		"tick what holds ({.checked}), and say in the log what is in the way", in.NodeID)
}

// whatNext adds the node that can be worked on next, as node_next would offer it. If there is none, it adds what the
// nearest open ancestor waits for. The transition is committed already, so an error only leaves these out.
func (env *Env) whatNext(ctx context.Context, out *NodeTransitionOut, ws, id mdstore.ID) {
	s, err := env.Engine.View(ctx, ws)
	if err != nil {
		return
	}
	offer, err := env.Engine.Next(ctx, ws, env.act(Write{}, Match{}), 1, 0)
	if err != nil {
		return
	}
	if len(offer.Nodes) > 0 {
		out.Next = &env.next(s, offer.Nodes, false)[0]
		if env.Detail == DetailBrief { // the caller knows the plan, and the status tells the type
			out.Next.Type, out.Next.Way, out.Next.Allowed = "", nil, nil
		}
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
func (env *Env) withContext(ctx context.Context, out *NodeTransitionOut, in ContextGetIn) {
	rest := *env
	if env.bounded() {
		rest.MaxBytes = max(1, env.MaxBytes-env.sizeOf(out))
	}
	c, err := ContextGet(ctx, &rest, in)
	if err != nil {
		out.Hint = "done; but the context cannot be shown: " + err.Error() + "; {context_get} shows it"
		return
	}
	out.Context = &NodeContext{c.Bundle}
	out.Sends(c.ws, c.nodes...)
}

// canNow returns the hint that says what a node allows after a write.
func (env *Env) canNow(ctx context.Context, ws, id mdstore.ID, w Write) string {
	if w.DryRun {
		return "" // it is not yet so
	}
	s, err := env.Engine.View(ctx, ws)
	if err != nil {
		return ""
	}
	n, ok := s.Node(id)
	if !ok {
		return ""
	}
	hint := cmp.Or(plan.Waiting(s, n), "no action is left")
	if next := env.allowed(s, n); len(next) > 0 {
		hint = "next it can: " + strings.Join(next, ", ")
	}
	if n.Status == statemachine.InPlanning {
		hint = "divide it with {node_create}; " + hint
	}
	return hint
}

// others returns the ids of a node and of further ones that a command names, each once.
func (env *Env) others(s *view.View, id mdstore.ID, more []string, m Match) ([]mdstore.ID, error) {
	ids := []mdstore.ID{id}
	for _, ref := range more {
		next, err := env.resolve(s, ref, "nodeId")
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, next) {
			ids = append(ids, next)
		}
	}
	if len(ids) > 1 && m.IfMatch != "" {
		const how = "{.ifMatch} is the version of one file, and several nodes are named; leave it out, or name one node"
		return nil, badParam("ifMatch", how)
	}
	return ids, nil
}

// allowed returns the actions that a node allows now, see plan.Allowed.
func (env *Env) allowed(s *view.View, n *mdstore.Node) []string {
	out := []string{}
	for _, a := range plan.Allowed(s, n, env.Engine.CriteriaAsked()) {
		out = append(out, string(a))
	}
	return out
}

// AllowingIn asks for the nodes that allow an action now. Begin is that of NodeTransitionIn.
type AllowingIn struct {
	In
	Action string
	Begin  bool
}

type AllowingOut struct{ Nodes []*mdstore.Node }

// Allowing returns the nodes that allow an action now, in tree order.
func Allowing(ctx context.Context, env *Env, in AllowingIn) (*AllowingOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	out, ask := &AllowingOut{}, env.Engine.CriteriaAsked()
	for _, n := range s.Walk(mdstore.Root) {
		if plan.Allows(s, n, statemachine.Action(in.Action), in.Begin, ask) {
			out.Nodes = append(out.Nodes, n)
		}
	}
	return out, nil
}
