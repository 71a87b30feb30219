package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// SessionEndIn ends a session.
type SessionEndIn struct {
	SessionRef
	Summary string `json:"summary,omitempty" text:"the summary"`
	Write
}

// SessionEndOut is the result of session_end.
type SessionEndOut struct {
	SessionID string `json:"sessionId"`
	Wrote
	Callers []string `json:"-"` // whose bindings to it have ended
}

var sessionEnd = op("session_end", writes|repeats, SessionEnd, Help{
	Summary: "end a session with a summary, and its binding",
	Use:     "session end [-]",
	Text: `It notes how the plan stands, so that session load can tell what has changed
since. What the session has claimed is given back.`,
	Example: `arbor session end -m "The endpoint works; the page is left to do"`,
})

// SessionEnd ends a session.
func SessionEnd(ctx context.Context, env *Env, in SessionEndIn) (*SessionEndOut, error) {
	v, p, err := sessionOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	focus, _ := env.As(in.SessionID).Focus(ctx, v)
	out, ws := &SessionEndOut{SessionID: string(p.ID)}, v.Workspace().ID
	end := plan.EndSession{ID: p.ID, Summary: in.Summary, Focus: focus, Commit: engine.Head(ctx, env.Engine)}
	_, o, err := engine.ApplyBound(ctx, env.Engine, ws, env.act(in.Write, Match{}), end,
		func(_ plan.None, s *sessions.Bindings) (cs []mdstore.Change, what view.Change, err error) {
			cs, out.Callers, err = s.UnsetFile(p.ID, p.Field(mdstore.KeyExternal), env.Engine.Now())
			return cs, view.Change{ID: p.ID, Do: "unbound"}, err
		})
	if err != nil {
		return nil, fail(err)
	}
	out.Wrote = env.wrote(ctx, ws, o, "session_load goes on from it")
	for _, caller := range out.Callers {
		if !in.DryRun {
			engine.Leave(ctx, env.Engine, caller)
		}
	}
	return out, nil
}
