package ops

import (
	"context"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// SessionStartIn describes a session that begins.
type SessionStartIn struct {
	SessionRef
	Name        string   `json:"name,omitempty" arg:"NAME"`
	Description string   `json:"description,omitempty" help:"what it is about, as TEXT"`
	Goal        string   `json:"goal,omitempty" help:"what it is to reach, as TEXT"`
	Previous    string   `json:"previous,omitempty" help:"the SESSION that it goes on from"`
	Tags        []string `json:"tags,omitempty" flag:"tag" help:"a TAG; may be repeated"`
	Write
}

// SessionStartOut names the session.
type SessionStartOut struct {
	SessionID string `json:"sessionId"`
	Name      string `json:"name,omitempty"` // where none was given
	Wrote
	Bound
}

var sessionStart = op("session_start", writes, SessionStart, Help{
	Summary: "start a session with a file, and bind to it",
	Use:     "session start [NAME]",
	Text: `The session is a file in the workspace's folder sessions/, with a goal, notes and
a log: as long as the session is bound, every command that changes something
leaves a line there. It prints the line that makes this shell the session's.`,
	Example: `eval "$(arbor session start "Sign-in" --goal "The endpoint works")"`,
})

// SessionStart makes the file of a session and binds the caller to it.
func SessionStart(ctx context.Context, env *Env, in SessionStartIn) (*SessionStartOut, error) {
	v, err := env.WithPages(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	id, err := newSession(env, in.SessionID)
	if err != nil {
		return nil, err
	}
	start := plan.StartSession{ID: id, Implied: in.SessionID == "" || in.SessionID == env.Session, Name: in.Name,
		Description: in.Description, Goal: in.Goal, Tags: in.Tags}
	if in.Previous != "" {
		p, _, err := v.Pages().Resolve(mdstore.SessionKind, in.Previous, errs.SessionNotFound)
		if err != nil {
			return nil, fail(err)
		}
		start.Previous = p.ID
	}
	s, w, to, err := begin(ctx, env, v.Workspace().ID, in.Write, start, in.SessionID,
		"what is done from now on stands in its log; session_end ends it")
	if err != nil {
		return nil, err
	}
	out := &SessionStartOut{SessionID: string(s.ID), Wrote: w, Bound: to}
	if in.Name == "" {
		out.Name = s.Name
	}
	return out, nil
}
