package ops

import "context"

// SessionUnbindIn names a session whose binding ends.
type SessionUnbindIn struct {
	SessionIn
	Write
}

// SessionUnbindOut is the result of session_unbind.
type SessionUnbindOut struct{ Wrote }

var sessionUnbind = op("session_unbind", writes, SessionUnbind, Help{
	Summary: "forget what a session is bound to and what it has seen",
	Use:     "session unbind",
	Text:    "The workspace itself does not change. What the session has claimed is given back.",
	Example: "arbor session unbind --session alice",
})

// SessionUnbind ends a session's binding.
func SessionUnbind(ctx context.Context, env *Env, in SessionUnbindIn) (*SessionUnbindOut, error) {
	o, err := env.Engine.Unbind(ctx, wholeIdentifier(env, in.SessionID), env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	return &SessionUnbindOut{env.wrote(ctx, "", o, "calls name their workspace again, where more than one is active")}, nil
}
