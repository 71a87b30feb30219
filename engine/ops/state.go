package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

type StateSaveIn struct {
	In
	SessionID           string   `json:"sessionId,omitempty" flag:"-"`
	Name                string   `json:"name" req:"true" arg:"NAME" help:"1 to 200 characters in one line"`
	ActiveTask          string   `json:"activeTask" req:"true" unless:"conversationContext" text:"the active task"`
	NextSteps           []string `json:"nextSteps" req:"true" flag:"next" help:"a next STEP (required); may be repeated"`
	ActiveFiles         []string `json:"activeFiles,omitempty" listed:"briefing" flag:"active" help:"the PATH of a file in progress; may be repeated"`
	ConversationContext string   `json:"conversationContext,omitempty" listed:"briefing" flag:"conversation" help:"what was discussed, a TEXT"`
	Reasoning           string   `json:"reasoning,omitempty" listed:"briefing" help:"the reason for this way, a TEXT"`
	Description         string   `json:"description,omitempty" listed:"briefing" help:"one line of TEXT about the state"`
	Tags                []string `json:"tags,omitempty" listed:"briefing" flag:"tag" help:"a TAG; may be repeated"`
	NodeID              string   `json:"nodeId,omitempty" listed:"briefing" flag:"node" is:"node" help:"the NODE in progress; default: the focus"`
	Write
}

type StateSaveOut struct {
	StateID string `json:"stateId"`
	Wrote
}

var stateSave = op("state_save", writes, StateSave, Help{
	Summary: "save the state of the work",
	Use:     "session state save NAME [-]",
	Text: `A state is a file with the active task (-m, -F, - or -e), the next steps, the
files in progress with their digests, the state of the plan and the briefing,
and the git commit. Any session can continue from it with arbor session state
load.`,
	Example: `arbor session state save Review -m "The endpoint" --next "Write the tests"
arbor session state save v2 -m "The form" --next "Ask Ann" --tag ui`,
})

// StateSave saves the state of the work.
func StateSave(ctx context.Context, env *Env, in StateSaveIn) (*StateSaveOut, error) {
	if strings.TrimSpace(in.ActiveTask+in.ConversationContext) == "" || len(in.NextSteps) == 0 {
		return nil, badParam("activeTask", "{state_save}: activeTask and nextSteps must not be empty")
	}
	if in.SessionID != "" {
		if err := sessions.ValidID(in.SessionID); err != nil {
			return nil, fail(err)
		}
	}
	env = env.As(in.SessionID)
	s, err := env.WithPages(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	x := plan.SaveState{Name: in.Name, Description: in.Description, Session: in.SessionID, Tags: in.Tags,
		Commit: env.Engine.Head(ctx), State: mdstore.State{ActiveTask: in.ActiveTask, NextSteps: in.NextSteps,
			Conversation: in.ConversationContext, Reasoning: in.Reasoning}}
	if p, ok := env.Engine.SessionFile(ctx, s, env.Session); ok {
		x.Session = string(p.ID)
	}
	if x.Node, _ = env.Focus(ctx, s); in.NodeID != "" {
		if x.Node, err = env.resolve(s, in.NodeID, "nodeId"); err != nil {
			return nil, err
		}
	}
	var warned []string
	for _, path := range in.ActiveFiles {
		f, err := env.Engine.ActiveFile(ctx, inProject(env, path))
		if err != nil {
			warned = append(warned, fmt.Sprintf("%s: %v; what becomes of it is not known", f.Path, err))
		}
		if !slices.Contains(x.ActiveFiles, f) {
			x.ActiveFiles = append(x.ActiveFiles, f)
		}
	}
	id, w, err := apply(ctx, env, target{ws: s.Workspace().ID}, env.act(in.Write, Match{}), x,
		"{state_load} takes it up, in any session")
	if err != nil {
		return nil, err
	}
	w.Warned = append(w.Warned, warned...)
	return &StateSaveOut{StateID: string(id), Wrote: w}, nil
}

type StateListIn struct {
	In
	SessionID string   `json:"sessionId,omitempty" flag:"-" is:"session"`
	Tags      []string `json:"tags,omitempty" flag:"tag" help:"only states with this TAG; repeat it to allow several"`
	Query     string   `json:"query,omitempty" help:"only states with these WORDS in name, description or tags"`
	Wanted
}

type StateListOut struct {
	States []StateHead `json:"states"`
	Listed
	Out
}

type StateHead struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	SessionID   string   `json:"sessionId,omitempty"`
	Created     int64    `json:"created"` // Unix milliseconds
	Tags        []string `json:"tags,omitempty"`
}

