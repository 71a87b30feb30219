package engine

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// Whoever changes a workspace waits for the turn to. Who gets it leads: it takes along what the others who wait for the same workspace ask for, so that all of
// it is made durable at once, at the price of one commit. Nobody waits for company: who is alone goes alone.

// groupMost is how many requests one commit makes.
const groupMost = 64

// companyLasts is after how many commits that nobody else asked for, or waited for, nobody else is expected.
const companyLasts = 8

// A turn is held by one at a time. Who waits for it gets it in the order in which they came.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// Lock takes the turn.
func (t turn) Lock() { t <- struct{}{} }

// Unlock gives it back.
func (t turn) Unlock() { <-t }

// A request is what one caller wants to be changed.
type request struct {
	change
	ctx  context.Context
	out  *Outcome
	err  error
	done chan struct{} // closed when out and err are set, or panicked

	panicked any  // what the plan panicked with while somebody else made it
	alone    bool // it is not to be made together with others
}

// finish tells the caller what became of a request.
func (r *request) finish(out *Outcome, err error) {
	if err != nil {
		out = nil
	}
	r.out, r.err = out, err
	close(r.done)
}

func (r *request) finished() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// A queue holds the requests that nobody has taken yet, in the order in which they came.
type queue struct {
	mu      sync.Mutex
	waiting []*request // guarded by mu
}

func (q *queue) add(r *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, r)
}

// back puts requests that were taken, and are not finished, where they were, but for those whose callers have gone meanwhile.
func (q *queue) back(rs []*request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.Concat(slices.DeleteFunc(slices.Clone(rs), func(r *request) bool {
		if err := r.ctx.Err(); err != nil && !r.finished() {
			r.finish(nil, err)
		}
		return r.finished()
	}), q.waiting)
}

// withdraw takes a request out, and reports false where somebody else has taken it.
func (q *queue) withdraw(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, r)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// gather lets those go first who are about to ask: whose last change has just been made, and who are only waiting for a processor to come back. Where nobody is,
// it costs another processor a look, and so it is not called for who has been alone for a while.
func (q *queue) gather() {
	for before, now := -1, q.len(); now > before; before, now = now, q.len() {
		runtime.Gosched()
	}
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// all takes every request.
func (q *queue) all() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	rs := q.waiting
	q.waiting = nil
	return rs
}

// take returns the first request with all that can be made with it.
func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	first := q.waiting[0]
	var taken []*request
	q.waiting = slices.DeleteFunc(q.waiting, func(r *request) bool {
		with := r == first || !first.alone && !r.alone && r.ws == first.ws && len(taken) < groupMost
		if with {
			taken = append(taken, r)
		}
		return with
	})
	return taken
}
