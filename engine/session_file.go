package engine

import (
	"context"
	"slices"

	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// SessionFile returns the session file of a caller in a workspace: while the caller is bound, that of the session that
// it began or continued last; otherwise the one whose id is the caller's name.
func (e *Engine) SessionFile(ctx context.Context, v *view.View, caller string) (*mdstore.Page, bool) {
	if caller == "" || len(v.Pages().Of(mdstore.SessionKind)) == 0 {
		return nil, false
	}
	if s, err := e.bindings(ctx); err == nil {
		if b, ok := s.Get(caller); ok && b.WorkspaceID == v.Workspace().ID {
			caller = sessions.FileOf(e.begun(ctx), b.WorkspaceID, caller)
		}
	}
	return v.Pages().Session(caller)
}

// begun returns the sessions that were begun on this machine, the newest last; none if they cannot be read.
func (e *Engine) begun(ctx context.Context) []sessions.Begun {
	all, err := sessions.ReadBegun(ctx, e.st)
	if err != nil {
		e.opt.Log.Warn("it cannot be read which sessions were begun here", "error", err)
	}
	return all
}

// begunIn returns the sessions of a workspace that were begun on this machine and may be over. It looks at the pages of
// the workspace only if there are such sessions.
func (e *Engine) begunIn(ctx context.Context, v *view.View) (ids []mdstore.ID) {
	for _, b := range e.begun(ctx) {
		if b.Workspace != v.Workspace().ID || b.Caller == "" {
			continue
		}
		p, ok := v.Pages().Get(mdstore.SessionKind, b.Session)
		if ok && p.Time(mdstore.KeyStarted) < e.opt.Now().Add(-view.SessionLife).UnixMilli() {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Began notes that a session was begun or continued on this machine. If the note fails, the caller's session is the one
// named like the caller.
func (e *Engine) Began(ctx context.Context, b sessions.Begun) {
	e.editBegun(ctx, func(all []sessions.Begun) []sessions.Begun { return sessions.With(all, b) })
}

// BegunBy returns the sessions that an identifier or a program began on this machine, the newest first.
func (e *Engine) BegunBy(ctx context.Context, by string) (all []sessions.Begun) {
	for _, b := range slices.Backward(e.begun(ctx)) {
		if b.By == by && by != "" {
			all = append(all, b)
		}
	}
	return all
}

// Ended notes that a session has no callers any more.
func (e *Engine) Ended(ctx context.Context, ws, session mdstore.ID) {
	e.editBegun(ctx, func(all []sessions.Begun) []sessions.Begun {
		for i, b := range all {
			if b.Workspace == ws && b.Session == session {
				all[i].Caller = ""
			}
		}
		return all
	})
}

func (e *Engine) editBegun(ctx context.Context, edit func([]sessions.Begun) []sessions.Begun) {
	if err := sessions.EditBegun(ctx, e.st, edit); err != nil {
		e.opt.Log.Warn("it cannot be noted which sessions were begun here", "error", err)
	}
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
		s, err := e.bindings(ctx)
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