var stateList = op("state_list", reads|repeats, StateList, Help{
	Summary: "list states, newest first",
	Use:     "session state list",
	Text:    "Those of all sessions; --session lists those of one.",
	Example: "arbor session state list --tag ui\narbor session state list --query review -q",
})

// StateList lists states, newest first. It loads no document.
func StateList(ctx context.Context, env *Env, in StateListIn) (*StateListOut, error) {
	s, err := env.As(in.SessionID).WithPages(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if p, ok := s.Pages().Session(in.SessionID); ok {
		in.SessionID = string(p.ID)
	} else if p, ok := env.Engine.SessionFile(ctx, s, in.SessionID); ok {
		in.SessionID = string(p.ID)
	}
	words := strings.Fields(strings.ToLower(in.Query))
	all := slices.DeleteFunc(s.Pages().Newest(mdstore.StateKind), func(p *mdstore.Page) bool {
		tags := p.List(mdstore.KeyTags)
		text := strings.ToLower(p.Name() + "\n" + p.Field(mdstore.KeyDescription) + "\n" + strings.Join(tags, "\n"))
		tagged := func(tag string) bool { return slices.Contains(tags, tag) }
		return in.SessionID != "" && p.Field(mdstore.KeySession) != in.SessionID ||
			len(in.Tags) > 0 && !slices.ContainsFunc(in.Tags, tagged) ||
			slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
	out := &StateListOut{}
	l := list[*mdstore.Page]{all: all, id: pageID, what: "states",
		hint: "{state_load} takes one up", narrow: "tags or query narrow it"}
	err = l.reply(env, in.Wanted, out, &out.Listed, &out.Hint, func(shown []*mdstore.Page) {
		out.States = []StateHead{}
		for _, p := range shown {
			out.States = append(out.States, stateHead(p))
		}
	})
	return out, err
}

func pageID(p *mdstore.Page) string { return string(p.ID) }

func stateHead(p *mdstore.Page) StateHead {
	return StateHead{ID: string(p.ID), Name: p.Name(), Description: p.Field(mdstore.KeyDescription),
		SessionID: p.Field(mdstore.KeySession), Created: p.Made(), Tags: p.List(mdstore.KeyTags)}
}

type StateLoadIn struct {
	SessionRef
	State           string `json:"state" req:"true" also:"stateId,name" arg:"STATE"`
	RestorationGoal string `json:"restorationGoal,omitempty" flag:"goal,g" help:"the GOAL of the new session; default: the active task"`
	Continue        *bool  `json:"continue,omitempty" flag:"-"`
	Write
}

// StateLoadOut is a state, what changed since it was saved, and the session that continues from it.
type StateLoadOut struct {
	// to which the caller is bound; "" if the state is only read
	NewSessionID        string            `json:"newSessionId,omitempty"`
	State               StateHead         `json:"state"`
	ActiveTask          string            `json:"activeTask,omitempty"`
	NextSteps           []string          `json:"nextSteps,omitempty"`
	ConversationContext string            `json:"conversationContext,omitempty"`
	Reasoning           string            `json:"reasoning,omitempty"`
	WorkspaceContext    string            `json:"workspaceContext,omitempty"` // the briefing when the state was saved
	NodeID              string            `json:"nodeId,omitempty"`           // the node in work at that time
	ActiveFiles         []FileNow         `json:"activeFiles,omitempty"`
	Nodes               []view.NodeSince  `json:"nodes,omitempty"`  // the nodes that changed since
	Counts              []view.CountSince `json:"counts,omitempty"` // numbers of nodes that changed since
	Commit              string            `json:"commit,omitempty"` // git's HEAD at that time
	Head                string            `json:"head,omitempty"`   // git's HEAD, if it has moved since
	Wrote
	Bound
}

// FileNow is an active file of a state. Its Status is same, changed or gone since the state was saved, or unknown.
type FileNow struct {
	Path   string `json:"path"`
	Status string `json:"status"`
}

var stateLoad = op("state_load", writes|looks, StateLoad, Help{
	Summary: "continue from a state, in a session",
	Use:     "session state load STATE",
	Text: `STATE is an id or a name; if several states have the name, the newest is used. The
session that continues it is bound to the workspace: an open one that did nothing
else, or a new one. The session that this shell had ends. --read starts, ends and
binds nothing.`,
	Example: `arbor session state load "Before the review"
arbor session state load v2 --goal "Fix the form" --json
arbor session state load v2 --read`,
})

// StateLoad returns a state with what changed since it was saved. It starts a session that continues from the state,
// and binds the caller to it. With Continue false it only reads.
func StateLoad(ctx context.Context, env *Env, in StateLoadIn) (*StateLoadOut, error) {
	id, err := newSession(env, in.SessionID)
	if err != nil {
		return nil, err
	}
	out, err := readState(ctx, env, in)
	if err != nil {
		return nil, err
	}
	hint, warned, ws := out.Hint, out.Warned, out.ws
	if onlyReads(env, in.Continue) {
		if env.Detail != DetailBrief && env.May != MayLook {
			out.Hint = cmp.Or(hint, "it is only read; without {.continue: false} a session continues from it")
		}
		return out, nil
	}
	x := plan.ContinueState{State: out.State.ID, ID: id, Goal: in.RestorationGoal, Free: func(p *mdstore.Page) bool {
		return string(p.ID) == env.Session || env.Engine.MayUse(ctx, string(p.ID), env.Connection) == nil
	}}
	if x.Leaves, err = left(ctx, env, ws); err != nil {
		return nil, err
	}
	s, w, to, err := begin(ctx, env, ws, in.Write, x, in.SessionID,
		"what is done from now on stands in the log of the new session")
	if err != nil {
		return nil, err
	}
	out.Wrote = w
	out.Warned, out.Hint = append(warned, w.Warned...), cmp.Or(hint, w.Hint)
	if out.Sends(ws); !out.DryRun {
		out.NewSessionID, out.Bound = string(s.ID), to
	}
	return out, nil
}

// left returns the plan that ends the session of the caller in a workspace, without an id if it has none.
func left(ctx context.Context, env *Env, ws mdstore.ID) (end plan.EndSession, err error) {
	v, err := env.Engine.WithPages(ctx, ws)
	if err != nil {
		return end, fail(err)
	}
	if p, ok := env.Engine.SessionFile(ctx, v, env.Session); ok && p.Editable() == nil {
		end = plan.EndSession{ID: p.ID, Commit: env.Engine.Head(ctx)}
		end.Focus, _ = env.Focus(ctx, v)
	}
	return end, nil
}

// readState returns a state with what changed since it was saved.
var readState = reading(func(ctx context.Context, env *Env, in StateLoadIn) (*StateLoadOut, error) {
	s, err := env.As(in.SessionID).WithPages(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	p, others, err := s.Pages().Resolve(mdstore.StateKind, in.State, errs.StateNotFound)
	if err != nil {
		return nil, fail(err)
	}
	st := mdstore.StateOf(p)
	out := &StateLoadOut{State: stateHead(p), ActiveTask: st.ActiveTask, NextSteps: st.NextSteps,
		ConversationContext: st.Conversation, Reasoning: st.Reasoning, WorkspaceContext: st.Workspace,
		NodeID: p.Field(mdstore.KeyNode), Commit: p.Field(mdstore.KeyCommit),
		Wrote: Wrote{Success: true, Out: Out{Hint: namesakes(p.Kind, others, p.ID)}}}
	for _, f := range st.ActiveFiles {
		out.ActiveFiles = append(out.ActiveFiles, FileNow{f.Path, env.Engine.FileSince(ctx, f)})
	}
	out.Nodes, out.Counts = view.SinceMark(s, mdstore.PlanMark(p))
	if head := env.Engine.Head(ctx); out.Commit != "" && head != out.Commit {
		out.Head = head
	}
	if len(p.Problems) > 0 {
		out.Warned = append(out.Warned, found(p.Problems))
	}
	out.Sends(s.Workspace().ID)
	return out, nil
})

type StateUpdateIn struct {
	In
	State       string   `json:"state" req:"true" also:"stateId" arg:"STATE"`
	Name        *string  `json:"name,omitempty" help:"the new NAME"`
	Description *string  `json:"description,omitempty" empty:"ok" help:"the new description, as TEXT"`
	Tags        []string `json:"tags,omitempty" flag:"tag" help:"replace all tags with TAG; may be repeated"`
	Match
	Write
}

type StateUpdateOut struct {
	StateID string `json:"stateId"`
	Wrote
}

var stateUpdate = op("state_update", writes|repeats, StateUpdate, Help{
	Summary: "change a state's name, description or tags",
	Use:     "session state set STATE [KEY=VALUE...]",
	Text:    "All else stays as it was saved.",
	Example: `arbor session state set "Before the review" tags=ui,done`,
})

// StateUpdate changes the name, the description or the tags of a state. Parts that are not given stay.
func StateUpdate(ctx context.Context, env *Env, in StateUpdateIn) (*StateUpdateOut, error) {
	if in.Name == nil && in.Description == nil && in.Tags == nil {
		return nil, errs.New(errs.InvalidParams, "nothing to change is given; give name, description or tags")
	}
	x := plan.UpdateState{State: in.State, Name: in.Name, Description: in.Description, Tags: in.Tags}
	of, w, err := apply(ctx, env, env.whole(ctx, in.WorkspaceID), env.act(in.Write, in.Match), x, "{state_load} "+
		"takes it up")
	if err != nil {
		return nil, err
	}
	w.Hint = cmp.Or(namesakes(mdstore.StateKind, of.Others, of.ID), w.Hint)
	return &StateUpdateOut{StateID: string(of.ID), Wrote: w}, nil
}

type StateDeleteIn struct {
	In
	State string `json:"state" req:"true" also:"stateId,name" arg:"STATE"`
	Match
	Write
}

type StateDeleteOut struct {
	StateID string `json:"stateId"`
	Trash   string `json:"trash"`
	Wrote
}

var stateDelete = op("state_delete", writes|destroys, StateDelete, Help{
	Summary: "move a state to the trash",
	Use:     "session state rm STATE",
	Text:    confirmText,
	Example: "arbor session state rm v2 --dry-run\narbor session state rm v2 --yes",
})

// StateDelete moves a state to the trash.
func StateDelete(ctx context.Context, env *Env, in StateDeleteIn) (*StateDeleteOut, error) {
	of, w, err := apply(ctx, env, env.whole(ctx, in.WorkspaceID), env.act(in.Write, in.Match), plan.DeleteState{State: in.State},
		"its file lies in the trash; "+takesBack)
	if err != nil {
		return nil, err
	}
	w.Hint = cmp.Or(namesakes(mdstore.StateKind, of.Others, of.ID), w.Hint)
	return &StateDeleteOut{StateID: string(of.ID), Trash: env.path(of.Trash), Wrote: w}, nil
}
