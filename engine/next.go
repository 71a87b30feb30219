package engine

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"arbor/mdstore"
	"arbor/statemachine"
)

// Ready is a node that can be worked on.
type Ready struct {
	Node   *mdstore.Node
	Way    []*mdstore.Node // from the root to its parent
	Claim  Claim           // of who asked; the zero Claim where the node is free
	Lapsed Claim           // of who began the work and is gone, or gave it back; the zero Claim where nobody did
}

// Begun reports whether somebody has begun its work.
func (r Ready) Begun() bool { return begun(r.Node) }

// An Offer is what there is to be worked on.
type Offer struct {
	Nodes   []Ready // for who asks
	Ready   int     // nodes that can be worked on in all
	Claimed int     // of these, those that are claimed and not given to who asks
}

// Ready returns the nodes that can be worked on now, in tree order: those that wait for their start, planning nodes that wait for their first
// child, and those whose children are all done and that wait for their conclusion. Below a completed or cancelled node nothing is ready.
func (s *Snapshot) Ready() []Ready {
	var out []Ready
	for n, way := range s.ready(func(*mdstore.Node) bool { return false }) {
		out = append(out, Ready{Node: n, Way: slices.Clone(way)})
	}
	return out
}

// Lost returns the number of node files that are in no place of the tree: those that cannot be read, those below a parent that is missing or goes round, and all but
// the first of those that have one id.
func (s *Snapshot) Lost() int {
	met := 0
	for range s.Walk(mdstore.Root) {
		met++
	}
	return s.Len() + s.Unreadable() - met
}

// ready yields what Ready returns, each node with its ancestors, which are another's with the next one, and the running nodes that are in need of somebody
// besides.
func (s *Snapshot) ready(needs func(*mdstore.Node) bool) iter.Seq2[*mdstore.Node, []*mdstore.Node] {
	return func(yield func(*mdstore.Node, []*mdstore.Node) bool) {
		var way []*mdstore.Node
		frozen := -1 // depth of the ancestor that freezes what is below it
		for depth, n := range s.Walk(mdstore.Root) {
			way = append(way[:depth], n)
			if frozen >= 0 && depth > frozen {
				continue
			}
			frozen = -1
			if statemachine.Frozen(n.Status) {
				frozen = depth
				continue
			}
			if len(n.Problems) == 0 && (s.waits(n) || s.works(n) && needs(n)) && !yield(n, way[:depth]) {
				return
			}
		}
	}
}

// waits asks the table whether a node waits for somebody: it has not begun, or has nothing left below it that is open.
func (s *Snapshot) waits(n *mdstore.Node) bool {
	if !begun(n) {
		return true
	}
	if !statemachine.TakesChildren(n.Type) || statemachine.Terminal(n.Status) {
		return false
	}
	kids := s.kidsOf(n.ID)
	if len(kids) == 0 {
		return true
	}
	return len(s.facts(n, "").OpenChildren) == 0
}

// works reports whether somebody has to be at a node for it to get on: of a planning node, those at its children are.
func (s *Snapshot) works(n *mdstore.Node) bool {
	return begun(n) && !statemachine.TakesChildren(n.Type) && !statemachine.Terminal(n.Status)
}

func begun(n *mdstore.Node) bool { return n.Status != statemachine.Initial(n.Type) }

// Next returns nodes that can be worked on, at most count: first those that the session that asks has claimed and not done yet, then
// those that nobody has claimed, both in tree order. Work that was begun by somebody who is gone is among them. With a lease above zero the nodes that are
// returned are claimed, all in one commit: no two are ever given the same one. A claim without a session is the operator's, and its node is not given again while
// it holds, as many may have one operator's name.
func (e *Engine) Next(ctx context.Context, ws mdstore.ID, act Act, count int, lease time.Duration) (*Offer, error) {
	if act.Session != "" {
		if err := validSession(act.Session); err != nil {
			return nil, err
		}
	}
	if lease > MaxLease || count < 0 {
		return nil, Fail(InvalidParams, "%d nodes for %v: a claim lasts at most %v, and no fewer than 0 nodes can be taken", count, lease, MaxLease)
	}
	if lease <= 0 {
		snap, err := e.Snapshot(ctx, ws)
		if err != nil {
			return nil, err
		}
		l, err := e.ledger(ctx, e.st)
		if err != nil {
			return nil, err
		}
		out := l.offer(snap, act, count)
		for i, r := range out.Nodes {
			if !l.holds(r.Claim) {
				out.Nodes[i].Claim = Claim{}
			}
		}
		return out, nil
	}
	var out *Offer
	err := e.editClaims(ctx, ws, func(snap *Snapshot, l *ledger) error {
		if err := newDraft(snap, Act{}, e.opt).writable(); err != nil {
			return err
		}
		if out = l.offer(snap, act, count); len(out.Nodes) == 0 {
			return nil
		}
		token, err := act.Presence.appear(ctx)
		if err != nil {
			return err
		}
		for i, r := range out.Nodes {
			c := Claim{Session: act.Session, Operator: act.operator(), Since: cmp.Or(r.Claim.Since, l.now.UnixMilli())}
			whose := token
			if was := r.Claim.Present; whose == "" && was != "" && l.isThere(was) { // the session asks from elsewhere, and goes on where it was
				whose = was
			}
			out.Nodes[i].Claim = l.renewed(c, lease, whose)
			l.set(ws, r.Node.ID, out.Nodes[i].Claim)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// offer returns at most count of the nodes that may be given to who asks, those that are theirs first.
func (l *ledger) offer(s *Snapshot, act Act, count int) *Offer {
	out := &Offer{}
	var own, free []Ready
	claims := l.all()[s.ws.ID]
	theirs := func(c Claim) bool { return c.Session != "" && c.Session == act.Session && c.Until > 0 } // be it late: nobody else has taken it meanwhile
	for n, way := range s.ready(func(n *mdstore.Node) bool {
		c, noted := claims[n.ID]
		return noted && (theirs(c) || !l.holds(c))
	}) {
		out.Ready++
		c, noted := claims[n.ID]
		switch {
		case noted && theirs(c):
			if len(own) < count {
				own = append(own, Ready{Node: n, Way: slices.Clone(way), Claim: c})
			}
		case noted && l.holds(c):
			out.Claimed++
		case len(free) < count:
			r := Ready{Node: n, Way: slices.Clone(way)}
			if noted && begun(n) {
				r.Lapsed = c
			}
			free = append(free, r)
		}
	}
	out.Nodes = append(own, free...)
	out.Nodes = out.Nodes[:min(count, len(out.Nodes))]
	return out
}

// Release gives a node back that was claimed: anybody may be given it then. It reports false where it is claimed no more. Only who has claimed it may, and a
// person.
func (e *Engine) Release(ctx context.Context, ws, id mdstore.ID, act Act) (bool, error) {
	given := false
	err := e.editClaims(ctx, ws, func(s *Snapshot, l *ledger) error {
		n, err := s.Known(id)
		if err != nil {
			return err
		}
		c, noted := l.get(ws, id)
		own := c.of(act)
		if given = noted && (l.holds(c) || own && c.Until > 0); !given {
			return nil
		}
		if !own && act.operator() != mdstore.OperatorHuman {
			return l.heldBy(n, c)
		}
		l.giveBack(ws, id, c, begun(n))
		return nil
	})
	return given && err == nil, err
}
