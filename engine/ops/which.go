package ops

import (
	"context"

	"arbor/engine"
	"arbor/mdstore"
)

// Workspaces and nodes that a front end shows in ways of its own are named as operations name them.

// In returns the workspace that a call means by ref, as it is now: "" is the one that is meant where none is named. The error is an *engine.Error with
// those that may have been meant.
func (env *Env) In(ctx context.Context, ref string) (*engine.Snapshot, error) {
	return env.snapshot(ctx, ref)
}

// At returns the workspace that a call means by ws, as In does, and the id of the node in it that ref names. A ref that names none is an *engine.Error with
// those that may have been meant.
func (env *Env) At(ctx context.Context, ws, ref string) (*engine.Snapshot, mdstore.ID, error) {
	return env.node(ctx, ws, ref)
}
