package ops

import "context"

// SessionUnbindIn names a session whose binding ends.
type SessionUnbindIn struct {
	SessionIn
	Write
}

// SessionUnbindOut is the result of session_unbind.
type SessionUnbindOut struct{ Wrote }

var sessionUnbind = op("session_unbind", "end a session's binding", writes, SessionUnbind)

// SessionUnbind ends a session's binding.
func SessionUnbind(ctx context.Context, env *Env, in SessionUnbindIn) (*SessionUnbindOut, error) {
	o, err := env.Engine.Unbind(ctx, in.SessionID, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	return &SessionUnbindOut{env.wrote(ctx, "", o, "calls name their workspace again, where more than one is active")}, nil
}
