package ops

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"arbor/engine/claims"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

type NodeNextIn struct {
	In
	Count        *int   `json:"count,omitempty" min:"1" flag:"limit,n" help:"at most N nodes; default 1"`
	Claim        bool   `json:"claim,omitempty" writes:"true" help:"claim them: other sessions do not get them during the lease"`
	SessionID    string `json:"sessionId,omitempty" flag:"-" help:"the claiming session; without one the operator claims, and never gets the same node twice"`
	LeaseSeconds int    `json:"leaseSeconds,omitempty" listed:"never" min:"0" max:"86400" flag:"-" writes:"true" help:"default 1800; at most 86400"`
	Blocked      bool   `json:"blocked,omitempty" help:"list blocked nodes and what blocks them"`
	Release      string `json:"release,omitempty" is:"node" writes:"true" help:"release a claimed NODE"`
}

// NodeNextOut lists ready nodes in tree order.
type NodeNextOut struct {
	Nodes    []NextNode `json:"nodes"`
	Running  []Running  `json:"running,omitempty"`  // execution nodes that run already, with their claims
	Ready    int        `json:"ready"`              // ready nodes in all
	Claimed  int        `json:"claimed,omitempty"`  // ready nodes that others have claimed
	Lost     int        `json:"lost,omitempty"`     // files of nodes outside of the tree; these are never ready
	Released bool       `json:"released,omitempty"` // the claim of the node was ended
	Out
}

// A Running is an open node that someone works on, or that its parent waits for.
type Running struct {
	NodeID string `json:"nodeId"`
	Title  string `json:"title"`
	Status string `json:"status"`
	Claim
}

// runningOf returns a node with its claim, in the form of a result.
func runningOf(all *claims.Ledger, ws mdstore.ID, n *mdstore.Node) Running {
	c, holds := all.Get(ws, n.ID)
	if !holds {
		c = claims.Claim{}
	}
	return Running{string(n.ID), n.Title, string(n.Status), claim(c, claims.Claim{})}
}

// runs sets Running to the execution nodes that run and are not offered, as many as the reply has room for.
func (env *Env) runs(ctx context.Context, s *view.View, out *NodeNextOut) {
	offered := map[string]bool{}
	for _, n := range out.Nodes {
		offered[n.ID] = true
	}
	var all []Running
	held, _ := env.Engine.Claims(ctx) // empty if they cannot be told
	for n := range s.Ready(func(*mdstore.Node) bool { return true }) {
		if view.Begun(n) && !statemachine.TakesChildren(n.Type) && !offered[string(n.ID)] {
			all = append(all, runningOf(held, s.Workspace().ID, n))
		}
		if env.bounded() && len(all) == boundedItems {
			break
		}
	}
	defer func() { out.Hint = "" }()
	out.Hint = strings.Repeat("-", boundedHint) // a placeholder: the hint is not known yet
	for out.Running = all; len(out.Running) > 0 && !env.fits(out); {
		out.Running = out.Running[:len(out.Running)-1]
	}
}

// A NextNode is a node that is ready for work, or that waits.
type NextNode struct {
	ID string `json:"id"`
	mdstore.Head
	Way       []string `json:"way"`                           // titles from the root to its parent
	BlockedBy []string `json:"blockedBy,omitempty" is:"node"` // of a node that waits: what for
	// of a node that waits: its open questions
	Questions []mdstore.Question `json:"questions,omitempty" only:"rarely"`
	Allowed   []string           `json:"allowed"`
	Claim
}

var nodeNext = op("node_next", writes|looks, NodeNext, Help{
	Summary: "list nodes that are ready to start, or claim them",
	Advice:  "To resume work. A claim keeps others off; release gives it back.",
	Use:     "next",
	Text: `Sorted by priority, then due date, then tree order; only the first one unless -n
says more. Work that was claimed, started and left is included. Nodes with open
dependencies, or with an open question to a person, are not; --blocked lists
those.

--claim takes the nodes: other sessions do not get them while the claim lasts.
Each write to the node renews the claim; completing the node, or --release, ends
it. A session gets its own nodes first. Without a session (--session,
ARBOR_SESSION) the operator (--as) claims, and never gets the same node twice.
Other assistants' sessions cannot start a claimed node; a person can, and can
release any claim.`,
	Example: `arbor next
arbor next -n 5
arbor start $(arbor next --claim -q)
arbor next --claim --session alice --lease 2h
arbor next --release node-mj2hz4gy --session alice`,
})

// emptyPlan is the hint for a plan without nodes below its root.
const emptyPlan = "the plan is empty: {node_create} adds nodes"

// defaultNext is how many nodes node_next returns by default.
const defaultNext = 1

