package engine

import (
	"context"

	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// SessionFile returns the session file of a caller in a workspace: the one that the caller's binding names, or else
// the one whose id is the caller's name.
func (e *Engine) SessionFile(ctx context.Context, v *view.View, caller string) (*mdstore.Page, bool) {
	if caller == "" || len(v.Pages().Of(mdstore.SessionKind)) == 0 {
		return nil, false
	}
	if s, err := sessions.ReadBindings(ctx, e.st); err == nil {
		if b, ok := s.Get(caller); ok && b.Session != "" {
			caller = string(b.Session)
		}
	}
	return v.Pages().Session(caller)
}

// A Rebinding gets the result of an operation and the bindings. It returns the changes of sessions.json that belong to
// the operation, and what they do.
type Rebinding[R any] func(R, *sessions.Bindings) (changes []mdstore.Change, what view.Change, err error)

// ApplyBound is Apply for an operation that changes bindings as well, in the same commit.
func ApplyBound[R any](
	ctx context.Context, e *Engine, ws mdstore.ID, act plan.Act, op plan.Operation[R], rebind Rebinding[R],
) (R, *plan.Outcome, error) {
	return Apply(ctx, e, ws, act, planning[R](func(d *plan.Draft) (R, error) {
		r, err := op.Plan(d)
		if err != nil {
			return r, err
		}
		s, err := sessions.ReadBindings(ctx, e.st)
		if err != nil {
			return r, err
		}
		changes, what, err := rebind(r, s)
		for _, c := range changes {
			old := s.Raw()
			if c.Base.IsZero() {
				old = nil
			}
			plan.Besides(d, c, old, what)
		}
		return r, err
	}))
}

// planning is an operation that is a function.
type planning[R any] func(*plan.Draft) (R, error)

// Plan calls it.
func (f planning[R]) Plan(d *plan.Draft) (R, error) { return f(d) }
