package ops

import (
	"context"

	"arbor/mdstore"
)

// WorkspaceListIn filters workspaces.
type WorkspaceListIn struct {
	Status string `json:"status,omitempty" enum:"active,archived,all" help:"active unless given"`
}

// WorkspaceListOut lists workspaces, oldest first.
type WorkspaceListOut struct {
	Workspaces []WorkspaceHead `json:"workspaces"`
	Hidden     int             `json:"hidden,omitempty"` // further workspaces, where results are bounded
	Out
}

// WorkspaceHead is a workspace in a list.
type WorkspaceHead struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Goal          string `json:"goal"`
	Status        string `json:"status"`
	FocusedNodeID string `json:"focusedNodeId,omitempty"`
	CreatedAt     int64  `json:"createdAt"`
	UpdatedAt     int64  `json:"updatedAt"`
	Path          string `json:"path" only:"verbose"`
	Damaged       bool   `json:"damaged,omitempty"`
}

var workspaceList = op("workspace_list", reads|repeats, WorkspaceList, Help{
	Summary: "list the workspaces of the vault",
	Use:     "ws list",
	Aliases: "ls",
	Text: `One line each, oldest first: id, status, name, goal. A file that cannot be read
is marked as damaged; arbor check says why.`,
	Example: `arbor ws list --status all
arbor ws list -q`,
})

// WorkspaceList lists workspaces, oldest first.
func WorkspaceList(ctx context.Context, env *Env, in WorkspaceListIn) (*WorkspaceListOut, error) {
	all, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	want := in.Status
	if want == "" {
		want = mdstore.StatusActive
	}
	out := &WorkspaceListOut{Workspaces: []WorkspaceHead{}, Out: Out{Hint: "workspace_status shows the tree of one"}}
	for _, w := range all {
		if want == "all" || w.Status == want {
			out.Workspaces = append(out.Workspaces, env.head(w))
		}
	}
	found := out.Workspaces
	switch {
	case len(all) == 0:
		out.Hint = "the vault has no workspace yet; make one with workspace_init (arbor init)"
	case len(found) == 0:
		out.Hint = "none is " + want + "; status all shows every one"
	}
	hint := out.Hint
	env.fit(out, len(found), func(n int) {
		out.Workspaces, out.Hidden, out.Hint = found[:n], len(found)-n, hint
		if out.Hidden > 0 {
			out.Hint = shownOf(n, len(found), "workspaces",
				"workspace_get shows any by its id, arbor ws list all of them; workspace_archive makes the list shorter")
		}
	})
	return out, nil
}

func (env *Env) head(w *mdstore.Workspace) WorkspaceHead {
	return WorkspaceHead{ID: string(w.ID), Name: w.Name, Goal: w.Goal, Status: w.Status, FocusedNodeID: string(w.Focus),
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Path: env.path(w.Path), Damaged: len(w.Problems) > 0}
}