// NodeNext lists nodes that are ready for work, claims them on request, or gives one back.
func NodeNext(ctx context.Context, env *Env, in NodeNextIn) (*NodeNextOut, error) {
	env = env.As(in.SessionID)
	if in.Release != "" {
		return env.release(ctx, in)
	}
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	count := defaultNext
	if in.Count != nil {
		count = *in.Count
	}
	lease := time.Duration(0)
	if in.Claim {
		if lease = time.Duration(in.LeaseSeconds) * time.Second; lease == 0 {
			lease = cmp.Or(env.Lease, claims.DefaultLease)
		}
	}
	if mdstore.Archived(s.Workspace().Dir) && !in.Claim { // a claim is refused, as every write is
		return &NodeNextOut{Nodes: []NextNode{}, Out: Out{Hint: archivedHint}}, nil
	}
	if in.Blocked {
		return env.blocked(s, in, count)
	}
	act := env.act(Write{}, Match{})
	if env.bounded() { // claim no more nodes than the reply can show
		look, err := env.Engine.Next(ctx, s.Workspace().ID, act, min(count, boundedNext), 0)
		if err != nil {
			return nil, fail(err)
		}
		out, all := &NodeNextOut{Out: Out{Hint: strings.Repeat("-", boundedHint)}}, env.next(s, look.Nodes, true)
		count = max(1, env.fit(out, len(all), func(n int) { out.Nodes = all[:n] }))
	}
	offer, err := env.Engine.Next(ctx, s.Workspace().ID, act, count, lease)
	if err != nil {
		return nil, fail(err)
	}
	out := &NodeNextOut{Nodes: env.next(s, offer.Nodes, false), Ready: offer.Ready, Claimed: offer.Claimed}
	env.runs(ctx, s, out)
	waiting := 0
	for range s.Blocked() {
		waiting++
	}
	switch {
	case len(s.Below(mdstore.Root)) == 0:
		out.Hint = emptyPlan
	case offer.Ready == 0 && waiting > 0:
		out.Hint = fmt.Sprintf("nothing is ready: %d wait for what is open; "+
			"{node_next blocked} names it", waiting)
	case offer.Ready == 0:
		out.Hint = "nothing is ready: everything is running or done"
	case len(out.Nodes) == 0:
		out.Hint = "every ready node is claimed already"
	case out.Nodes[0].Lapsed != nil:
		out.Hint = "the session that started it is gone: {context_get} has its log; continue from there"
	case !offer.Nodes[0].Begun():
		out.Hint = "{context_get} shows its context; {node_transition " + out.Nodes[0].ID + " start} starts it"
	default:
		out.Hint = "{context_get} shows its context"
	}
	if out.Lost = s.Lost(); out.Lost > 0 {
		out.Hint += "; " + LostFiles(out.Lost) + ": {workspace_check} names them"
	}
	return out, nil
}

// blocked lists nodes that wait for dependencies or answers instead of those that are ready.
func (env *Env) blocked(s *view.View, in NodeNextIn, count int) (*NodeNextOut, error) {
	if in.Claim || in.Release != "" {
		return nil, badParam("blocked", "blocked nodes cannot be claimed or released")
	}
	if in.Count == nil {
		count = boundedNext
	}
	out := &NodeNextOut{Nodes: []NextNode{}}
	all := []NextNode{}
	for n, open := range s.Blocked() {
		all = append(all, NextNode{ID: string(n.ID), Head: s.HeadOn(n, env.day()), BlockedBy: waitsFor(open),
			Questions: n.OpenQuestions()})
		all[len(all)-1].Dependencies = nil // blockedBy has those that are open
	}
	if slices.ContainsFunc(all, func(n NextNode) bool { return n.Questions != nil }) {
		out.Hint = "a person answers with arbor log NODE -m '! ANSWER', on the page or in the file"
	}
	if len(all) == 0 {
		out.Hint = "nothing waits for a dependency or an answer"
	}
	most := min(count, len(all))
	if most < len(all) {
		out.Hint = strings.Repeat("-", boundedHint) // a placeholder: how many are shown is not known yet
	}
	if n := env.fit(out, most, func(n int) { out.Nodes = all[:n] }); n < len(all) {
		out.Hint = shownOf(n, len(all), "nodes that wait", "a greater count brings more")
	}
	return out, nil
}

// release gives a claimed node back.
func (env *Env) release(ctx context.Context, in NodeNextIn) (*NodeNextOut, error) {
	if in.Claim || in.Count != nil || in.LeaseSeconds != 0 {
		return nil, badParam("release", "release only releases; claim another node in a second call")
	}
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	id, err := env.resolve(s, in.Release, "release")
	if err != nil {
		return nil, err
	}
	given, err := env.Engine.Release(ctx, s.Workspace().ID, id, env.act(Write{}, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	out := &NodeNextOut{Nodes: []NextNode{}, Released: given, Out: Out{Hint: "others may claim it now"}}
	if !given {
		out.Hint = "it was not claimed"
	}
	return out, nil
}

// next returns ready nodes in the form of a result. For a look it makes each as large as a claim can make it, so that
// the caller can measure the reply.
func (env *Env) next(s *view.View, ready []claims.Ready, look bool) []NextNode {
	out := make([]NextNode, len(ready))
	for i, r := range ready {
		n := NextNode{ID: string(r.Node.ID), Head: s.HeadOn(r.Node, env.day()), Way: []string{},
			Allowed: env.allowed(s, r.Node),
			Claim:   claim(r.Claim, r.Lapsed)}
		for _, a := range r.Way {
			n.Way = append(n.Way, a.Title)
		}
		if near, above := newest(env, n.Way, boundedWay); above > 0 {
			n.Way = append([]string{"…"}, near...)
		}
		if look {
			n.ClaimedBy, n.LeasedUntil = cmp.Or(env.Who.String(), env.Session), math.MaxInt64
			if n.ClaimedBy == "" {
				n.ClaimedBy = env.Operator + mdstore.OperatorAI
			}
		}
		out[i] = n
	}
	return out
}
