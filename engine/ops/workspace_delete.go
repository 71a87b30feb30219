package ops

import (
	"context"

	"arbor/engine"
)

// WorkspaceDeleteIn moves a workspace to the trash.
type WorkspaceDeleteIn struct {
	WorkspaceID string `json:"workspaceId" req:"true"`
	Force       bool   `json:"force,omitempty" help:"also an active one"`
	Match
	Write
}

// WorkspaceDeleteOut says where the workspace went.
type WorkspaceDeleteOut struct {
	DeletedCount int    `json:"deletedCount"`
	Trash        string `json:"trash"`
	Wrote
}

var workspaceDelete = op("workspace_delete", "move a workspace to the trash", writes|destroys, WorkspaceDelete)

// WorkspaceDelete moves a workspace to the trash.
func WorkspaceDelete(ctx context.Context, env *Env, in WorkspaceDeleteIn) (*WorkspaceDeleteOut, error) {
	if in.WorkspaceID == "" {
		e := engine.Fail(engine.InvalidParams, "workspaceId is missing; a workspace is deleted by name only")
		e.Details = &engine.Details{Param: "workspaceId"}
		return nil, e
	}
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	d, err := env.Engine.DeleteWorkspace(ctx, id, in.Force, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &WorkspaceDeleteOut{DeletedCount: d.Count, Trash: string(d.Trash), Wrote: env.wrote(ctx, id, d.Outcome, "it lies in the trash, whole; move the folder back to restore it")}, nil
}
