package ops

import (
	"context"

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
	t := env.whole(ctx, in.WorkspaceID)
	if t.err == nil && in.Name == nil && in.Goal == nil {
		return nil, errs.New(errs.InvalidParams, "nothing is to be updated; give name or goal")
	}
	p := plan.UpdateWorkspace{Name: in.Name, Goal: in.Goal}
	return done(ctx, env, t, env.act(in.Write, in.Match), p, "workspace_get shows it")
}
