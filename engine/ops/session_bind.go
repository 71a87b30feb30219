package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/sessions"
)

// SessionBindIn makes a workspace the default of a session.
type SessionBindIn struct {
	SessionID   string `json:"sessionId,omitempty" flag:"-" is:"session" help:"one to go on with; one is made unless given"`
	Take        bool   `json:"take,omitempty" flag:"-" help:"take the session over from the open connection that has bound it"`
	WorkspaceID string `json:"workspaceId,omitempty" arg:"WS" flag:"-"`
	NodeID      string `json:"nodeId,omitempty" flag:"node" is:"node" help:"the focus of the session: a NODE"`
	Write
}

// SessionBindOut is the result of session_bind.
type SessionBindOut struct {
	SessionID     string   `json:"sessionId,omitempty"` // where none was given
	WorkspaceID   string   `json:"workspaceId"`
	WorkspaceName string   `json:"workspaceName"`
	FocusedNodeID string   `json:"focusedNodeId"`
	Rules         []string `json:"rules"`
	RulesHash     string   `json:"rulesHash"`
	Wrote

	Session string `json:"-"` // that is bound
}

var sessionBind = op("session_bind", writes|repeats, SessionBind, Help{
	Summary: "make a workspace the default of a session",
	Advice:  "And of this connection.",
	Use:     "session bind [WS]",
	Text: `A session has one workspace; binding it again moves it. Without a session one is
made, and the line is printed that makes it the shell's.`,
	Example: "arbor session bind Login --session alice",
})

// SessionBind makes a workspace the default of a session. A connection holds the session then, so that no other binds
// it; what the caller was given, by a flag or a header, it need not hold.
func SessionBind(ctx context.Context, env *Env, in SessionBindIn) (out *SessionBindOut, err error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	asked, w := in.SessionID, s.Workspace()
	if in.SessionID, err = env.toBind(ctx, wholeIdentifier(env, asked)); err != nil {
		return nil, err
	}
	b := sessions.Binding{SessionID: in.SessionID, WorkspaceID: w.ID}
	if old, ok, err := env.Engine.Binding(ctx, in.SessionID); err == nil && ok && old.WorkspaceID == w.ID {
		b.Session = old.Session // a session that binds again continues where it was
		if _, there := s.Node(old.FocusedNodeID); there {
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
	o, err := env.Engine.Bind(ctx, b, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	out = &SessionBindOut{Session: in.SessionID, WorkspaceID: string(w.ID), WorkspaceName: w.Name, FocusedNodeID: string(b.FocusedNodeID), Rules: nonNil(w.Rules()), RulesHash: w.RulesHash(),
		Wrote: env.wrote(ctx, w.ID, o, "calls of this session may leave out workspaceId")}
	if asked == "" && !in.DryRun {
		out.SessionID = in.SessionID
	}
	if in.Take && !in.DryRun {
		out.Hint = "a connection that had bound it is told so at its next call"
	}
	if out.FocusedNodeID == "" {
		out.FocusedNodeID = string(engine.FocusOf(ctx, env.Engine, s, in.SessionID).Node)
	}
	return out, nil
}

// toBind returns the id that session_bind binds: the one that it names, else that of the caller, if it is not only the
// connection's and no other has taken it, else a new one.
func (env *Env) toBind(ctx context.Context, named string) (string, error) {
	own := func(id string) bool { return id == "" || id == env.Connection }
	if !own(named) {
		return named, fail(sessions.ValidID(named))
	}
	if !own(env.Session) && (!env.Follows || engine.MayUse(ctx, env.Engine, env.Session, env.Connection) == nil) {
		return env.Session, nil
	}
	id, err := engine.NewSessionID(env.Engine)
	return id, fail(err)
}

// hold keeps the session that is to be bound for the caller's connection. A caller that was given the session, by a flag
// or a header, goes on with it in any case: the person who gave it answers for that.
func (env *Env) hold(ctx context.Context, in SessionBindIn) (err error) {
	switch given := env.Person || !env.Follows && in.SessionID == env.Session; {
	case !in.DryRun:
		if err = engine.Hold(ctx, env.Engine, in.SessionID, env.Connection, in.Take); given {
			return nil
		}
	case !in.Take && !given:
		err = engine.MayUse(ctx, env.Engine, in.SessionID, env.Connection)
	}
	return fail(err)
}
