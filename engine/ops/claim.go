package ops

import (
	"context"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/statemachine"
)

// Claim says whose a node is, or was. A node that nobody has claimed has none of it.
type Claim struct {
	ClaimedBy   string  `json:"claimedBy,omitempty"`   // the session, or the operator who has none
	LeasedUntil int64   `json:"leasedUntil,omitempty"` // Unix milliseconds
	Lapsed      *Lapsed `json:"lapsed,omitempty"`
}

// Lapsed says who began the work of a node, and is gone or gave it back.
type Lapsed struct {
	Session  string `json:"session,omitempty"`
	Operator string `json:"operator,omitempty"`
	Since    int64  `json:"since"` // when it was claimed: Unix milliseconds
}

// claim returns the two kinds of claims as a result has them; the zero Claim of either is none.
func claim(holds, lapsed engine.Claim) Claim {
	c := Claim{ClaimedBy: holds.By(), LeasedUntil: holds.Until}
	if lapsed != (engine.Claim{}) {
		c.Lapsed = &Lapsed{Session: lapsed.Session, Since: lapsed.Since}
		if lapsed.Session == "" {
			c.Lapsed.Operator = lapsed.Operator
		}
	}
	return c
}

// claimOf returns the claim of a node, none where it cannot be told.
func (env *Env) claimOf(ctx context.Context, ws mdstore.ID, n *mdstore.Node) Claim {
	c, holds, err := env.Engine.Claimed(ctx, ws, n.ID)
	switch {
	case err != nil || statemachine.Terminal(n.Status):
		return Claim{}
	case holds:
		return claim(c, engine.Claim{})
	case n.Status != statemachine.Initial(n.Type):
		return claim(engine.Claim{}, c)
	}
	return Claim{}
}
