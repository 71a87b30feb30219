package ops

import (
	"context"
	"slices"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
)

var workspaceRestore = op("workspace_restore", writes|repeats, WorkspaceRestore, Help{
	Summary: "take a workspace out of the archive",
	Use:     "ws restore [WS]",
	Text:    "Its folder moves back, and it is active again.",
	Example: "arbor ws restore Login",
})

// WorkspaceRestore takes a workspace out of the archive.
func WorkspaceRestore(ctx context.Context, env *Env, in WorkspaceMoveIn) (*WorkspaceMoveOut, error) {
	if in.WorkspaceID == "" { // the one that is archived is meant, not the one that is active
		all, err := env.Engine.Workspaces(ctx)
		if err != nil {
			return nil, fail(err)
		}
		if in.WorkspaceID, err = archivedOne(all); err != nil {
			return nil, err
		}
	}
	return env.archive(ctx, in, true, "it is active again")
}

// archivedOne returns the id of the only archived workspace.
func archivedOne(all []*mdstore.Workspace) (string, error) {
	all = slices.DeleteFunc(all, func(w *mdstore.Workspace) bool { return w.Status != mdstore.StatusArchived })
	switch len(all) {
	case 1:
		return string(all[0].ID), nil
	case 0:
		return "", errs.New(errs.WorkspaceNotFound, "no workspace is archived, so there is none to restore")
	}
	heads := view.Heads(all)
	return "", errs.New(errs.AmbiguousID, "%d workspaces are archived: %s; name the one to restore", len(all), view.List(heads)).
		With(errs.Details{Param: "workspaceId", Candidates: heads})
}
