package ops

import (
	"context"
	"time"

	"arbor/engine"
)

// WorkspaceGCIn says which workspaces are old.
type WorkspaceGCIn struct {
	MaxAge *int `json:"maxAge,omitempty" min:"1" help:"DAYS without use: 90 unless given"`
	Shared bool `json:"shared,omitempty" help:"also what no resolve on this machine made"`
	Write
}

// WorkspaceGCOut says what became of each workspace.
type WorkspaceGCOut struct {
	Collected []CollectedWorkspace `json:"collected,omitempty"`
	Kept      []CollectedWorkspace `json:"kept,omitempty"`
	Hidden    int                  `json:"hidden,omitempty"` // further ones that are kept, where results are bounded
	Wrote
}

// A CollectedWorkspace is one that a collection has looked at.
type CollectedWorkspace struct {
	WorkspaceID string `json:"workspaceId"`
	Name        string `json:"name"`
	Trash       string `json:"trash,omitempty"`
	Reason      string `json:"reason,omitempty"` // why it is kept
}

var workspaceGC = op("workspace_gc", writes|destroys, WorkspaceGC, Help{
	Summary: "move unused workspaces to the trash",
	Use:     "ws gc",
	Text: `Of those that arbor resolve has made on this machine: the ones that nobody has
loaded, resolved, bound or written to for 90 days, and whose files are as old.
With --shared others too; of these what anybody wrote counts. The default
workspace stays, and so does one that cannot be read or is in use: a node is
claimed, a session is open, or something was bound to it since. Each that stays
is named with the reason. The trash (.local/trash) keeps what goes until you
empty it.`,
	Example: "arbor ws gc --max-age 30 --dry-run",
})

// WorkspaceGC moves workspaces that nobody uses to the trash.
func WorkspaceGC(ctx context.Context, env *Env, in WorkspaceGCIn) (*WorkspaceGCOut, error) {
	days := 90
	if in.MaxAge != nil {
		days = min(max(*in.MaxAge, 1), 100*365) // Operation.Run refuses less than 1; a time.Duration holds no more than 292 years
	}
	old := engine.Collect{MaxAge: time.Duration(days) * 24 * time.Hour, Shared: in.Shared}
	all, o, err := engine.CollectWorkspaces(ctx, env.Engine, old, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	out := &WorkspaceGCOut{Wrote: env.wrote(ctx, "", o, "they lie in the trash, whole; move a folder back to restore it")}
	var kept []CollectedWorkspace
	for _, c := range all {
		one := CollectedWorkspace{WorkspaceID: string(c.ID), Name: c.Name, Trash: string(c.Trash), Reason: c.Kept}
		if one.Reason == "" {
			out.Collected = append(out.Collected, one)
		} else {
			kept = append(kept, one)
		}
	}
	env.fit(out, len(kept), func(n int) { out.Kept, out.Hidden = kept[:n], len(kept)-n })
	return out, nil
}
