package ops

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/fold"
)

type SessionBindIn struct {
	SessionID   string `json:"sessionId,omitempty" flag:"-" is:"session" help:"a session to continue; default: a new one"`
	Take        bool   `json:"take,omitempty" flag:"-" help:"take over a session that another open connection holds"`
	WorkspaceID string `json:"workspaceId,omitempty" arg:"WS" flag:"-"`
	NodeID      string `json:"nodeId,omitempty" flag:"node" is:"node" help:"the session's focus, a NODE"`
	Write
}

type SessionBindOut struct {
	SessionID     string   `json:"sessionId,omitempty"` // if the call gave no id
	WorkspaceID   string   `json:"workspaceId"`
	WorkspaceName string   `json:"workspaceName"`
	FocusedNodeID string   `json:"focusedNodeId"`
	Rules         []string `json:"rules"`
	RulesHash     string   `json:"rulesHash"`
	Wrote

	Session string `json:"-"` // the session that is bound
}

var sessionBind = op("session_bind", writes|repeats, SessionBind, Help{
	Summary: "bind a session to a workspace",
	Advice:  "And of this connection.",
	Use:     "session bind [WS]",
	Text: `A session has one workspace; binding it again moves it. Without a session one is
created, and the line for your shell is printed.`,
	Example: "arbor session bind Login --session alice",
})

