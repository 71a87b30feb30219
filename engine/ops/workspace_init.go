package ops

import (
	"context"

	"arbor/engine"
	"arbor/mdstore"
)

// WorkspaceInitIn makes a workspace.
type WorkspaceInitIn struct {
	Name  string        `json:"name" req:"true" help:"1 to 200 characters in one line"`
	Goal  string        `json:"goal" req:"true" help:"what the work is for"`
	Rules []string      `json:"rules,omitempty" help:"rules that everybody working here must follow"`
	Docs  []mdstore.Ref `json:"docs,omitempty" help:"documents for the whole workspace"`
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

var workspaceInit = op("workspace_init", "make a workspace with its root node", writes, WorkspaceInit)

// WorkspaceInit makes a workspace with its root node.
func WorkspaceInit(ctx context.Context, env *Env, in WorkspaceInitIn) (*WorkspaceInitOut, error) {
	w, err := env.Engine.Init(ctx, engine.NewWorkspace{Name: in.Name, Goal: in.Goal, Rules: in.Rules, Docs: in.Docs}, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	return &WorkspaceInitOut{
		WorkspaceID: string(w.ID), Path: string(w.Dir), ProjectRoot: env.Engine.Project(), RootNodeID: string(mdstore.Root),
		RulesHash: mdstore.RulesHash(w.Rules),
		Wrote:     env.wrote(ctx, w.ID, w.Outcome, "plan with node_create under root (arbor add TITLE --parent root)"),
	}, nil
}
