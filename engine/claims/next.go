package claims

import (
	"cmp"
	"slices"
	"time"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// Ready is a node that can be worked on.
type Ready struct {
	Node   *mdstore.Node
	Way    []*mdstore.Node // from the root to its parent
	Claim  Claim           // the claim of the session that asks; the zero Claim if the node is free
	Lapsed Claim           // the claim of the session that began the work and left it; the zero Claim if there is none
}

// Begun reports whether work on the node has begun.
func (r Ready) Begun() bool { return view.Begun(r.Node) }

// An Offer is a node that can be worked on now.
type Offer struct {
	Nodes   []Ready // for the session that asks
	Ready   int     // nodes that can be worked on in all
	Claimed int     // how many of these other sessions have claimed
}

// Offer returns at most count of the nodes that may be given to a session: first those that it has claimed and not done
// yet, then those that are free, both in the order of Compare. Work that was begun by a session whose claim is over is
// among them. A node that an operator without a session has claimed is not offered while the claim holds, because
// several people may share an operator's name.
func (l *Ledger) Offer(v *view.View, act plan.Act, count int) *Offer {
	out := &Offer{}
	var own, free []Ready
	noted := l.claims[v.Workspace().ID]
	for n := range v.Ready(l.Left(v.Workspace().ID, act)) {
		out.Ready++
		c, ok := noted[n.ID]
		switch {
		case ok && c.stays(act):
			own = among(own, Ready{Node: n, Claim: c}, count)
		case ok && l.holds(c):
			out.Claimed++
		case ok && view.Begun(n):
			free = among(free, Ready{Node: n, Lapsed: c}, count)
		default:
			free = among(free, Ready{Node: n}, count)
		}
	}
	out.Nodes = append(own, free...)
	out.Nodes = out.Nodes[:min(count, len(out.Nodes))]
	for i, r := range out.Nodes {
		up, _ := v.Ancestors(r.Node.ID)
		slices.Reverse(up)
		out.Nodes[i].Way = up
	}
	return out
}

// among puts a node into a list that is in the order of Compare, behind equal ones, and cuts the list to most.
func among(list []Ready, r Ready, most int) []Ready {
	at, _ := slices.BinarySearchFunc(list, r, func(a, r Ready) int {
		if compare(a.Node, r.Node) <= 0 {
			return -1
		}
		return 1
	})
	if at >= most {
		return list
	}
	list = slices.Insert(list, at, r)
	return list[:min(most, len(list))]
}

// Left returns whether a running node is ready for the session of an act, the zero Act for any: work that it has
// claimed, or whose claim is over, and that no question holds up.
func (l *Ledger) Left(ws mdstore.ID, act plan.Act) func(*mdstore.Node) bool {
	return func(n *mdstore.Node) bool {
		c, ok := l.claims[ws][n.ID]
		return ok && (c.stays(act) || !l.holds(c)) && len(n.OpenQuestions()) == 0
	}
}

// stays reports whether the claim is that of the act's session, even if its lease is over: no other session has taken
// the node meanwhile.
func (c Claim) stays(act plan.Act) bool {
	return c.Session != "" && c.of(act) && c.Until > 0
}

// compare orders nodes by urgency: by priority (none counts as medium), then by due date (none comes last).
func compare(a, b *mdstore.Node) int {
	rank := func(n *mdstore.Node) int {
		return mdstore.PriorityField().Rank(mdstore.ValueOf(n.Priority))
	}
	due := func(n *mdstore.Node) string { return cmp.Or(mdstore.ValueOf(n.Due), "9999-12-31") }
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(due(a), due(b)))
}

// Shown takes the claims out of an offer that do not hold.
func (l *Ledger) Shown(o *Offer) *Offer {
	for i, r := range o.Nodes {
		if !l.holds(r.Claim) {
			o.Nodes[i].Claim = Claim{}
		}
	}
	return o
}

// Take claims the nodes of an offer.
func (l *Ledger) Take(ws mdstore.ID, o *Offer, act plan.Act, lease time.Duration) {
	for i, r := range o.Nodes {
		c := Claim{Session: act.Session, Operator: act.By(), Who: act.Who, Since: cmp.Or(r.Claim.Since, l.now.UnixMilli())}
		o.Nodes[i].Claim = l.renewed(c, lease)
		l.set(ws, r.Node.ID, o.Nodes[i].Claim)
	}
}

// Release gives a node back that was claimed. It returns false if the node was not claimed any more. Only the session
// that claimed it, or a person, may do so.
func (l *Ledger) Release(ws mdstore.ID, n *mdstore.Node, act plan.Act) (bool, error) {
	c, holds := l.Get(ws, n.ID)
	own := c.of(act)
	if !holds && !(own && c.Until > 0) {
		return false, nil
	}
	if !own && act.By() != mdstore.OperatorHuman {
		return false, heldBy(n, c)
	}
	l.giveBack(ws, n.ID, c, view.Begun(n))
	return true, nil
}
