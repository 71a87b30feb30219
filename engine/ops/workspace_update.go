package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
)

// WorkspaceUpdateIn renames a workspace or gives it another goal.
type WorkspaceUpdateIn struct {
	In
	Name *string `json:"name,omitempty" help:"the new NAME"`
	Goal *string `json:"goal,omitempty" flag:"goal,g" help:"the new GOAL"`
	Match
	Write
}

var workspaceUpdate = op("workspace_update", writes|repeats, WorkspaceUpdate, Help{
	Summary: "rename a workspace or give it another goal",
	Use:     "ws update [WS]",
	Aliases: "edit rename",
	Text:    "What is not given stays. The folder keeps its name: the id is in the file.",
	Example: `arbor ws update Login --name "Sign-in" --goal "Users sign in with a passkey"`,
})

// WorkspaceUpdate renames a workspace or gives it another goal.
func WorkspaceUpdate(ctx context.Context, env *Env, in WorkspaceUpdateIn) (*Wrote, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if in.Name == nil && in.Goal == nil {
		return nil, errs.New(errs.InvalidParams, "nothing is to be updated; give name or goal")
	}
	_, o, err := engine.Apply(ctx, env.Engine, id, env.act(in.Write, in.Match), plan.UpdateWorkspace{Name: in.Name, Goal: in.Goal})
	if err != nil {
		return nil, fail(err)
	}
	return new(env.wrote(ctx, id, o, "workspace_get shows it")), nil
}
