package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

type SessionStartIn struct {
	SessionRef
	Name        string   `json:"name,omitempty" arg:"NAME"`
	Description string   `json:"description,omitempty" help:"what the session is about, a TEXT"`
	Goal        string   `json:"goal,omitempty" help:"what the session is to achieve, a TEXT"`
	Previous    string   `json:"previous,omitempty" help:"the SESSION that it continues"`
	Tags        []string `json:"tags,omitempty" flag:"tag" help:"a TAG; may be repeated"`
	Resume      bool     `json:"resume,omitempty" help:"continue the last session of this client"`
	Write
}

type SessionStartOut struct {
	SessionID string `json:"sessionId"`
	Name      string `json:"name,omitempty"` // if the call gave no id
	Wrote
	Bound
}

var sessionStart = both(SetEnvironments, op("session_start", writes, SessionStart, Help{
	Summary: "start a session and bind to it",
	Use:     "session start [NAME]",
	Text: `The session is a file in the workspace's folder sessions/, with a goal, notes
and a log. While a session is bound, every command that changes something adds a
log line. The command prints a line that makes your shell use the session.`,
	Example: `eval "$(arbor session start "Sign-in" --goal "The endpoint works")"`,
}))

// SessionStart makes the file of a session, and binds the caller to the session.
func SessionStart(ctx context.Context, env *Env, in SessionStartIn) (*SessionStartOut, error) {
	if in.Resume {
		if out, err := resume(ctx, env, in); out != nil || err != nil {
			return out, err
		}
	}
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
		"what is done from now on stands in its log; {session_end} ends it")
	if err != nil {
		return nil, err
	}
	out := &SessionStartOut{SessionID: string(s.ID), Wrote: w, Bound: to}
	if in.Name == "" {
		out.Name = s.Name
	}
	if in.Resume {
		out.Warned = append(out.Warned, "there was no session to go on with; this one is new")
	}
	return out, nil
}

// loadedLog is how many lines of the session's log session_load returns.
const loadedLog = 20

type SessionLoadIn struct {
	SessionRef
	Name     string `json:"name,omitempty" arg:"NAME"`
	Continue *bool  `json:"continue,omitempty" flag:"-"`
	Write
}

type SessionLoadOut struct {
	SessionID string             `json:"sessionId"`
	Name      string             `json:"name"`
	Goal      string             `json:"goal,omitempty"`
	Notes     string             `json:"notes,omitempty"`
	StartedAt int64              `json:"startedAt"`
	EndedAt   int64              `json:"endedAt,omitempty"`
	Previous  string             `json:"previous,omitempty"`
	Commit    string             `json:"commit,omitempty"` // git's commit at the end of the session
	Log       []mdstore.LogEntry `json:"log"`
	LogHidden int                `json:"logHidden,omitempty"` // older lines
	States    []StateHead        `json:"states,omitempty"`    // newest first
	// changes of the focus and its ancestors since the session ended
	Nodes   []view.NodeSince  `json:"nodes,omitempty"`
	Counts  []view.CountSince `json:"counts,omitempty"`  // of nodes by status, since then
	Started string            `json:"started,omitempty"` // the new session that continues it, if it had ended
	Wrote
	Bound
}

var sessionLoad = op("session_load", writes|looks, SessionLoad, Help{
	Summary: "continue a session: show its state",
	Use:     "session load [NAME]",
	Text: `Names a session by id or name; default: the one bound to this shell. An open
session is bound to this shell. An ended session stays as it is: a new session
that continues it is started and bound, and the line for your shell is printed.`,
	Example: `arbor session load "Sign-in"
arbor session load "Sign-in" --read`,
})

// SessionLoad returns the state of a session, and binds the caller to it or to a new session that continues it.
func SessionLoad(ctx context.Context, env *Env, in SessionLoadIn) (*SessionLoadOut, error) {
	out, err := readSession(ctx, env, in)
	if err != nil {
		return nil, err
	}
	hint := out.Hint
	if onlyReads(env, in.Continue) {
		if env.May != MayLook {
			out.Hint = cmp.Or(hint, "nothing is bound; without {.continue: false} it is taken up")
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

// readSession returns a session with its log, states and changes.
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
		EndedAt: view.SessionEnded(p, env.Engine.Now()), Previous: p.Field(mdstore.KeyPrevious),
		Commit: p.Field(mdstore.KeyCommit),
		Log:    nonNil(log[hidden:]), LogHidden: hidden,
		Wrote: Wrote{Success: true, Out: Out{Hint: namesakes(p.Kind, others, p.ID)}}}
	for _, s := range v.Pages().Newest(mdstore.StateKind) {
		if h := stateHead(s); h.SessionID == out.SessionID {
			h.SessionID = ""
			out.States = append(out.States, h)
		}
	}
	if out.States, _ = first(env, out.States, boundedItems); out.EndedAt != 0 {
		out.Nodes, out.Counts = view.SinceMark(v, mdstore.PlanMark(p))
	}
	out.Sends(v.Workspace().ID)
	return out, nil
})

