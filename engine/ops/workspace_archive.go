package ops

import (
	"context"

	"arbor/engine"
	"arbor/mdstore"
)

// WorkspaceArchiveIn moves a workspace into the archive.
type WorkspaceArchiveIn struct {
	In
	Match
	Write
}

// WorkspaceMoveOut says where the workspace is now.
type WorkspaceMoveOut struct {
	Path string `json:"path"`
	Wrote
}

var workspaceArchive = op("workspace_archive", "move a workspace into the archive", writes|repeats, WorkspaceArchive)

// WorkspaceArchive moves a workspace into the archive.
func WorkspaceArchive(ctx context.Context, env *Env, in WorkspaceArchiveIn) (*WorkspaceMoveOut, error) {
	return env.shelve(ctx, in.In, env.act(in.Write, in.Match), env.Engine.Archive, "workspace_restore brings it back")
}

func (env *Env) shelve(ctx context.Context, in In, act engine.Act, do func(context.Context, mdstore.ID, engine.Act) (mdstore.Path, *engine.Outcome, error), hint string) (*WorkspaceMoveOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	dir, o, err := do(ctx, id, act)
	if err != nil {
		return nil, fail(err)
	}
	return &WorkspaceMoveOut{Path: string(dir), Wrote: env.wrote(ctx, id, o, hint)}, nil
}
