package engine

import (
	"context"
	"errors"
	"runtime"

	"arbor/mdstore"
)

// join has a change made, by this caller or by another one who takes it along, and returns when it is durable.
func (e *Engine) join(ctx context.Context, c change) (*Outcome, error) {
	r := &request{change: c, ctx: ctx, done: make(chan struct{})}
	e.requests.add(r)
	select {
	case e.writing <- struct{}{}:
		e.lead(r, false)
	default:
	}
	for gone := ctx.Done(); ; {
		select {
		case <-r.done:
			if r.panicked != nil {
				panic(r.panicked)
			}
			return r.out, r.err
		case e.writing <- struct{}{}:
			e.lead(r, true)
		case <-gone:
			if e.requests.withdraw(r) {
				return nil, ctx.Err()
			}
			gone = nil // somebody has taken it: it may be made, or put back
		}
	}
}

// lead makes what is asked for until that of the leader is done. It is called with the turn, and gives it back. waited says that somebody else had it
// when the leader asked.
func (e *Engine) lead(r *request, waited bool) {
	var taken []*request
	defer func() {
		e.requests.back(taken) // of the leader's own plan that panics
		e.requests.withdraw(r)
		e.writing.Unlock()
	}()
	for !r.finished() {
		served := false
		var again []*request // those that are to be made once git is done with what it is in the middle of
		err := e.exclusively(r.ctx, func(st mdstore.Store) error {
			if waited || e.company > 0 {
				e.requests.gather()
			}
			taken, served = e.requests.take(), true
			e.company = max(e.company-1, 0)
			if waited || len(taken) > 1 {
				e.company = companyLasts
			}
			err := e.serve(st, r, taken)
			if again = nil; busyError(err) {
				e.requests.back(taken) // who waits no longer than that may go
				again, taken = taken, nil
			}
			return err
		})
		switch {
		case !served && busyError(err) && r.ctx.Err() == nil:
			// Whoever has the lock does not get on: that is so for all who wait, who would find out one after the other.
			taken = e.requests.all()
			for _, t := range taken {
				t.finish(nil, err)
			}
		case !served, r.ctx.Err() != nil:
			// The lock was not to be had, or the leader goes: that is no answer to anybody else.
			e.requests.back(taken)
			taken = nil
			if err != nil && e.requests.withdraw(r) {
				r.finish(nil, err)
			}
		case err != nil:
			for _, t := range taken {
				if !t.finished() {
					t.finish(nil, err)
				}
			}
			for _, t := range again {
				if e.requests.withdraw(t) {
					t.finish(nil, err)
				}
			}
		}
		e.requests.back(taken)
		taken = nil
	}
}

func busyError(err error) bool {
	var busy *mdstore.BusyError
	return errors.As(err, &busy)
}

// serve makes one commit of requests, as many as go together, for who leads, and finishes those. The error says that nothing was changed
// because another program is in the middle of something, and none of those that it concerns is finished.
func (e *Engine) serve(st mdstore.Store, lead *request, rs []*request) error {
	g := group{e: e, st: st, lead: lead}
	for _, r := range rs {
		if err := r.ctx.Err(); err != nil {
			r.finish(nil, err)
			continue
		}
		if len(rs) == 1 || r.alone {
			if len(g.drafts) > 0 {
				break
			}
			return e.serveOne(st, lead, r)
		}
		if !g.add(r) {
			if len(g.drafts) == 0 {
				return e.serveOne(st, lead, r)
			}
			break
		}
	}
	if len(g.drafts) == 0 {
		return nil
	}
	return g.commit()
}

func (e *Engine) serveOne(st mdstore.Store, lead, r *request) (err error) {
	e.shield(lead, r, func() {
		var out *Outcome
		if out, err = e.single(st, r); !busyError(err) {
			r.finish(out, err)
			err = nil
		}
	})
	return err
}

// shield calls f, which does what a request asks for. A panic is that of the caller who asked: where it is not the one who leads, it goes on in that one's join, and the
// others hear nothing of it. It reports whether there was none.
func (e *Engine) shield(lead, r *request, f func()) (whole bool) {
	if r == lead {
		f()
		return true
	}
	defer func() {
		if p := recover(); p != nil {
			stack := make([]byte, 16<<10)
			e.opt.Log.Error("what another caller asked for panics", "panic", p, "stack", string(stack[:runtime.Stack(stack, false)]))
			r.panicked = p
			r.finish(nil, nil)
		}
	}()
	f()
	return true
}
