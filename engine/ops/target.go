package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A target is what a writing operation is about: a workspace, and a node in it or "". If it is not found, err says
// why, and apply does nothing.
type target struct {
	ws, node mdstore.ID
	view     *view.View // nil if the target is the workspace
	err      error
	focused  bool // the call named no node, and the caller's focus is the target
	unnamed  bool // the call named no node and there is no focus: the workspace is the target
}

// whole returns the workspace as a target.
func (env *Env) whole(ctx context.Context, workspace string) target {
	id, err := env.workspace(ctx, workspace)
	return target{ws: id, err: err}
}

// target returns a node as a target.
func (env *Env) target(ctx context.Context, workspace, node string) target {
	s, id, err := env.At(ctx, workspace, node)
	if err != nil {
		return target{err: err}
	}
	return target{ws: s.Workspace().ID, node: id, view: s}
}

// owner is target for calls about a log or problem. Without a node the target is the focus, for callers with
// Where.Focus and if there is one, as for context_get; otherwise it is the workspace. The workspace's id names the
// workspace too.
func (env *Env) owner(ctx context.Context, workspace, node string) target {
	if node == "" && env.Where.Focus {
		s, err := env.In(ctx, workspace)
		if err != nil {
			return target{err: err}
		}
		if id, _ := env.Focus(ctx, s); id != "" {
			return target{ws: s.Workspace().ID, node: id, view: s, focused: true}
		}
		return target{ws: s.Workspace().ID, unnamed: true}
	}
	if id, err := env.workspace(ctx, workspace); node == "" || err == nil && node == string(id) {
		return target{ws: id, err: err}
	}
	return env.target(ctx, workspace, node)
}

// apply carries out a plan. It returns the plan's result, and the Wrote that every writing operation returns.
func apply[R any](
	ctx context.Context, env *Env, t target, act plan.Act, p plan.Operation[R], hint string,
) (result R, w Wrote, err error) {
	if t.err != nil {
		return result, w, t.err
	}
	result, o, err := engine.Apply(ctx, env.Engine, t.ws, act, p)
	if err != nil {
		return result, w, fail(err)
	}
	w = env.wrote(ctx, t.ws, o, hint)
	if t.focused && w.Hint == "" {
		w.Hint = "of " + string(t.node) + ", the focus"
		if n, ok := t.view.Node(t.node); ok && statemachine.Terminal(n.Status) {
			w.Hint += ", which is " + string(n.Status) + " already; {context_focus} moves the focus"
		}
	}
	if t.unnamed && w.Hint == "" {
		w.Hint = "logged to the workspace, because no node has the focus; name {.nodeId} for a node"
	}
	return result, w, nil
}

// done calls apply for a plan without a result.
func done(
	ctx context.Context, env *Env, t target, act plan.Act, p plan.Operation[plan.None], hint string,
) (*Wrote, error) {
	_, w, err := apply(ctx, env, t, act, p, hint)
	if err != nil {
		return nil, err
	}
	return &w, nil
}
