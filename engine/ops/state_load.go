package ops

import (
	"cmp"
	"context"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// StateLoadIn names the state that is taken up.
type StateLoadIn struct {
	SessionRef
	State           string `json:"state" req:"true" arg:"STATE"`
	RestorationGoal string `json:"restorationGoal,omitempty" flag:"goal,g" help:"the GOAL of the session that goes on; the active task unless given"`
	Continue        *bool  `json:"continue,omitempty" flag:"-"`
	Write
}

// StateLoadOut is a state, what changed since it was saved, and the session that goes on from it.
type StateLoadOut struct {
	NewSessionID        string            `json:"newSessionId,omitempty"` // to which the caller is bound; "" where the state is only read
	State               StateHead         `json:"state"`
	ActiveTask          string            `json:"activeTask,omitempty"`
	NextSteps           []string          `json:"nextSteps,omitempty"`
	ConversationContext string            `json:"conversationContext,omitempty"`
	Reasoning           string            `json:"reasoning,omitempty"`
	WorkspaceContext    string            `json:"workspaceContext,omitempty"` // as it was
	NodeID              string            `json:"nodeId,omitempty"`           // in work then
	ActiveFiles         []FileNow         `json:"activeFiles,omitempty"`
	Nodes               []view.NodeSince  `json:"nodes,omitempty"`  // that are not as they were
	Counts              []view.CountSince `json:"counts,omitempty"` // numbers of nodes that are not as they were
	Commit              string            `json:"commit,omitempty"` // of git, then
	Head                string            `json:"head,omitempty"`   // of git, where it is another one now
	Wrote
	Bound
}

// FileNow is an active file of a state: same, changed or gone since then, or unknown.
type FileNow struct {
	Path   string `json:"path"`
	Status string `json:"status"`
}

var stateLoad = op("state_load", writes|looks, StateLoad, Help{
	Summary: "take up a state: what changed, and a session that goes on",
	Use:     "state load STATE",
	Aliases: "resume",
	Text: `STATE is an id or a name; of several with one name the newest is meant. The new
session goes on from the one that saved the state, and is bound to the
workspace. With --read nothing is started nor bound.`,
	Example: `arbor state load "Before the review"
arbor state load v2 --goal "Fix the form" --json
arbor state load v2 --read`,
})

// StateLoad returns a state with what changed since it was saved, and starts the session that goes on, to which it
// binds the caller.
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
		if !env.Brief && !env.ReadOnly {
			out.Hint = cmp.Or(hint, "it is only read; without continue false (--read) a session goes on from it")
		}
		return out, nil
	}
	x := plan.ContinueState{State: out.State.ID, ID: id, Goal: in.RestorationGoal}
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
		out.ActiveFiles = append(out.ActiveFiles, FileNow{f.Path, engine.FileSince(ctx, env.Engine, f)})
	}
	out.Nodes, out.Counts = view.SinceMark(s, p.List(mdstore.KeyPlan))
	if head := engine.Head(ctx, env.Engine); out.Commit != "" && head != out.Commit {
		out.Head = head
	}
	if len(p.Problems) > 0 {
		out.Warned = append(out.Warned, found(p.Problems))
	}
	out.Sends(s.Workspace().ID)
	return out, nil
})
