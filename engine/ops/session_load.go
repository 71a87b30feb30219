package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// loadedLog is how many lines of its log session_load brings.
const loadedLog = 20

// SessionLoadIn takes a session up.
type SessionLoadIn struct {
	SessionRef
	Name     string `json:"name,omitempty" arg:"NAME"`
	Continue *bool  `json:"continue,omitempty" flag:"-"`
	Write
}

// SessionLoadOut is where a session stands.
type SessionLoadOut struct {
	SessionID string             `json:"sessionId"`
	Name      string             `json:"name"`
	Goal      string             `json:"goal,omitempty"`
	Notes     string             `json:"notes,omitempty"`
	StartedAt int64              `json:"startedAt"`
	EndedAt   int64              `json:"endedAt,omitempty"`
	Previous  string             `json:"previous,omitempty"`
	Commit    string             `json:"commit,omitempty"` // of git, at its end
	Log       []mdstore.LogEntry `json:"log"`
	LogHidden int                `json:"logHidden,omitempty"` // older lines
	States    []SessionState     `json:"states,omitempty"`    // newest first
	Nodes     []view.NodeSince   `json:"nodes,omitempty"`     // what became of the focus and those above it since it ended
	Counts    []view.CountSince  `json:"counts,omitempty"`    // of nodes by status, since then
	Started   string             `json:"started,omitempty"`   // the session that goes on from it, where it had ended
	Wrote
	Bound
}

// SessionState is a state that was saved in a session.
type SessionState struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Created     int64  `json:"created"`
}

var sessionLoad = op("session_load", writes|looks, SessionLoad, Help{
	Summary: "take up a session: where it stands, what changed since",
	Use:     "session load [NAME]",
	Text: `By id, by name or as the one that the shell is bound to. An open session is
bound to this shell. One that has ended stays as it is: a new session that goes
on from it is started and bound, and its line is printed.`,
	Example: `arbor session load "Sign-in"
arbor session load "Sign-in" --read`,
})

// SessionLoad tells where a session stands, and binds the caller to it or to one that goes on from it.
func SessionLoad(ctx context.Context, env *Env, in SessionLoadIn) (*SessionLoadOut, error) {
	var out *SessionLoadOut
	var ws mdstore.ID
	err := env.Engine.Read(ctx, func(ctx context.Context) error {
		v, p, others, err := loadedOf(ctx, env, in)
		if err != nil {
			return err
		}
		ws, out = v.Workspace().ID, whereStands(env, v, p)
		if others > 0 {
			out.Hint = fmt.Sprintf("of %d sessions of this name this is the newest; sessionId names another", others+1)
		}
		return nil
	})
	if err != nil {
		return nil, fail(err)
	}
	hint := out.Hint
	if out.Success = true; env.ReadOnly || in.Continue != nil && !*in.Continue {
		if !env.ReadOnly {
			out.Hint = cmp.Or(hint, "nothing is bound; without continue false (--read) it is taken up")
		}
		return out, nil
	}
	of := func(s *plan.StartedSession) mdstore.ID { return s.ID }
	up := plan.ResumeSession{ID: mdstore.ID(out.SessionID)}
	s, o, err := engine.ApplyBound(ctx, env.Engine, ws, env.act(in.Write, Match{}), up, rebinds(env, ws, "", of, &out.Bound))
	if err != nil {
		return nil, fail(err)
	}
	if string(s.ID) != out.SessionID {
		out.Started = string(s.ID)
	}
	out.Wrote = env.wrote(ctx, ws, o, "what is done from now on stands in its log")
	out.Hint = cmp.Or(hint, out.Hint)
	return out, nil
}

// loadedOf returns the session that is to be loaded, and how many others have its name.
func loadedOf(ctx context.Context, env *Env, in SessionLoadIn) (*view.View, *mdstore.Page, int, error) {
	if in.Name == "" {
		v, p, err := sessionOf(ctx, env, in.SessionRef)
		return v, p, 0, err
	}
	v, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, nil, 0, err
	}
	if p, ok := v.Pages().Session(in.Name); ok {
		return v, p, 0, nil
	}
	p, others, err := v.Pages().Resolve(mdstore.SessionKind, in.Name, errs.SessionNotFound)
	return v, p, others, err
}

// whereStands tells where a session stands.
func whereStands(env *Env, v *view.View, p *mdstore.Page) *SessionLoadOut {
	log := v.Pages().Log(p)
	out := &SessionLoadOut{SessionID: string(p.ID), Name: p.Name(), Goal: strings.TrimSpace(p.Doc().Text(mdstore.SecGoal)),
		Notes: strings.TrimSpace(p.Doc().Text(mdstore.SecNotes)), StartedAt: p.Time(mdstore.KeyStarted), EndedAt: p.Time(mdstore.KeyEnded),
		Previous: p.Field(mdstore.KeyPrevious), Commit: p.Field(mdstore.KeyCommit), LogHidden: max(0, len(log)-loadedLog)}
	out.Log = nonNil(log[out.LogHidden:])
	for _, s := range v.Pages().Of(mdstore.StateKind) {
		if s.Field(mdstore.KeySession) == string(p.ID) {
			out.States = append(out.States, SessionState{string(s.ID), s.Name(), s.Field(mdstore.KeyDescription), s.Time(mdstore.KeyCreated)})
		}
	}
	slices.SortFunc(out.States, func(a, b SessionState) int { return cmp.Or(cmp.Compare(b.Created, a.Created), cmp.Compare(b.ID, a.ID)) })
	if out.States, _ = first(env, out.States, boundedItems); out.EndedAt != 0 {
		out.Nodes, out.Counts = view.SinceMark(v, p.List(mdstore.KeyPlan))
	}
	return out
}
