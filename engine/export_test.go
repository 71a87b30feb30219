package engine

import (
	"context"

	"arbor/mdstore"
)

// Waiting returns how many requests nobody has taken yet.
func (e *Engine) Waiting() int {
	e.requests.mu.Lock()
	defer e.requests.mu.Unlock()
	return len(e.requests.waiting)
}

// Plan asks for a change that has nothing made, and has plan called where operations plan.
func (e *Engine) Plan(ctx context.Context, ws mdstore.ID, plan func() error) (*Outcome, error) {
	return e.update(ctx, ws, Act{}, func(*draft) error { return plan() })
}

// Nearby reports whether what an attended session has not seen of a snapshot is known without a look at all of it.
func (e *Engine) Nearby(session string, snap *Snapshot) bool {
	_, ok := e.nearby(session, snap)
	return ok
}
