package ops

import (
	"context"

	"arbor/engine/errs"
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
		list, err := WorkspaceList(ctx, env, WorkspaceListIn{Status: mdstore.StatusArchived})
		if err != nil {
			return nil, err
		}
		if in.WorkspaceID, err = theOne(list.Workspaces); err != nil {
			return nil, err
		}
	}
	return env.archive(ctx, in, true, "it is active again")
}

// theOne returns the id of the only archived workspace.
func theOne(archived []WorkspaceHead) (string, error) {
	switch len(archived) {
	case 1:
		return archived[0].ID, nil
	case 0:
		return "", errs.New(errs.WorkspaceNotFound, "no workspace is archived, so there is none to restore")
	}
	e := errs.New(errs.AmbiguousID, "%d workspaces are archived; name the one to restore", len(archived))
	e.Details = &errs.Details{Param: "workspaceId"}
	for _, w := range archived[:min(len(archived), 8)] {
		e.Message += "; " + w.ID + " (" + w.Name + ")"
		e.Details.Candidates = append(e.Details.Candidates, errs.Candidate{ID: w.ID, Title: w.Name})
	}
	return "", e
}
