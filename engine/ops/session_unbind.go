package ops

import (
	"cmp"
	"context"

	"arbor/engine"
)

// SessionUnbindIn names a session whose binding ends.
type SessionUnbindIn struct {
	SessionIn
	Write
}

// SessionUnbindOut is the result of session_unbind.
type SessionUnbindOut struct {
	Wrote

	Session string `json:"-"` // that was bound
}

var sessionUnbind = op("session_unbind", writes, SessionUnbind, Help{
	Summary: "forget what a session is bound to and what it has seen",
	Use:     "session unbind",
	Text:    "The workspace itself does not change. What the session has claimed is given back.",
	Example: "arbor session unbind --session alice",
})

// SessionUnbind ends a session's binding.
func SessionUnbind(ctx context.Context, env *Env, in SessionUnbindIn) (*SessionUnbindOut, error) {
	id, err := env.sessionNamed(wholeIdentifier(env, in.SessionID))
	if err != nil {
		return nil, err
	}
	o, err := env.Engine.Unbind(ctx, id, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	if env.Connection != "" && !in.DryRun {
		if err := engine.LetGo(ctx, env.Engine, env.Connection, id); err != nil {
			return nil, fail(err)
		}
	}
	return &SessionUnbindOut{env.wrote(ctx, "", o, "calls name their workspace again, where more than one is active"), id}, nil
}

// sessionNamed returns the session that a call names, or else the caller's.
func (env *Env) sessionNamed(id string) (string, error) {
	if id = cmp.Or(id, env.Session); id == "" {
		return "", badParam("sessionId", "no session is named; name one (sessionId, --session or ARBOR_SESSION)")
	}
	return id, nil
}
