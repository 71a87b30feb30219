package ops

import (
	"cmp"
	"context"
	"strings"

	"arbor/engine"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// WorkspaceInitIn makes a workspace.
type WorkspaceInitIn struct {
	Name  string        `json:"name" req:"true" arg:"NAME" help:"1 to 200 characters in one line"`
	Goal  string        `json:"goal" req:"true" unless:"briefing" flag:"goal,g" help:"the GOAL: what the work is for"`
	Rules []string      `json:"rules,omitempty" flag:"rule" help:"a RULE that all work here follows; may be repeated"`
	Docs  []mdstore.Ref `json:"docs,omitempty" flag:"doc" help:"a document as PATH:DESC; may be repeated"`
	Brief *BriefingIn   `json:"briefing,omitempty" like:"briefing_update" listed:"briefing" flag:"-" help:"as briefing_update takes it"`
	Write
}

// WorkspaceInitOut names the new workspace.
type WorkspaceInitOut struct {
	WorkspaceID string `json:"workspaceId"`
	Path        string `json:"path"`
	ProjectRoot string `json:"projectRoot"`
	RootNodeID  string `json:"rootNodeId"`
	RulesHash   string `json:"rulesHash"`
	Wrote
}

var workspaceInit = op("workspace_init", writes, WorkspaceInit, Help{
	Summary: "make a workspace with its root node",
	Advice:  "A project's plan.",
	Use:     "init [NAME]",
	Text: `A name is enough. The workspace goes into the vault that is found from here
upwards, or that --vault or ARBOR_VAULT names. Where there is none, the folder
.tanmi-workspace is made, at the top of the git repository, or here where there
is none; never in your home folder or in /. To make a vault here although there
is one above: arbor init NAME --goal GOAL --vault .tanmi-workspace`,
	Example: `arbor init Login --goal "Users sign in with a password"
arbor init Login --goal "..." --rule "Tests first" --doc docs/api.md:"the API"`,
})

// WorkspaceInit makes a workspace with its root node.
func WorkspaceInit(ctx context.Context, env *Env, in WorkspaceInitIn) (*WorkspaceInitOut, error) {
	if !env.Person && in.Brief == nil && strings.TrimSpace(in.Goal) == "" {
		return nil, badParam("goal", "goal is empty; say what the work is for")
	}
	made := plan.NewWorkspace{Name: in.Name, Goal: in.Goal, Rules: in.Rules, Docs: in.Docs}
	var warned []string
	if in.Brief != nil {
		made.Briefing = in.Brief.plan()
		warned = missed(ctx, env, in.Brief.Agent, made.Briefing.KeyFiles)
	}
	w, err := env.Engine.Init(ctx, made, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	w.Warned = append(w.Warned, warned...)
	for _, r := range in.Docs {
		if engine.Absent(ctx, env.Engine, r.Target) {
			w.Warned = append(w.Warned, r.Target+": no such file in the project")
		}
	}
	const hint = "plan with node_create under root (arbor add TITLE --parent root)"
	out := &WorkspaceInitOut{
		WorkspaceID: string(w.ID), Path: string(w.Dir), ProjectRoot: env.Engine.Project(), RootNodeID: string(mdstore.Root),
		RulesHash: mdstore.RulesHash(w.Rules),
		Wrote:     env.wrote(ctx, w.ID, w.Outcome, hint),
	}
	out.Hint = cmp.Or(out.Hint, hint)
	return out, nil
}
