package ops

import (
	"cmp"
	"context"

	"arbor/engine/claims"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A Claim says who has claimed a node, or had claimed it. It is empty for a node that nobody claimed.
type Claim struct {
	ClaimedBy   string  `json:"claimedBy,omitempty"`   // PERSON/ASSISTANT of the token, or the session, or the operator
	LeasedUntil int64   `json:"leasedUntil,omitempty"` // Unix milliseconds
	Lapsed      *Lapsed `json:"lapsed,omitempty" only:"rarely"`
}

// Lapsed names the session that began the work on a node and then ended, or gave the node back. A claim without a
// session names the operator instead, and one by a token also its person or assistant.
type Lapsed struct {
	Session  string `json:"session,omitempty"`
	Operator string `json:"operator,omitempty"`
	Who      string `json:"who,omitempty"`
	Since    int64  `json:"since"` // when it was claimed: Unix milliseconds
}

// claim returns a claim that holds, and one that has lapsed, in the form of a result. A zero claim stands for none.
func claim(holds, lapsed claims.Claim) Claim {
	c := Claim{ClaimedBy: holds.By(), LeasedUntil: holds.Until}
	if lapsed != (claims.Claim{}) {
		c.Lapsed = &Lapsed{Session: lapsed.Session, Who: lapsed.Who, Since: lapsed.Since}
		if lapsed.Session == "" {
			c.Lapsed.Operator = lapsed.Operator
		}
	}
	return c
}

// By returns who began the work.
func (l *Lapsed) By() string { return cmp.Or(l.Who, l.Session, l.Operator) }

// claimants returns a function that names who has claimed a node. It returns "" if nobody has, or if
// claims cannot be read.
func claimants(ctx context.Context, env *Env, ws mdstore.ID) func(mdstore.ID) string {
	all, _ := env.Engine.Claims(ctx)
	return func(id mdstore.ID) string {
		if c, holds := all.Get(ws, id); holds {
			return c.By()
		}
		return ""
	}
}

// claimOf returns the claim of a node, or none if the claims cannot be read.
func (env *Env) claimOf(ctx context.Context, ws mdstore.ID, n *mdstore.Node) Claim {
	all, err := env.Engine.Claims(ctx)
	c, holds := all.Get(ws, n.ID)
	switch {
	case err != nil || statemachine.Terminal(n.Status):
		return Claim{}
	case holds:
		return claim(c, claims.Claim{})
	case n.Status != statemachine.Initial(n.Type):
		return claim(claims.Claim{}, c)
	}
	return Claim{}
}
