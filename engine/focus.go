package engine

import (
	"context"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A Focus is the node that work is about when it names none.
type Focus struct {
	Node   mdstore.ID // "" if no node has the focus, which means the root
	Shared bool       // it is the workspace's shared focus
	Lost   mdstore.ID // the first focus that was skipped because its node cannot be read; "" for none
	Own    bool       // Lost comes from a session's binding
}

// FocusOf returns the focus in a workspace. It tries the given sessions in order: for each, first the binding to the
// workspace, then the focus in memory. After them it tries the focus of this machine, and then the workspace's shared
// focus. It passes over a focus whose node is not there.
func (e *Engine) FocusOf(ctx context.Context, v *view.View, of ...string) (f Focus) {
	ws := v.Workspace().ID
	try := func(id mdstore.ID, own bool) bool {
		if _, there := v.Node(id); there {
			f.Node = id
		} else if id != "" && f.Lost == "" {
			f.Lost, f.Own = id, own
		}
		return f.Node != ""
	}
	for _, s := range of {
		if s == "" {
			continue
		}
		if b, ok, err := e.Binding(ctx, s); err == nil && ok && b.WorkspaceID == ws && try(b.FocusedNodeID, true) {
			return f
		}
		if try(e.seen.Focus(s, ws), false) {
			return f
		}
	}
	if m, err := e.MachineOf(ctx); err == nil && try(m.Focus[ws], false) {
		return f
	}
	f.Shared = try(v.Workspace().Focus, false)
	return f
}

// SetFocus moves the focus of a session that is bound to the workspace. If the session is not bound to it, or there is
// no session, SetFocus moves the focus of this machine and the session's focus in memory. The workspace's shared focus
// stays. The bool reports whether the session is bound.
func (e *Engine) SetFocus(
	ctx context.Context, session string, ws, id mdstore.ID, act plan.Act,
) (*plan.Outcome, bool, error) {
	b, bound, err := e.Binding(ctx, session)
	if bound = bound && err == nil && b.WorkspaceID == ws; bound { // bindings that cannot be read bind nothing
		if b.FocusedNodeID == id {
			return &plan.Outcome{DryRun: act.DryRun}, true, nil
		}
		b.FocusedNodeID = id
		out, err := e.Bind(ctx, b, act)
		return out, true, err
	}
	if act.DryRun {
		return nil, false, nil
	}
	if err := e.name(ctx, ws, act, id); err != nil {
		return nil, false, err
	}
	e.seen.SetFocus(session, ws, id)
	m, err := e.MachineOf(ctx)
	if err != nil || m.Focus[ws] == id {
		return nil, false, err
	}
	return nil, false, e.EditMachine(ctx, func(m *Machine) { m.Focus[ws] = id })
}
