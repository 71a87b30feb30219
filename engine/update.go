package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// A change is what update is asked for: a plan for one workspace. It may be called more than once, each time with a fresh draft.
type change struct {
	ws   mdstore.ID
	act  Act
	plan func(*draft) error
}

// update plans a change of one workspace and commits it. plan may be called more than once, each time with a fresh draft, and by whoever leads those who wait.
func (e *Engine) update(ctx context.Context, ws mdstore.ID, act Act, plan func(*draft) error) (*Outcome, error) {
	c := change{ws, act, plan}
	if !act.DryRun {
		return e.join(ctx, c)
	}
	select {
	case e.writing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer e.writing.Unlock()
	d, err := e.plan(ctx, e.st, c)
	if err != nil {
		return nil, err
	}
	return d.outcome(true), e.writable(ctx, d.changes())
}

// single plans one request and commits it.
func (e *Engine) single(st mdstore.Store, r *request) (out *Outcome, err error) {
	for round := 0; ; round++ {
		d, err := e.plan(r.ctx, st, r.change)
		if err != nil {
			return nil, err
		}
		out = d.outcome(false)
		err = e.commit(r.ctx, st, d, out)
		var conflict *mdstore.ConflictError
		if !errors.As(err, &conflict) || round == len(pauses) {
			return out, err
		}
		select {
		case <-e.opt.After(pauses[round]):
		case <-r.ctx.Done():
			return nil, r.ctx.Err()
		}
	}
}

// writable asks the store what speaks against the changes, so that a dry run refuses what a real one would.
func (e *Engine) writable(ctx context.Context, changes []mdstore.Change) error {
	w, ok := mdstore.AsStore[mdstore.Writable](e.st)
	if !ok {
		return nil
	}
	if err := w.Writable(ctx, mdstore.LocalDir); err != nil {
		return err
	}
	for _, c := range changes {
		if c.Keep {
			continue
		}
		may := w.Writable(ctx, c.Path)
		if c.To != "" {
			may = w.Movable(ctx, c.Path, c.To)
		}
		if may != nil {
			return may
		}
	}
	return nil
}

// plan makes a draft over the newest snapshot and computes its changes.
func (e *Engine) plan(ctx context.Context, st mdstore.Store, c change) (*draft, error) {
	for round := 1; ; round++ {
		lent := e.shelf.others.Load()
		d, err := e.planOnce(ctx, st, c)
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

func (e *Engine) planOnce(ctx context.Context, st mdstore.Store, c change) (*draft, error) {
	e.mu.Lock()
	epoch := e.epoch
	e.mu.Unlock()
	snap, err := e.snapshot(ctx, st, c.ws)
	if err != nil {
		return nil, err
	}
	claims, err := e.ledger(ctx, st)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err() // any other error keeps nobody from writing
	}
	return e.planOver(ctx, snap, epoch, claims, c)
}

// planOver makes a draft over a snapshot. claims is nil where nobody can tell them.
func (e *Engine) planOver(ctx context.Context, snap *Snapshot, epoch uint64, claims *ledger, c change) (*draft, error) {
	d := newDraft(snap, c.act, e.opt)
	d.epoch, d.claims = epoch, claims
	if err := c.plan(d); err != nil {
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
	changes := d.changes()
	var next *Snapshot
	if !d.moves() {
		next = d.snap.with(d.made(changes))
	}
	met, err := e.make(ctx, st, changes, d, next)
	if out.Collisions = met; err == nil {
		err = unmade(met, anyPath)
	}
	return err
}

// make commits changes, which were planned from the snapshot of first on, and publishes what they lead to: next, or nil where that is to be read. It returns the
// saves by others that the commit has met.
func (e *Engine) make(ctx context.Context, st mdstore.Store, changes []mdstore.Change, first *draft, next *Snapshot) ([]mdstore.Collision, error) {
	before, err := sequence(ctx, st)
	if err != nil {
		return nil, err
	}
	earlier := e.takeUntold()
	res, err := st.Commit(ctx, changes)
	met := res.Collisions
	if err != nil {
		var conflict *mdstore.ConflictError
		if errors.As(err, &conflict) {
			e.Heed(conflict.Paths...)
		} else {
			e.forget(first.snap.ws.ID) // whatever happened, the files know better than we do
		}
		if not := unmade(met, anyPath); not != nil {
			err = fmt.Errorf("%w; but not in all of them: %v", err, not)
		}
		e.postpone(append(earlier, answered(met)...))
		return nil, err
	}
	met = append(earlier, met...)
	after, err := sequence(ctx, st)
	if err != nil || len(met) > 0 {
		e.forget(first.snap.ws.ID) // with a collision the files hold more than was planned
		return met, nil            // the commit is made; the next reader reads anew
	}
	if next != nil {
		next.shelve(changes)
	}
	e.advance(before, after, first.snap, next, first.epoch)
	return met, nil
}

// Met returns the saves by others that commits have met and that no outcome has named yet: those of a commit that failed or was finished after a crash, and
// those that came to light later, in a file that an editor had open for long.
func (e *Engine) Met() []mdstore.Collision {
	met := e.takeUntold()
	if s, ok := mdstore.AsStore[mdstore.Strays](e.st); ok {
		more, err := s.Displaced(context.Background())
		if err != nil {
			e.opt.Log.Warn("displaced files cannot be looked at", "error", err)
		}
		met = append(met, more...)
	}
	return met
}

func (e *Engine) takeUntold() []mdstore.Collision {
	e.mu.Lock()
	defer e.mu.Unlock()
	met := e.untold
	e.untold = nil
	return met
}

// postpone leaves saves that commits have met to the next outcome.
func (e *Engine) postpone(met []mdstore.Collision) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.untold = append(e.untold, met...)
}

// answered returns collisions of commits that have been answered: whoever hears of them now has not asked for what was not made.
func answered(met []mdstore.Collision) []mdstore.Collision {
	for i := range met {
		met[i].Unmade = false
	}
	return met
}

// exclusively keeps other processes' writers out while f plans and commits, where the store is shared with any.
func (e *Engine) exclusively(ctx context.Context, f func(mdstore.Store) error) error {
	return e.st.Update(ctx, f)
}