type SessionListIn struct {
	In
	Active bool `json:"active,omitempty" help:"only sessions that have not ended"`
	Wanted
}

type SessionListOut struct {
	Sessions []SessionHead `json:"sessions"`
	Listed
	Out
}

// SessionHead is a session in a list.
type SessionHead struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	StartedAt   int64    `json:"startedAt"`
	EndedAt     int64    `json:"endedAt,omitempty"`
	Previous    string   `json:"previous,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Damaged     bool     `json:"damaged,omitempty"`
}

var sessionList = op("session_list", reads|repeats, SessionList, Help{
	Summary: "list sessions, newest first",
	Use:     "session list",
	Text:    "Those that have a file, from this machine and others.",
	Example: "arbor session list --active",
})

// SessionList lists the sessions of a workspace that have files, newest first.
var SessionList = reading(func(ctx context.Context, env *Env, in SessionListIn) (*SessionListOut, error) {
	v, err := env.WithPages(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	ended := func(p *mdstore.Page) int64 { return view.SessionEnded(p, env.Engine.Now()) }
	all := slices.DeleteFunc(v.Pages().Newest(mdstore.SessionKind), func(p *mdstore.Page) bool {
		return in.Active && ended(p) != 0
	})
	l := list[*mdstore.Page]{all: all, id: pageID, what: "sessions",
		hint: "{session_load} takes one up", none: "there is none; {session_start} makes one", narrow: "active narrows it"}
	out := &SessionListOut{}
	err = l.reply(env, in.Wanted, out, &out.Listed, &out.Hint, func(shown []*mdstore.Page) {
		out.Sessions = []SessionHead{}
		for _, p := range shown {
			out.Sessions = append(out.Sessions, SessionHead{
				ID: string(p.ID), Name: p.Name(), Description: p.Field(mdstore.KeyDescription),
				StartedAt: p.Time(mdstore.KeyStarted), EndedAt: ended(p), Previous: p.Field(mdstore.KeyPrevious),
				Tags: p.List(mdstore.KeyTags), Damaged: p.Editable() != nil})
		}
	})
	return out, err
})

type SessionNoteIn struct {
	SessionRef
	Text   string   `json:"text" req:"true" text:"the note"`
	Files  []string `json:"files,omitempty" flag:"about" help:"a FILE that the note concerns; may be repeated"`
	Type   string   `json:"type,omitempty" help:"the kind of note, a WORD; default note"`
	Tool   string   `json:"tool,omitempty" help:"the tool's NAME"`
	Result string   `json:"result,omitempty" help:"a TEXT of one line"`
	Write
}

type SessionNoteOut struct{ Wrote }

var sessionNote = op("session_note", writes, SessionNote, Help{
	Summary: "add a line to a session's log",
	Use:     "session note [TEXT | -]",
	Text:    "The log has the time in UTC, who (--as), the word of --type, and the text.",
	Example: `arbor session note "The limit is 5 tries a minute" --about docs/limits.md`,
})

// SessionNote adds a line to a session's log.
func SessionNote(ctx context.Context, env *Env, in SessionNoteIn) (*SessionNoteOut, error) {
	v, p, err := sessionOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	t := target{ws: v.Workspace().ID}
	note := plan.NoteSession{ID: p.ID, Type: in.Type, Text: in.Text, Tool: in.Tool, Files: in.Files, Result: in.Result}
	w, err := done(ctx, env, t, env.act(in.Write, Match{}), note, "{session_load} shows it")
	if err != nil {
		return nil, err
	}
	return &SessionNoteOut{*w}, nil
}

type SessionEndIn struct {
	SessionRef
	Summary string `json:"summary,omitempty" text:"the summary"`
	Write
}

type SessionEndOut struct {
	SessionID string `json:"sessionId"`
	Wrote
	Callers []string `json:"-"` // the callers whose bindings to it ended
}

var sessionEnd = op("session_end", writes|repeats, SessionEnd, Help{
	Summary: "end a session and its binding",
	Use:     "session end [SESSION] [-]",
	Text: `Ends the session of this shell, or the one with this id or name. Saves the state
of the plan, so that session load can show later changes. The session's claims
are released. The summary goes after -m; - reads it from stdin.`,
	Example: `arbor session end -m "The endpoint works; the page is left to do"
