package engine

import (
	"context"
	"slices"
	"time"

	"arbor/mdstore"
	"arbor/statemachine"
)

// heldBy is the refusal of what only who has claimed a node may do. Its class is that of files that moved on: nothing is wrong with the call but that somebody
// else came first, and reading again shows what is left. INVALID_TRANSITION would say that the table forbids it, which it does not.
func (l *ledger) heldBy(n *mdstore.Node, c Claim) *Error {
	who := "session " + c.Session
	if c.Session == "" {
		who = "another " + c.Operator
	}
	return Fail(Conflicting, "%s (%s): %s has claimed it until %s UTC; take another one (node_next with claim, arbor next --claim), wait, or let them or a person give it back (release, arbor next --release)",
		n.ID, n.Title, who, time.UnixMilli(c.Until).UTC().Format(mdstore.TimeLayout)).with(Details{NodeID: string(n.ID), Status: string(n.Status)})
}

// untaken refuses to begin a node that somebody else has claimed. Persons may, whatever is claimed; so may who has no session, as nobody can tell whether
// they are who claimed.
func (d *draft) untaken(n *mdstore.Node) error {
	c, noted := d.claims.get(d.snap.ws.ID, n.ID)
	if !noted || begun(n) || d.act.Session == "" || d.act.Operator == mdstore.OperatorHuman || c.of(d.act) || !d.claims.holds(c) {
		return nil
	}
	return d.claims.heldBy(n, c)
}

// tend notes what a plan means for claims, to be committed with it. Who works on a node that they have claimed shows that they are there, so their time
// begins anew when half of it is over. What is done is nobody's any more; nor is what somebody else has begun, or gone on with after the claim was over.
func (e *Engine) tend(ctx context.Context, d *draft) error {
	l, ws := d.claims, d.snap.ws.ID
	if l == nil || d.act.DryRun {
		return nil
	}
	for _, p := range d.concerned() {
		n, ok := d.snap.file(p)
		if !ok {
			continue
		}
		c, noted := l.get(ws, n.ID)
		if !noted {
			continue
		}
		turned := n.ID == d.turned
		switch own := c.of(d.act) && c.Until > 0; {
		case d.gone[n.ID], turned && statemachine.Terminal(d.statusOf(n)):
			l.drop(ws, n.ID)
		case own:
			if late := c.Until-l.now.UnixMilli() < c.lease().Milliseconds()/2; late || !l.holds(c) {
				token := c.Present
				if token != "" && !l.isThere(token) { // the session goes on elsewhere
					var err error
					if token, err = d.act.Presence.appear(ctx); err != nil {
						continue
					}
				}
				l.set(ws, n.ID, l.renewed(c, c.lease(), token))
			}
		case turned && (!begun(n) || !l.holds(c)):
			l.drop(ws, n.ID)
		}
	}
	c, changed, err := l.change()
	if err == nil && changed && e.writable(ctx, []mdstore.Change{c}) == nil {
		d.note = c
	}
	return ctx.Err() // whatever else is wrong with the claims keeps nobody from writing
}

// concerned are the files that the plan is about, in a fixed order.
func (d *draft) concerned() []mdstore.Path {
	var out []mdstore.Path
	for _, e := range d.order {
		if e.touched {
			out = append(out, e.path)
		}
	}
	for p := range d.keep {
		out = append(out, p)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
