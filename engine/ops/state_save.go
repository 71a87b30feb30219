package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/mdstore"
)

// StateSaveIn is what somebody who goes on later must know.
type StateSaveIn struct {
	In
	SessionID           string   `json:"sessionId,omitempty" flag:"-"`
	Name                string   `json:"name" req:"true" arg:"NAME" help:"1 to 200 characters in one line"`
	ActiveTask          string   `json:"activeTask" req:"true" text:"the active task"`
	NextSteps           []string `json:"nextSteps" req:"true" flag:"next" help:"a next STEP (required); may be repeated"`
	ActiveFiles         []string `json:"activeFiles,omitempty" flag:"active" help:"the PATH of a file in work, in the project; may be repeated"`
	ConversationContext string   `json:"conversationContext,omitempty" flag:"conversation" help:"what was talked about, as TEXT"`
	Reasoning           string   `json:"reasoning,omitempty" help:"why it is done so, as TEXT"`
	Description         string   `json:"description,omitempty" help:"the state in a TEXT of one line"`
	Tags                []string `json:"tags,omitempty" flag:"tag" help:"a TAG; may be repeated"`
	NodeID              string   `json:"nodeId,omitempty" flag:"node" is:"node" help:"the NODE in work; the focus unless given"`
	Write
}

// StateSaveOut names the new state.
type StateSaveOut struct {
	StateID string `json:"stateId"`
	Wrote
}

var stateSave = op("state_save", writes, StateSave, Help{
	Summary: "save where the work stands",
	Use:     "state save NAME [-]",
	Text: `The state is a file of its own: the active task (-m, -F, - or -e), the next steps,
the files in work with their digests, how the plan and the briefing stand, and
git's commit. arbor state load takes it up, in any session.`,
	Example: `arbor state save "Before the review" -m "Sign-in endpoint" --next "Write the tests"
arbor state save v2 -m "The form" --next "Ask Ann" --active web/form.ts --tag ui`,
})

// StateSave saves where the work stands.
func StateSave(ctx context.Context, env *Env, in StateSaveIn) (*StateSaveOut, error) {
	if strings.TrimSpace(in.ActiveTask) == "" || len(in.NextSteps) == 0 {
		return nil, badParam("activeTask", "state_save: activeTask and nextSteps say what is to do; neither may be empty")
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
		Commit: engine.Head(ctx, env.Engine), State: mdstore.State{ActiveTask: in.ActiveTask, NextSteps: in.NextSteps,
			Conversation: in.ConversationContext, Reasoning: in.Reasoning}}
	if p, ok := engine.SessionFile(ctx, env.Engine, s, env.Session); ok {
		x.Session = string(p.ID)
	}
	if x.Node, _ = env.Focus(ctx, s); in.NodeID != "" {
		if x.Node, err = env.resolve(s, in.NodeID, "nodeId"); err != nil {
			return nil, err
		}
	}
	var warned []string
	for _, path := range in.ActiveFiles {
		f, err := engine.ActiveFile(ctx, env.Engine, inProject(env, path))
		if err != nil {
			warned = append(warned, fmt.Sprintf("%s: %v; what becomes of it is not known", f.Path, err))
		}
		if !slices.Contains(x.ActiveFiles, f) {
			x.ActiveFiles = append(x.ActiveFiles, f)
		}
	}
	id, w, err := apply(ctx, env, target{ws: s.Workspace().ID}, env.act(in.Write, Match{}), x,
		"state_load (arbor state load) takes it up, in any session")
	if err != nil {
		return nil, err
	}
	w.Warned = append(w.Warned, warned...)
	return &StateSaveOut{StateID: string(id), Wrote: w}, nil
}
