package ops

import (
	"arbor/engine/gitsync"
	"context"
)

// SyncIn says how far a sync goes.
type SyncIn struct {
	Message  string `json:"message,omitempty" flag:"message,m" help:"the MESSAGE of the commit, in place of what happened in the plan"`
	PushAll  bool   `json:"pushAll,omitempty" help:"push also commits that change other files than the vault's"`
	Force    bool   `json:"force,omitempty" help:"carry on files that became unreadable since the last sync"`
	NoPush   bool   `json:"noPush,omitempty" help:"commit and merge, and push nothing"`
	Continue bool   `json:"continue,omitempty" help:"end a sync that stopped at a conflict, which is resolved now"`
	Abort    bool   `json:"abort,omitempty" help:"take back a sync that stopped at a conflict"`
	Write
}

// SyncOut says what went out and what came in.
type SyncOut struct {
	Message string   `json:"message,omitempty"` // of the commit of the vault's changes; "" where there were none
	CameIn  string   `json:"cameIn,omitempty"`  // what the upstream's commits did, in one line; "" where there were none
	Notes   []string `json:"notes,omitempty"`   // what the merge and its repairs have decided
	Pushed  int      `json:"pushed,omitempty"`  // commits
	Wrote
}

var syncOp = op("sync", writes|byGit, Sync, Help{
	Summary: "commit the vault, merge what others did, and push",
	Use:     "sync",
	Text: `Commits the changed files of the vault and nothing else, fetches the upstream of
the branch, merges it file by file as Arbor knows them, mends what the merge
left (the status of a parent, a node whose parent was deleted), and pushes.
What is staged elsewhere stays staged. Files outside of the vault change only
where the upstream changed them and nobody here did. Where people must decide,
it stops as git merge does, with exit code 4: arbor conflicts names what is
open; then sync --continue, or sync --abort. A file of the vault that could be
read when the last sync ended and cannot any more stops it, too, unless --force
carries it on as it is. No hook, filter or driver of the
repository runs, and commits are not signed. Needs git 2.38 or newer.`,
	Example: `arbor sync
arbor sync -m "plan the release" --no-push
arbor sync --continue`,
})

// Sync commits the vault, merges the upstream into it and pushes.
func Sync(ctx context.Context, env *Env, in SyncIn) (*SyncOut, error) {
	r, err := repoOf(ctx, env)
	if err != nil {
		return nil, err
	}
	did, err := gitsync.Sync(ctx, env.Engine, r, gitsync.Options{
		Message: in.Message, PushAll: in.PushAll, Force: in.Force, NoPush: in.NoPush, Continue: in.Continue, Abort: in.Abort, DryRun: in.DryRun,
	})
	if err != nil {
		return nil, fail(err)
	}
	w := Wrote{Success: true, DryRun: in.DryRun, Changed: did.Changed}
	w.Hint = did.Hint
	return &SyncOut{Message: did.Message, CameIn: did.CameIn, Notes: did.Notes, Pushed: did.Pushed, Wrote: w}, nil
}
