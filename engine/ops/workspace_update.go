package ops

import (
	"context"

	"arbor/engine"
)

// WorkspaceUpdateIn renames a workspace or gives it another goal.
type WorkspaceUpdateIn struct {
	In
	Name *string `json:"name,omitempty"`
	Goal *string `json:"goal,omitempty"`
	Match
	Write
}

// WorkspaceUpdateOut is the result of workspace_update.
type WorkspaceUpdateOut struct{ Wrote }

var workspaceUpdate = op("workspace_update", "rename a workspace or give it another goal", writes|repeats, WorkspaceUpdate)

// WorkspaceUpdate renames a workspace or gives it another goal.
func WorkspaceUpdate(ctx context.Context, env *Env, in WorkspaceUpdateIn) (*WorkspaceUpdateOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if in.Name == nil && in.Goal == nil {
		return nil, engine.Fail(engine.InvalidParams, "nothing is to be updated; give name or goal")
	}
	o, err := env.Engine.UpdateWorkspace(ctx, id, in.Name, in.Goal, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &WorkspaceUpdateOut{env.wrote(ctx, id, o, "workspace_get shows it")}, nil
}
