package ops

import (
	"context"

	"arbor/engine/view"
	"arbor/mdstore"
)

// Titled is a node with its title.
type Titled struct {
	NodeID string `json:"nodeId"`
	Title  string `json:"title"`
}

// unblocked returns the nodes that waited for dependencies in an earlier view and no longer do, in tree order.
func (env *Env) unblocked(ctx context.Context, was *view.View) (all []Titled) {
	before := was.BlockedBy()
	if len(before) == 0 {
		return nil
	}
	now, err := env.Engine.View(ctx, was.Workspace().ID)
	if err != nil {
		return nil // the change is made; this only says less about it
	}
	for n := range now.Ready(func(*mdstore.Node) bool { return false }) {
		if before[n.ID] != nil {
			all = append(all, Titled{string(n.ID), n.Title})
		}
	}
	all, _ = first(env, all, boundedItems)
	return all
}

// blockedSince returns the nodes that wait for dependencies now and did not in an earlier view, in tree order.
func (env *Env) blockedSince(ctx context.Context, was *view.View) (all []Titled) {
	now, err := env.Engine.View(ctx, was.Workspace().ID)
	if err != nil {
		return nil // the change is made; this only says less about it
	}
	before := was.BlockedBy()
	for n, open := range now.Blocked() {
		if len(open) > 0 && before[n.ID] == nil { // not those that only wait for an answer
			all = append(all, Titled{string(n.ID), n.Title})
		}
	}
	all, _ = first(env, all, boundedItems)
	return all
}

// waitsFor returns the ids of what a node waits for, nil for nothing.
func waitsFor(open []view.Dependency) (ids []string) {
	for _, x := range open {
		ids = append(ids, x.ID())
	}
	return ids
}
