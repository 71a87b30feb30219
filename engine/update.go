package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"arbor/mdstore"
)

// pauses are the times between the rounds in which a plan is made anew when files moved on under it. Other processes are kept out by the lock, so only
// people who save at that very moment cause a second round; a pause lets them finish.
var pauses = []time.Duration{10 * time.Millisecond, 100 * time.Millisecond}

// Act says who does something and how.
type Act struct {
	Operator string    // for log lines: "AI" or "Human"; empty is AI
	DryRun   bool      // plan only
	IfMatch  string    // where not empty: the version that the file concerned must have
	Session  string    // whose claims are meant; "" for none
	Presence *Presence // of who acts, for as long as they are there; nil for who comes and goes with the call
}

func (a Act) operator() string { return cmp.Or(a.Operator, mdstore.OperatorAI) }

// update plans a change of one workspace and commits it. plan may be called more than once, each time with a fresh draft.
func (e *Engine) update(ctx context.Context, ws mdstore.ID, act Act, plan func(*draft) error) (*Outcome, error) {
	e.writing.Lock()
	defer e.writing.Unlock()
	if act.DryRun {
		d, err := e.plan(ctx, e.st, ws, act, plan)
		if err != nil {
			return nil, err
		}
		return d.outcome(true), e.writable(ctx, d.changes())
	}
	var out *Outcome
	err := e.exclusively(ctx, func(st mdstore.Store) error {
		for round := 0; ; round++ {
			d, err := e.plan(ctx, st, ws, act, plan)
			if err != nil {
				return err
			}
			out = d.outcome(false)
			err = e.commit(ctx, st, d, out)
			var conflict *mdstore.ConflictError
			if !errors.As(err, &conflict) || round == len(pauses) {
				return err
			}
			select {
			case <-e.opt.After(pauses[round]):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// writable asks the store what speaks against the changes, so that a dry run refuses what a real one would.
func (e *Engine) writable(ctx context.Context, changes []mdstore.Change) error {
	w, ok := e.st.(mdstore.WriteChecker)
	if !ok {
		return nil
	}
	for _, c := range changes {
		if c.Keep || c.To != "" {
			continue
		}
		if err := w.Writable(ctx, c.Path); err != nil {
			return err
		}
	}
	return nil
}

// plan makes a draft over the newest snapshot and computes its changes.
func (e *Engine) plan(ctx context.Context, st mdstore.Store, ws mdstore.ID, act Act, plan func(*draft) error) (*draft, error) {
	for round := 1; ; round++ {
		lent := e.shelf.others.Load()
		d, err := e.planOnce(ctx, st, ws, act, plan)
		// A document that is newer than what its node states was not planned for. Who saves all the time meets the commit, which compares versions.
		if e.shelf.others.Load() == lent || ctx.Err() != nil {
			return d, err
		}
		if round == planRounds {
			if err == nil {
				err = Fail(Conflicting, "the files keep changing while the change is planned; try again")
			}
			return nil, err
		}
	}
}

// planRounds is how often a plan is made anew when files that it reads change under it.
const planRounds = 5

func (e *Engine) planOnce(ctx context.Context, st mdstore.Store, ws mdstore.ID, act Act, plan func(*draft) error) (*draft, error) {
	e.mu.Lock()
	epoch := e.epoch
	e.mu.Unlock()
	snap, err := e.snapshot(ctx, st, ws)
	if err != nil {
		return nil, err
	}
	d := newDraft(snap, act, e.opt)
	d.epoch = epoch
	if d.claims, err = e.ledger(ctx, st); err != nil && ctx.Err() != nil {
		return nil, ctx.Err() // any other error keeps nobody from writing
	}
	if err := plan(d); err != nil {
		return nil, err
	}
	if err := e.tend(ctx, d); err != nil {
		return nil, err
	}
	return d, d.finish()
}

// commit makes a draft's changes and publishes what they lead to.
func (e *Engine) commit(ctx context.Context, st mdstore.Store, d *draft, out *Outcome) error {
	if !out.Changed() {
		return nil
	}
	before, err := sequence(ctx, st)
	if err != nil {
		return err
	}
	if err := st.Commit(ctx, d.changes()); err != nil {
		var conflict *mdstore.ConflictError
		if errors.As(err, &conflict) {
			e.Heed(conflict.Paths...)
		} else {
			e.forget(d.snap.ws.ID) // whatever happened, the files know better than we do
		}
		return err
	}
	out.Collisions = e.Met()
	after, err := sequence(ctx, st)
	if err != nil || len(out.Collisions) > 0 {
		e.forget(d.snap.ws.ID) // with a collision the files hold more than was planned
		return nil             // the commit is made; the next reader reads anew
	}
	var next *Snapshot
	if !d.moves() {
		files := d.files()
		next = d.snap.With(files...)
		next.shelve(files)
	}
	e.advance(before, after, d.snap, next, d.epoch)
	return nil
}

// Met returns the saves by others that commits have met and that no outcome has named yet: those of a commit that was finished after a crash, and
// those that came to light later, in a file that an editor had open for long.
func (e *Engine) Met() []mdstore.Collision {
	if c, ok := e.st.(mdstore.Collider); ok {
		return c.Collisions()
	}
	return nil
}

// exclusively keeps other processes' writers out while f plans and commits, where the store is shared with any.
func (e *Engine) exclusively(ctx context.Context, f func(mdstore.Store) error) error {
	if s, ok := e.st.(mdstore.Shared); ok {
		return s.Exclusively(ctx, f)
	}
	return f(e.st)
}
