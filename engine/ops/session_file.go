package ops

import (
	"cmp"
	"context"
	"fmt"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// SessionRef names a session with a file, and its workspace.
type SessionRef struct {
	In
	SessionID string `json:"sessionId,omitempty" flag:"-" is:"session"`
}

// A Bound says which session a call has bound its caller to, "" for none: a front end may go on as that session.
type Bound struct {
	Caller  string `json:"-"` // the name that the binding has
	Session string `json:"-"` // the id of the session
}

// BoundTo returns it.
func (b Bound) BoundTo() Bound { return b }

// sessionOf returns the session that a call is about, in its workspace: the one that it names, or else the one that the
// caller is bound to.
func sessionOf(ctx context.Context, env *Env, in SessionRef) (*view.View, *mdstore.Page, error) {
	v, err := env.As(in.SessionID).WithPages(ctx, in.WorkspaceID)
	if err != nil {
		return nil, nil, err
	}
	ref := cmp.Or(in.SessionID, env.Session)
	if ref != env.Session {
		if p, ok := v.Pages().Session(ref); ok {
			return v, p, nil
		}
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

// newSession returns what the caller wants a new session to be called: as it says, or else as itself; "" is any name.
func newSession(env *Env, given string) (string, error) {
	if given == "" && !env.Follows {
		given = env.Session
	}
	if given == "" {
		return "", nil
	}
	return given, fail(sessions.ValidID(given))
}

// begin carries out a plan that starts a session or takes one up, and binds the caller to it, in one commit. A caller
// without a name of its own is bound as named, or else as the session.
func begin(
	ctx context.Context, env *Env, ws mdstore.ID, w Write, p plan.Operation[*plan.StartedSession], named, hint string,
) (s *plan.StartedSession, wrote Wrote, to Bound, err error) {
	s, o, err := engine.ApplyBound(ctx, env.Engine, ws, env.act(w, Match{}), p,
		func(s *plan.StartedSession, b *sessions.Bindings) ([]mdstore.Change, view.Change, error) {
			to = Bound{Caller: env.Session, Session: string(s.ID)}
			if env.Session == "" || env.Follows {
				to.Caller = cmp.Or(named, to.Session)
			}
			if env.Follows {
				if err := engine.MayUse(ctx, env.Engine, to.Caller, env.Connection); err != nil {
					return nil, view.Change{}, err
				}
			}
			changes, err := b.SetFile(to.Caller, ws, s.ID, s.Node, env.Engine.Now())
			return changes, view.Change{ID: mdstore.ID(to.Caller), Do: "bound to " + string(ws)}, err
		})
	if err != nil {
		return nil, Wrote{}, Bound{}, fail(err)
	}
	if env.Follows && !w.DryRun {
		if err := engine.Hold(ctx, env.Engine, to.Caller, env.Connection, false); err != nil {
			return nil, Wrote{}, Bound{}, fail(err)
		}
	}
	return s, env.wrote(ctx, ws, o, hint), to, nil
}

// onlyReads reports whether a load only reads: it binds no session and starts none.
func onlyReads(env *Env, goOn *bool) bool { return env.ReadOnly || goOn != nil && !*goOn }

// namesakes is the hint of what was named by a name which others of its kind have, too.
func namesakes(k *mdstore.Kind, others int, id mdstore.ID) string {
	if others == 0 {
		return ""
	}
	const form = "of %d %ss of this name this is the newest, %s; %s_list names the others"
	return fmt.Sprintf(form, others+1, k.Name, id, k.Name)
}
