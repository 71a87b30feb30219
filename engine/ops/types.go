package ops

import (
	"context"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// In names the workspace that an operation is about.
type In struct {
	WorkspaceID string `json:"workspaceId,omitempty" arg:"WS" flag:"-" help:"the workspace; optional where the session is bound to one or only one is active"`
}

// Write are the parameters that every writing operation takes.
type Write struct {
	DryRun bool `json:"dryRun,omitempty" help:"print the change as a unified diff and write nothing"`
}

// Match is the precondition of operations on one file that was read before.
type Match struct {
	IfMatch string `json:"ifMatch,omitempty" help:"refuse unless the file is at this VERSION"`
}

// Out is what every result carries.
type Out struct {
	Hint string   `json:"hint"`          // one short line on what can be done next
	Cut  []string `json:"cut,omitempty"` // texts and lists that are here in part, because the reply has a bound
}

// Wrote is what every writing operation's result carries.
type Wrote struct {
	Success bool                `json:"success"`
	Changed bool                `json:"changed"`             // false where everything was so already
	Adapted []string            `json:"adapted,omitempty"`   // how given text was changed to fit in
	Met     []mdstore.Collision `json:"conflicts,omitempty"` // saves by others that the write met, and what became of both
	DryRun  bool                `json:"dryRun,omitempty"`
	Diff    string              `json:"diff,omitempty"` // unified, of a dry run; of a repair also where it was made
	Files   []FileDiff          `json:"files,omitempty"`
	More    int                 `json:"filesHidden,omitempty"` // further files, where results are bounded
	Out
}

// Written returns what results of writing operations have in common.
func (w Wrote) Written() Wrote { return w }

// A FileDiff says what a writing operation changed in one file.
type FileDiff struct {
	Path    string   `json:"path"`              // relative to the vault
	To      string   `json:"to,omitempty"`      // where the file or folder moved
	Version string   `json:"version,omitempty"` // of the file as it is now; for ifMatch
	Lines   int      `json:"lines"`             // lines that differ: the larger of those added and those removed
	What    []string `json:"what,omitempty"`    // "node-… status pending → implementing"
}

// wrote turns an outcome into what every writing operation returns, and notes the change as the session's own.
func (env *Env) wrote(ctx context.Context, ws mdstore.ID, o *plan.Outcome, hint string) Wrote {
	w := Wrote{Success: true, Changed: o.Changed(), Adapted: o.Adapted, Met: o.Collisions, DryRun: o.DryRun, Out: Out{Hint: hint}}
	if o.DryRun {
		w.Diff = o.Diff()
		w.Hint = "nothing was written; repeat the call without dryRun to do it"
	} else if !w.Changed {
		w.Hint = "it was so already; nothing was written"
	}
	if len(w.Met) > 0 {
		w.Hint = "done; conflicts says what became of saves by others that this write, or an earlier one, has met"
	}
	files, hidden := first(env, o.Files, boundedItems)
	for _, f := range files {
		w.Files = append(w.Files, FileDiff{Path: string(f.Path), To: string(f.To), Version: f.Version.String(), Lines: f.Lines(), What: f.What})
	}
	w.More = hidden
	if err := env.Engine.NoteOwn(ctx, ws, env.Session, o); err != nil {
		w.Hint = "done; but what the session has seen could not be noted, so changes_get will name this change too"
	}
	return w
}

// problem returns an open problem as a result has it, null where there is none.
func problem(p mdstore.Problem) *mdstore.Problem {
	if p.IsZero() {
		return nil
	}
	return &p
}

// nonNil returns a list that is never null in JSON.
func nonNil[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
