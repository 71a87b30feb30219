package ops

import (
	"cmp"
	"context"
	"strings"

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
	States    []StateHead        `json:"states,omitempty"`    // newest first
	Nodes     []view.NodeSince   `json:"nodes,omitempty"`     // what became of the focus and those above it since it ended
	Counts    []view.CountSince  `json:"counts,omitempty"`    // of nodes by status, since then
	Started   string             `json:"started,omitempty"`   // the session that goes on from it, where it had ended
	Wrote
	Bound
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
	out, err := readSession(ctx, env, in)
	if err != nil {
		return nil, err
	}
	hint := out.Hint
	if onlyReads(env, in.Continue) {
		if !env.ReadOnly {
			out.Hint = cmp.Or(hint, "nothing is bound; without continue false (--read) it is taken up")
		}
		return out, nil
	}
	s, w, to, err := begin(ctx, env, out.ws, in.Write, plan.ResumeSession{ID: mdstore.ID(out.SessionID)}, "",
		"what is done from now on stands in its log")
	if err != nil {
		return nil, err
	}
	if string(s.ID) != out.SessionID {
		out.Started = string(s.ID)
	}
	out.Wrote, out.Bound = w, to
	out.Hint = cmp.Or(hint, out.Hint)
	return out, nil
}

// readSession tells where a session stands.
var readSession = reading(func(ctx context.Context, env *Env, in SessionLoadIn) (*SessionLoadOut, error) {
	var v *view.View
	var p *mdstore.Page
	var others int
	var err error
	if in.Name == "" {
		v, p, err = sessionOf(ctx, env, in.SessionRef)
	} else if v, err = env.WithPages(ctx, in.WorkspaceID); err == nil {
		p, others, err = v.Pages().Resolve(mdstore.SessionKind, in.Name, errs.SessionNotFound)
	}
	if err != nil {
		return nil, fail(err)
	}
	log := v.Pages().Log(p)
	hidden := max(0, len(log)-loadedLog)
	out := &SessionLoadOut{SessionID: string(p.ID), Name: p.Name(), Goal: strings.TrimSpace(p.Doc().Text(mdstore.SecGoal)),
		Notes: strings.TrimSpace(p.Doc().Text(mdstore.SecNotes)), StartedAt: p.Time(mdstore.KeyStarted),
		EndedAt: p.Time(mdstore.KeyEnded), Previous: p.Field(mdstore.KeyPrevious), Commit: p.Field(mdstore.KeyCommit),
		Log: nonNil(log[hidden:]), LogHidden: hidden,
		Wrote: Wrote{Success: true, Out: Out{Hint: namesakes(p.Kind, others, p.ID)}}}
	for _, s := range v.Pages().Newest(mdstore.StateKind) {
		if h := stateHead(s); h.SessionID == out.SessionID {
			h.SessionID = ""
			out.States = append(out.States, h)
		}
	}
	if out.States, _ = first(env, out.States, boundedItems); out.EndedAt != 0 {
		out.Nodes, out.Counts = view.SinceMark(v, p.List(mdstore.KeyPlan))
	}
	out.Sends(v.Workspace().ID)
	return out, nil
})
