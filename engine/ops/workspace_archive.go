package ops

import (
	"context"

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
	p := plan.Archive{Restore: restore, Taken: env.Engine.Taken(ctx)}
	dir, w, err := apply(ctx, env, env.whole(ctx, in.WorkspaceID), env.act(in.Write, in.Match), p, hint)
	if err != nil {
		return nil, err
	}
	return &WorkspaceMoveOut{Path: string(dir), Wrote: w}, nil
}
