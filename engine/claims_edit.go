package engine

import (
	"context"
	"errors"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// editClaims changes the claims of a workspace while nobody else does.
func (e *Engine) editClaims(ctx context.Context, ws mdstore.ID, edit func(*Snapshot, *ledger) error) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	return e.exclusively(ctx, func(st mdstore.Store) error {
		for round := 0; ; round++ {
			snap, err := e.snapshot(ctx, st, ws)
			if err != nil {
				return err
			}
			l, err := e.ledger(ctx, st)
			if err != nil {
				return err
			}
			if err := edit(snap, l); err != nil {
				return err
			}
			if err := l.forgetLost(ctx, st, snap); err != nil {
				return err
			}
			c, changed, err := l.change()
			if err != nil || !changed {
				return err
			}
			err = e.aside(ctx, st, []mdstore.Change{c})
			var conflict *mdstore.ConflictError // somebody edited the file by hand, or deleted it
			if !errors.As(err, &conflict) || round == len(pauses) {
				return dispensable(err)
			}
		}
	})
}

// dispensable says of claims.json, where that is what keeps claims from being noted, how it is mended: no check looks at it.
func dispensable(err error) error {
	var u *mdoc.UnreadableError
	if !errors.As(err, &u) || u.Problem.File != string(claimsPath) {
		return err
	}
	p := u.Problem
	p.Text += "; you can remove it: it is a note of this machine, and what is claimed is free then"
	return &mdoc.UnreadableError{Problem: p}
}

// forgetLost drops what is noted of nodes that are done or gone, and of workspaces that are.
func (l *ledger) forgetLost(ctx context.Context, st mdstore.Store, s *Snapshot) error {
	l.prune(s)
	var others []mdstore.ID
	for ws, nodes := range l.all() {
		held := false
		for _, c := range nodes {
			held = held || l.holds(c)
		}
		if ws != s.ws.ID && !held {
			others = append(others, ws)
		}
	}
	if len(others) == 0 {
		return nil
	}
	all, err := workspaces(ctx, st)
	if err != nil {
		return err
	}
	there := map[mdstore.ID]bool{}
	for _, w := range all {
		there[w.ID] = true
	}
	for _, ws := range others {
		if !there[ws] {
			delete(l.claims, ws)
		}
	}
	return nil
}

// unclaimed returns the commit that gives back all that a session has claimed. Claims that cannot be read end in their time.
func (e *Engine) unclaimed(ctx context.Context, st mdstore.Store, session string) ([]mdstore.Change, error) {
	l, err := e.ledger(ctx, st)
	if err != nil {
		return nil, ctx.Err()
	}
	for ws, nodes := range l.all() {
		for id, c := range nodes {
			if c.Session == session && c.Until > 0 {
				l.giveBack(ws, id, c, true) // whether it was begun, whoever looks next sees
			}
		}
	}
	c, changed, err := l.change()
	if err != nil || !changed || e.writable(ctx, []mdstore.Change{c}) != nil {
		return nil, err
	}
	return []mdstore.Change{c}, nil
}

// Claimed returns what is noted of a node, and whether it is somebody's now. The zero Claim: nothing is.
func (e *Engine) Claimed(ctx context.Context, ws, id mdstore.ID) (c Claim, holds bool, err error) {
	l, err := e.ledger(ctx, e.st)
	if err != nil {
		return Claim{}, false, err
	}
	c, ok := l.get(ws, id)
	return c, ok && l.holds(c), nil
}
