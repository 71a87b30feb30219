package engine

import (
	"context"
	"errors"
	"slices"

	"arbor/mdstore"
)

// A group is several changes of one workspace, each planned over what those before it lead to, that are made by one commit: all of them or, whenever the machine
// stops, none.
type group struct {
	e    *Engine
	st   mdstore.Store
	lead *request  // of who makes it
	snap *Snapshot // what the drafts lead to

	requests []*request
	drafts   []*draft
	outs     []*Outcome
	changes  []mdstore.Change
	at       map[mdstore.Path]int // in changes
	answers  []func()             // to those who ask for nothing that is to be made, but whose answers rest on what is
}

// add plans a request, and answers it where that is all: it is refused, or changes nothing. It reports false where the request, which is not finished then, does
// not go with those that were added.
func (g *group) add(r *request) bool {
	lent := g.e.shelf.others.Load()
	var d *draft
	var err error
	if !g.e.shield(g.lead, r, func() { d, err = g.plan(r) }) {
		return true
	}
	if len(g.drafts) > 0 && g.e.shelf.others.Load() != lent {
		return false // somebody has saved a file that was planned with: that is looked at by whoever goes first
	}
	if err != nil {
		g.answer(r, nil, err)
		return true
	}
	out := d.outcome(false)
	if !out.Changed() {
		g.answer(r, out, nil)
		return true
	}
	if d.note.Path != "" || slices.ContainsFunc(d.extra, func(x planned) bool { return x.change.New == nil }) {
		r.alone = true // those after it would have to plan over more than a snapshot holds
		return false
	}
	changes := d.changes()
	if !g.merge(changes) {
		r.alone = true
		return false
	}
	g.requests, g.drafts, g.outs = append(g.requests, r), append(g.drafts, d), append(g.outs, out)
	g.snap = d.snap.with(d.made(changes))
	return true
}

// answer finishes a request that changes nothing: at once, or when what it was planned over is durable.
func (g *group) answer(r *request, out *Outcome, err error) {
	if len(g.drafts) == 0 {
		r.finish(out, err)
		return
	}
	g.answers = append(g.answers, func() { r.finish(out, err) })
}

func (g *group) plan(r *request) (*draft, error) {
	if len(g.drafts) == 0 {
		return g.e.plan(r.ctx, g.st, r.change)
	}
	first := g.drafts[0]
	var claims *ledger
	if l := first.claims; l != nil {
		claims = g.e.ledgerOf(r.ctx, l.raw, l.version)
	}
	return g.e.planOver(r.ctx, g.snap, first.epoch, claims, r.change)
}

// merge adds the changes of another draft, which was planned over those that are there. It reports false, and adds nothing, where they do not follow from them.
func (g *group) merge(next []mdstore.Change) bool {
	if g.at == nil {
		g.at = map[mdstore.Path]int{}
	}
	for _, c := range next {
		if i, ok := g.at[c.Path]; ok && leadsTo(g.changes[i]) != c.Base {
			return false
		}
	}
	for _, c := range next {
		i, ok := g.at[c.Path]
		switch {
		case !ok:
			g.at[c.Path] = len(g.changes)
			g.changes = append(g.changes, c)
		case c.Keep:
		case g.changes[i].Keep:
			g.changes[i] = c
		default:
			g.changes[i].New = c.New
		}
	}
	return true
}

// leadsTo returns the version that a file has after a change that moves nothing.
func leadsTo(c mdstore.Change) mdstore.Version {
	if c.Keep {
		return c.Base
	}
	return mdstore.VersionOf(c.New)
}

// commit makes the changes durable and tells each caller. Where that fails, and nothing has changed, each goes alone, so that what is wrong is told to whom it concerns.
func (g *group) commit() error {
	ctx := context.WithoutCancel(g.requests[0].ctx) // one who goes does not end what the others ask for
	met, err := g.e.make(ctx, g.st, g.changes, g.drafts[0], g.snap)
	var unfinished *mdstore.UnfinishedError
	switch {
	case busyError(err):
		return err
	case errors.As(err, &unfinished):
		for _, r := range g.requests {
			r.finish(nil, err)
		}
		return nil
	case err != nil:
		for _, r := range g.requests {
			r.alone = true
		}
		return nil
	}
	all := met
	nobodys := func(p mdstore.Path) bool {
		return !slices.ContainsFunc(g.outs, func(o *Outcome) bool { return o.touches(p) })
	}
	for i, out := range g.outs {
		out.Collisions, met = g.share(i, met)
	}
	for i, r := range g.requests {
		r.finish(g.outs[i], unmade(all, func(p mdstore.Path) bool { return g.outs[i].touches(p) || nobodys(p) }))
	}
	for _, answer := range g.answers {
		answer()
	}
	return nil
}

// share parts the saves that the commit has met: who has changed a file hears of those in it; the last one of all that are left.
func (g *group) share(i int, met []mdstore.Collision) (own, rest []mdstore.Collision) {
	if i == len(g.outs)-1 {
		return met, nil
	}
	for _, m := range met {
		if slices.ContainsFunc(g.outs[i].Files, func(f FileChange) bool { return f.Path == m.Path }) {
			own = append(own, m)
		} else {
			rest = append(rest, m)
		}
	}
	return own, rest
}
