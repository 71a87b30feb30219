package ops

import (
	"context"

	"arbor/mdstore"
)

// WorkspaceListIn filters workspaces.
type WorkspaceListIn struct {
	Status string `json:"status,omitempty" enum:"active,archived,all" help:"active unless given"`
	SortBy string `json:"sortBy,omitempty" listed:"briefing" enum:"name,created,lastAccessed" flag:"sort" help:"lastAccessed unless given"`
	Order  string `json:"order,omitempty" listed:"briefing" enum:"asc,desc" help:"desc for lastAccessed unless given, else asc"`
	Limit  int    `json:"limit,omitempty" min:"0" listed:"briefing" flag:"limit,n" help:"at most N workspaces"`
	Query  string `json:"query,omitempty" listed:"briefing" help:"only those with all WORDS in name and description, or the one whose root folder is nearest above a folder"`
}

// WorkspaceListOut lists workspaces in the order asked for.
type WorkspaceListOut struct {
	Workspaces []WorkspaceHead `json:"workspaces"`
	Hidden     int             `json:"hidden,omitempty"` // further workspaces
	Out
}

// WorkspaceHead is a workspace in a list.
type WorkspaceHead struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Description   string `json:"description,omitempty"`
	Goal          string `json:"goal"`
	RootFolder    string `json:"rootFolder,omitempty"`
	Status        string `json:"status"`
	FocusedNodeID string `json:"focusedNodeId,omitempty"`
	CreatedAt     int64  `json:"createdAt"`
	UpdatedAt     int64  `json:"updatedAt"`
	Path          string `json:"path" only:"verbose"`
	Damaged       bool   `json:"damaged,omitempty"`
	LastAccessed  int64  `json:"lastAccessed,omitempty"` // on this machine, Unix milliseconds; 0 where that is not known
	SessionCount  int    `json:"sessionCount,omitempty"` // sessions with a file
	TraceCount    int    `json:"traceCount,omitempty"`   // entries of their logs
	Bound         bool   `json:"bound,omitempty"`        // the caller's session is bound to it
}

var workspaceList = op("workspace_list", reads|repeats, WorkspaceList, Help{
	Summary: "list the workspaces of the vault",
	Use:     "ws list",
	Aliases: "ls",
	Text: `One line each, the one last used on this machine first: id, status, name, goal.
A file that cannot be read is marked as damaged; arbor check says why.`,
	Example: `arbor ws list --status all
arbor ws list --query job --sort name
arbor ws list -q`,
})

// WorkspaceList lists workspaces.
var WorkspaceList = reading(func(ctx context.Context, env *Env, in WorkspaceListIn) (*WorkspaceListOut, error) {
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
	found := ordered(ctx, env, in, asked(env, in.Query, out.Workspaces))
	switch {
	case len(all) == 0:
		out.Hint = "the vault has no workspace yet; make one with workspace_init (arbor init)"
	case len(found) == 0 && in.Query != "":
		out.Hint = "none matches; a word is any part of a name or description, and all words must match"
	case len(found) == 0:
		out.Hint = "none is " + want + "; status all shows every one"
	}
	hint, total := out.Hint, len(found)
	if in.Limit > 0 {
		found = found[:min(len(found), in.Limit)]
	}
	if err := countSessions(ctx, env, found); err != nil {
		return nil, err
	}
	env.fit(out, len(found), func(n int) {
		out.Workspaces, out.Hidden, out.Hint = found[:n], total-n, hint
		if out.Hidden > 0 {
			out.Hint = shownOf(n, total, "workspaces",
				"workspace_get shows any by its id, arbor ws list all of them; workspace_archive makes the list shorter")
		}
	})
	return out, nil
})

func (env *Env) head(w *mdstore.Workspace) WorkspaceHead {
	return WorkspaceHead{ID: string(w.ID), Name: w.Name, Description: w.Description, RootFolder: w.RootFolder, Goal: w.Goal, Status: w.Status, FocusedNodeID: string(w.Focus),
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Path: env.path(w.Path), Damaged: len(w.Problems) > 0}
}
