package ops

import (
	"context"

	"arbor/engine"
)

// WorkspaceDeleteIn moves a workspace to the trash.
type WorkspaceDeleteIn struct {
	WorkspaceID string `json:"workspaceId" req:"true" arg:"WS" flag:"-"`
	Force       bool   `json:"force,omitempty" help:"also an active one with open nodes"`
	Match
	Write
}

// WorkspaceDeleteOut says where the workspace went.
type WorkspaceDeleteOut struct {
	DeletedCount int    `json:"deletedCount"`
	Trash        string `json:"trash"`
	Wrote
}

// confirmText is what the help of commands that delete says.
const confirmText = `At a terminal it asks first, unless there is --yes; elsewhere it does not ask.
The trash (.local/trash) keeps what is deleted until you empty it.`

var workspaceDelete = op("workspace_delete", writes|destroys, WorkspaceDelete, Help{
	Summary: "move a workspace to the trash",
	Advice:  "An active one only with force.",
	Use:     "ws delete WS",
	Aliases: "rm remove",
	Text: `Bindings to it end, and its sessions.
` + confirmText,
	Example: `arbor ws delete Login --dry-run
arbor ws delete Login --force --yes`,
})

// WorkspaceDelete moves a workspace to the trash.
func WorkspaceDelete(ctx context.Context, env *Env, in WorkspaceDeleteIn) (*WorkspaceDeleteOut, error) {
	if in.WorkspaceID == "" {
		return nil, badParam("workspaceId", "workspaceId is missing; a workspace is deleted by name only")
	}
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	d, o, err := engine.DeleteWorkspace(ctx, env.Engine, id, env.act(in.Write, in.Match), in.Force, nil)
	if err != nil {
		return nil, fail(err)
	}
	w := env.wrote(ctx, id, o, "it lies in the trash, whole; move the folder back to restore it")
	return &WorkspaceDeleteOut{DeletedCount: d.Count, Trash: string(d.Trash), Wrote: w}, nil
}
