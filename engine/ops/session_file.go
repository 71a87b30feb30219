package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// SessionRef names a session with a file, and its workspace.
type SessionRef struct {
	In
	SessionID string `json:"sessionId,omitempty" flag:"-"`
}

// A Bound says which session a call has bound its caller to, "" for none: a front end may go on as that session.
type Bound struct {
	Caller  string `json:"-"` // the name that the binding has
	Session string `json:"-"` // the id of the session
}

// BoundTo returns it.
func (b Bound) BoundTo() Bound { return b }

// callerOf returns the name that a binding of the caller to a session has.
func callerOf(env *Env, session string) string {
	if env.Session == "" || env.Follows {
		return session
	}
	return env.Session
}

// sessionOf returns the session that a call is about, in its workspace: the one that it names, or else the one that the caller is bound
// to.
func sessionOf(ctx context.Context, env *Env, in SessionRef) (*view.View, *mdstore.Page, error) {
	v, err := env.as(in.SessionID).In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, nil, err
	}
	ref := in.SessionID
	if ref != "" && ref != env.Session {
		if p, ok := v.Pages().Session(ref); ok {
			return v, p, nil
		}
	} else {
		ref = env.Session
	}
	if p, ok := engine.SessionFile(ctx, env.Engine, v, ref); ok {
		return v, p, nil
	}
	if in.SessionID != "" && env.Loose {
		p, _, err := v.Pages().Resolve(mdstore.SessionKind, ref, errs.SessionNotFound)
		return v, p, fail(err)
	}
	who := "the caller is bound to no session with a file"
	if ref != "" {
		who = ref + ": there is no session of this name with a file in workspace " + string(v.Workspace().ID)
	}
	return nil, nil, errs.New(errs.SessionNotFound, "%s; session_start makes one (arbor session start), session_list names those that are "+
		"there", who).With(errs.Details{Param: "sessionId"})
}

// rebinds is the change of bindings that makes the caller's session the one that a plan names.
func rebinds[R any](env *Env, ws mdstore.ID, named string, of func(R) mdstore.ID, to *Bound) engine.Rebinding[R] {
	return func(r R, s *sessions.Bindings) ([]mdstore.Change, string, error) {
		id := of(r)
		if named == "" {
			named = string(id)
		}
		*to = Bound{Caller: callerOf(env, named), Session: string(id)}
		changes, err := s.SetFile(to.Caller, ws, id, env.Engine.Now())
		return changes, "session " + to.Caller + " bound to " + string(ws), err
	}
}
