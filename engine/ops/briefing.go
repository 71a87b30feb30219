package ops

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
)

type BriefingUpdateIn struct {
	In
	BriefingIn
	Match
	Write
}

// BriefingIn has parts of a briefing. A nil part stays as it is.
type BriefingIn struct {
	Description *string      `json:"description,omitempty" empty:"ok" help:"one LINE about the workspace"`
	RootFolder  *string      `json:"rootFolder,omitempty" flag:"root" empty:"ok" help:"the FOLDER of the work, relative to the project"`
	Purpose     *string      `json:"purpose,omitempty" empty:"ok" help:"the PURPOSE: what the work is for"`
	CurrentGoal *string      `json:"currentGoal,omitempty" flag:"current-goal" empty:"ok" help:"the current GOAL"`
	Preferences *string      `json:"preferences,omitempty" empty:"ok" help:"PREFERENCES: how to do the work"`
	Agent       *string      `json:"agent,omitempty" also:"dedicatedAgentId" empty:"ok" help:"the ID of an agent in the folder agents of the vault"`
	Workflows   []WorkflowIn `json:"workflows,omitempty" flag:"-" help:"the whole list; each has name, when, steps"`
	KeyFiles    []KeyFileIn  `json:"keyFiles,omitempty" flag:"-" help:"the whole list; each has path, purpose"`
	Related     []RelatedIn  `json:"related,omitempty" flag:"-" help:"the whole list; each has path, why"`
}

// A WorkflowIn is a way in which work is done.
type WorkflowIn struct {
	Name  string `json:"name" req:"true"`
	When  string `json:"when,omitempty"`
	Steps Steps  `json:"steps,omitempty"`
}

// A KeyFileIn is a file that everyone who works in the workspace should know.
type KeyFileIn struct {
	Path    string `json:"path" req:"true"`
	Purpose string `json:"purpose,omitempty"`
}

// A RelatedIn is a file or folder that has to do with the work.
type RelatedIn struct {
	Path string `json:"path" req:"true"`
	Why  string `json:"why,omitempty"`
}

// Steps are the steps of a workflow: a text, or a list of texts, which becomes a list of Markdown.
type Steps string

// UnmarshalJSON reads a text or a list of texts.
func (s *Steps) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) != nil {
		return json.Unmarshal(data, (*string)(s))
	}
	for i, step := range list {
		list[i] = "- " + strings.ReplaceAll(strings.TrimSpace(step), "\n", "\n  ")
	}
	*s = Steps(strings.Join(list, "\n"))
	return nil
}

// plan returns the plan for the parts that the call gives.
func (in BriefingIn) plan() plan.Briefing {
	x := plan.Briefing{Description: in.Description, RootFolder: in.RootFolder, Agent: in.Agent,
		Purpose: in.Purpose, CurrentGoal: in.CurrentGoal, Preferences: in.Preferences}
	x.Workflows = each(in.Workflows, func(f WorkflowIn) mdstore.Workflow {
		return mdstore.Workflow{Name: f.Name, When: f.When, Steps: string(f.Steps)}
	})
	x.KeyFiles = each(in.KeyFiles, func(f KeyFileIn) mdstore.Ref { return mdstore.Ref{Target: f.Path, Description: f.Purpose} })
	x.Related = each(in.Related, func(f RelatedIn) mdstore.Ref { return mdstore.Ref{Target: f.Path, Description: f.Why} })
	return x
}

// each maps a list by f. It returns nil for nil.
func each[A, B any](items []A, f func(A) B) (out []B) {
	if items != nil {
		out = []B{}
	}
	for _, x := range items {
		out = append(out, f(x))
	}
	return out
}

// missed returns warnings about files and an agent that the briefing names and that do not exist.
func missed(ctx context.Context, env *Env, agent *string, files []mdstore.Ref) (warned []string) {
	if agent != nil && *agent != "" {
		if _, warning := agentOf(ctx, env, mdstore.ID(*agent)); warning != "" {
			warned = append(warned, warning)
		}
	}
	for _, f := range files {
		if err := env.Engine.Lacks(ctx, f.Target); err != nil {
			warned = append(warned, err.Error())
		}
	}
	return warned
}

var briefingUpdate = op("briefing_update", writes|repeats, BriefingUpdate, Help{
	Summary: "write parts of the briefing",
	Advice:  "A list replaces the list.",
	Use:     "ws set [WS]",
	Example: "arbor ws set purpose=\"Find work\" rootFolder=Job",
})

// BriefingUpdate replaces parts of the briefing of a workspace.
func BriefingUpdate(ctx context.Context, env *Env, in BriefingUpdateIn) (*Wrote, error) {
	t, p := env.whole(ctx, in.WorkspaceID), in.plan()
	if t.err == nil && reflect.ValueOf(in.BriefingIn).IsZero() {
		return nil, errs.New(errs.InvalidParams, "nothing to change is given; give a part of the briefing, such as purpose")
	}
	w, err := done(ctx, env, t, env.act(in.Write, in.Match), p, "{workspace_load} shows it")
	if err != nil {
		return nil, err
	}
	w.Warned = append(w.Warned, missed(ctx, env, in.Agent, p.KeyFiles)...)
	return w, nil
}
