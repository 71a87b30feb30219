package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/plan"
)

// WorkspaceMoveIn moves a workspace into the archive or out of it.
type WorkspaceMoveIn struct {
	In
	Match
	Write
}

// WorkspaceMoveOut says where the workspace is now.
type WorkspaceMoveOut struct {
	Path string `json:"path"`
	Wrote
}

var workspaceArchive = op("workspace_archive", writes|repeats, WorkspaceArchive, Help{
	Summary: "move a workspace into the archive",
	Use:     "ws archive [WS]",
	Text:    "It can be read there. Nothing in it can be changed until it is restored.",
	Example: "arbor ws archive Login",
})

// WorkspaceArchive moves a workspace into the archive.
func WorkspaceArchive(ctx context.Context, env *Env, in WorkspaceMoveIn) (*WorkspaceMoveOut, error) {
	return env.archive(ctx, in, false, "workspace_restore brings it back")
}

// archive moves a workspace into the archive, or out of it.
func (env *Env) archive(ctx context.Context, in WorkspaceMoveIn, restore bool, hint string) (*WorkspaceMoveOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	dir, o, err := engine.Apply(ctx, env.Engine, id, env.act(in.Write, in.Match), plan.Archive{Restore: restore, Taken: env.Engine.Taken(ctx)})
	if err != nil {
		return nil, fail(err)
	}
	return &WorkspaceMoveOut{Path: string(dir), Wrote: env.wrote(ctx, id, o, hint)}, nil
}
