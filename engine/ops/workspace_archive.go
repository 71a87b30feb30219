package ops

import (
	"context"

	"arbor/engine"
	"arbor/mdstore"
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