// SessionBind makes a workspace the default of a session. The caller's connection then holds the session, so that no
// other connection binds it. A session that a flag or a header gave the caller is bound even if another connection
// holds it.
func SessionBind(ctx context.Context, env *Env, in SessionBindIn) (out *SessionBindOut, err error) {
	s, err := env.As(in.SessionID).In(ctx, in.WorkspaceID) // a session that is bound keeps its workspace
	if err != nil {
		return nil, err
	}
	asked, w := in.SessionID, s.Workspace()
	if in.SessionID, err = env.toBind(ctx, wholeIdentifier(env, asked)); err != nil {
		return nil, err
	}
	if err := env.ownKey(ctx, in.SessionID); err != nil {
		return nil, err
	}
	b := sessions.Binding{SessionID: in.SessionID, WorkspaceID: w.ID}
	if old, ok, err := env.Engine.Binding(ctx, in.SessionID); err == nil && ok && old.WorkspaceID == w.ID {
		if _, there := s.Node(old.FocusedNodeID); there { // a session that binds to the same workspace again keeps it
			b.FocusedNodeID = old.FocusedNodeID
		}
	}
	if in.NodeID != "" {
		if b.FocusedNodeID, err = env.resolve(s, in.NodeID, "nodeId"); err != nil {
			return nil, err
		}
	}
	if err := env.hold(ctx, in); err != nil {
		return nil, err
	}
	like := ""
	if asked != "" {
		like = env.Engine.LikeSession(ctx, in.SessionID)
	}
	o, err := env.Engine.Bind(ctx, b, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	out = &SessionBindOut{Session: in.SessionID, WorkspaceID: string(w.ID), WorkspaceName: w.Name, FocusedNodeID: string(b.FocusedNodeID), Rules: nonNil(w.Rules()), RulesHash: w.RulesHash(),
		Wrote: env.wrote(ctx, w.ID, o, "calls of this session may leave out {.workspaceId}")}
	if asked == "" && !in.DryRun {
		out.SessionID = in.SessionID
	}
	if like != "" {
		out.Warned = append(out.Warned, in.SessionID+" is a new session; "+like+" is one that is there: bind that one "+
			"if you mean it, and {session_unbind} forgets this one")
	}
	if in.Take && !in.DryRun {
		out.Hint = "connections bound to it are told at their next call"
	}
	if out.FocusedNodeID == "" {
		out.FocusedNodeID = string(env.Engine.FocusOf(ctx, s, in.SessionID).Node)
	}
	return out, nil
}

// toBind returns the id of the session that session_bind binds: the one that the call names, or else the caller's, or
// else a new one. The connection's own name counts as no session, and so does the caller's session if another
// connection has taken it.
func (env *Env) toBind(ctx context.Context, named string) (string, error) {
	own := func(id string) bool { return id == "" || id == env.Connection }
	if !own(named) {
		return named, fail(sessions.ValidID(named))
	}
	if !own(env.Session) && (!env.Follows || env.Engine.MayUse(ctx, env.Session, env.Connection) == nil) {
		return env.Session, nil
	}
	id, err := env.Engine.NewSessionID()
	return id, fail(err)
}

// hold lets the caller's connection hold the session that it is about to bind. The error says that another connection
// holds it. If a flag or a header gave the caller this session, there is no error: the person who set it answers for
// that.
func (env *Env) hold(ctx context.Context, in SessionBindIn) (err error) {
	switch given := env.Caller != ByAssistant || !env.Follows && in.SessionID == env.Session; {
	case !in.DryRun:
		if err = env.Engine.Hold(ctx, in.SessionID, env.Connection, in.Take); given {
			return nil
		}
	case !in.Take && !given:
		err = env.Engine.MayUse(ctx, in.SessionID, env.Connection)
	}
	return fail(err)
}

type SessionUnbindIn struct {
	SessionIn
	Write
}

type SessionUnbindOut struct {
	Wrote

	Session string `json:"-"` // the session that was bound
}

var sessionUnbind = op("session_unbind", writes, SessionUnbind, Help{
	Summary: "unbind a session and forget what it has seen",
	Use:     "session unbind",
	Text:    "The workspace itself does not change. What the session has claimed is given back.",
	Example: "arbor session unbind --session alice",
})

// SessionUnbind ends a session's binding, and gives back what the session has claimed.
func SessionUnbind(ctx context.Context, env *Env, in SessionUnbindIn) (*SessionUnbindOut, error) {
	id, err := env.sessionNamed(wholeIdentifier(env, in.SessionID))
	if err != nil {
		return nil, err
	}
	if err := env.ownKey(ctx, id); err != nil {
		return nil, err
	}
	o, err := env.Engine.Unbind(ctx, id, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	if env.Connection != "" && !in.DryRun {
		if err := env.Engine.LetGo(ctx, env.Connection, id); err != nil {
			return nil, fail(err)
		}
	}
	return &SessionUnbindOut{env.wrote(ctx, "", o, "calls name their workspace again, where more than one is active"), id}, nil
}

// sessionNamed returns id, or else the caller's session. It is an error if neither is given.
func (env *Env) sessionNamed(id string) (string, error) {
	if id = cmp.Or(id, env.Session); id == "" {
		return "", badParam("sessionId", "no session is named; name one ({.sessionId} or ARBOR_SESSION)")
	}
	return id, nil
}

// SessionRef names a session with a file, and its workspace; without an id it is the caller's session.
type SessionRef struct {
	In
	SessionID string `json:"sessionId,omitempty" flag:"-" is:"session"`
}

// A Bound says which session a call has bound its caller to, "" for none. A front end may then continue as that
// session.
type Bound struct {
	Caller  string `json:"-"` // the id under which the caller is bound
	Session string `json:"-"` // the id of the session
}

// BoundTo returns b: front ends call it on any result that embeds a Bound.
func (b Bound) BoundTo() Bound { return b }

// sessionOf returns the session that a call is about, and its workspace: the session that the call names, or else the
// one that the caller is bound to. It is an error if that session has no file.
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
	if p, ok := env.Engine.SessionFile(ctx, v, ref); ok {
		return v, p, nil
	}
	if in.SessionID != "" && env.Names != NamesExact {
		p, others, err := v.Pages().Resolve(mdstore.SessionKind, ref, errs.SessionNotFound)
		if others > 0 {
			p, err = openOne(v, p, env.Engine.Now())
		}
		return v, p, fail(err)
	}
	who := "no session is active here"
	if ref != "" && ref != env.Connection {
		who = ref + ": there is no session of this name with a file in workspace " + string(v.Workspace().ID)
	}
	return nil, nil, errs.New(errs.SessionNotFound, "%s; {session_start} makes one, {session_list} names those that are "+
		"there", who).With(errs.Details{Param: "sessionId"})
}

// openOne returns the only open session with the name of p; p if none is open. Of several, the caller must choose.
func openOne(v *view.View, p *mdstore.Page, now time.Time) (*mdstore.Page, error) {
	var ids []string
	found := p
	for _, q := range v.Pages().Newest(mdstore.SessionKind) {
		if fold.Name(q.Name()) == fold.Name(p.Name()) && view.SessionEnded(q, now) == 0 {
			found, ids = q, append(ids, string(q.ID))
		}
	}
	if len(ids) > 1 {
		return nil, errs.New(errs.InvalidParams, "%s: several open sessions have this name: %s; give the id of one",
			p.Name(), strings.Join(ids, ", ")).With(errs.Details{Param: "sessionId"})
	}
	return found, nil
}

// newSession returns the id for a new session: the one the call gives, or else the caller's own name; "" lets the plan
// choose.
func newSession(env *Env, given string) (string, error) {
	if given == "" && !env.Follows {
		given = env.Session
	}
	if given == "" {
		return "", nil
	}
	return given, fail(sessions.ValidID(given))
}

// begin carries out a plan that starts or continues a session, and binds the caller to it, in one commit. The binding
// is under the caller's session id. A caller without one, or one that Follows, is bound under named, or else under the
// id of the session that it starts or takes up.
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
				if err := env.Engine.MayUse(ctx, to.Caller, env.Connection); err != nil {
					return nil, view.Change{}, err
				}
			}
			focus := s.Node
			if was, ok := b.Get(env.Session); ok && was.WorkspaceID == ws { // the caller goes on with what it worked on
				focus = cmp.Or(focus, was.FocusedNodeID)
			}
			changes, err := b.SetFile(to.Caller, ws, focus, env.Engine.Now())
			return changes, view.Change{ID: mdstore.ID(to.Caller), Do: "bound to " + string(ws)}, err
		})
	if err != nil {
		return nil, Wrote{}, Bound{}, fail(err)
	}
	if !w.DryRun {
		env.Engine.Began(ctx, sessions.Begun{Session: s.ID, Workspace: ws, Caller: to.Caller, By: env.whose()})
	}
	if env.Follows && !w.DryRun {
		if err := env.Engine.Hold(ctx, to.Caller, env.Connection, false); err != nil {
			return nil, Wrote{}, Bound{}, fail(err)
		}
	}
	return s, env.wrote(ctx, ws, o, hint), to, nil
}

// onlyReads reports whether a load only reads: it binds no session and starts none.
func onlyReads(env *Env, goOn *bool) bool { return env.May == MayLook || goOn != nil && !*goOn }

// namesakes returns the hint for a page whose name other pages of its kind have too.
func namesakes(k *mdstore.Kind, others int, id mdstore.ID) string {
	if others == 0 {
		return ""
	}
	const form = "of %d %ss of this name this is the newest, %s; %s_list names the others"
	return fmt.Sprintf(form, others+1, k.Name, id, k.Name)
}