arbor session end "Sign-in"`,
})

// SessionEnd ends a session and the bindings to it. It notes the state of the plan, and gives back claims.
func SessionEnd(ctx context.Context, env *Env, in SessionEndIn) (*SessionEndOut, error) {
	v, p, err := sessionOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	focus, _ := env.As(in.SessionID).Focus(ctx, v)
	out, ws := &SessionEndOut{SessionID: string(p.ID)}, v.Workspace().ID
	end := plan.EndSession{ID: p.ID, Summary: in.Summary, Focus: focus, Commit: env.Engine.Head(ctx)}
	_, o, err := engine.ApplyBound(ctx, env.Engine, ws, env.act(in.Write, Match{}), end,
		func(_ plan.None, s *sessions.Bindings) (cs []mdstore.Change, what view.Change, err error) {
			of := func(caller string) (mdstore.ID, bool) {
				if p, ok := env.Engine.SessionFile(ctx, v, caller); ok {
					return p.ID, true
				}
				return "", false
			}
			cs, out.Callers, err = s.UnsetFile(ws, of, p.ID, env.Engine.Now())
			return cs, view.Change{ID: p.ID, Do: "unbound"}, err
		})
	if err != nil {
		return nil, fail(err)
	}
	out.Wrote = env.wrote(ctx, ws, o, "{session_load} continues from it")
	if in.DryRun {
		return out, nil
	}
	env.Engine.Ended(ctx, ws, p.ID)
	for _, caller := range out.Callers {
		env.Engine.Leave(ctx, caller, env.Who.String())
	}
	return out, nil
}

type SessionIn struct {
	SessionID string `json:"sessionId,omitempty" flag:"-" is:"session" help:"default: the caller's"`
}

type SessionStatusOut struct {
	Bound         bool   `json:"bound"`
	WorkspaceID   string `json:"workspaceId,omitempty"`
	WorkspaceName string `json:"workspaceName,omitempty"`
	FocusedNodeID string `json:"focusedNodeId,omitempty"`
	// the workspace of the binding, if the vault no longer has it
	LostWorkspaceID     string          `json:"lostWorkspaceId,omitempty"`
	Rules               []string        `json:"rules"`
	AvailableWorkspaces []WorkspaceHead `json:"availableWorkspaces"` // set if nothing is bound
	Hidden              int             `json:"hidden,omitempty"`    // workspaces that a bounded result leaves out
	Out
}

var sessionStatus = op("session_status", reads|repeats, SessionStatus, Help{
	Summary: "show what a session is bound to",
	Use:     "session show",
	Text:    "When it is bound to nothing, the workspaces that it could be bound to are listed.",
	Example: "arbor session show --session alice",
})

// SessionStatus returns the workspace that a session is bound to, with its focus and rules. If it is bound to none, it
// lists the active workspaces.
var SessionStatus = reading(func(ctx context.Context, env *Env, in SessionIn) (*SessionStatusOut, error) {
	id, err := env.sessionNamed(in.SessionID)
	if err != nil {
		return nil, err
	}
	if err := env.ownKey(ctx, id); err != nil {
		return nil, err
	}
	b, ok, err := env.Engine.Binding(ctx, id)
	if err != nil {
		return nil, fail(err)
	}
	all, err := env.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	out := &SessionStatusOut{Rules: []string{}, AvailableWorkspaces: []WorkspaceHead{}}
	i := slices.IndexFunc(all, func(w *mdstore.Workspace) bool { return ok && w.ID == b.WorkspaceID })
	if i >= 0 {
		w := all[i]
		out.Bound, out.WorkspaceID, out.WorkspaceName, out.Rules = true, string(w.ID), w.Name, nonNil(w.Rules())
		out.FocusedNodeID, out.Hint = string(b.FocusedNodeID), "{context_get} brings the context of its focus"
		if s, err := env.Engine.View(ctx, w.ID); err == nil { // other problems of the workspace do not matter here
			focus, lost := focusIn(s, env.Engine.FocusOf(ctx, s, id))
			out.FocusedNodeID, out.Hint = string(focus), cmp.Or(lost, out.Hint)
		}
		return out, nil
	}
	out.Hint = "bind the session with {session_bind}"
	if ok {
		out.LostWorkspaceID = string(b.WorkspaceID)
		out.Hint = "the session was bound to " + string(b.WorkspaceID) + ", which is gone; " + out.Hint
	}
	for _, w := range all {
		if w.Status == mdstore.StatusActive {
			out.AvailableWorkspaces = append(out.AvailableWorkspaces, env.head(w))
		}
	}
	found := out.AvailableWorkspaces
	env.fit(out, len(found), func(n int) { out.AvailableWorkspaces, out.Hidden = found[:n], len(found)-n })
	return out, nil
})
