package engine

import (
	"context"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A Focus is the node that work is about when it names none.
type Focus struct {
	Node   mdstore.ID // "" where nothing has the focus, which means the root
	Shared bool       // it is the workspace's shared focus
	Lost   mdstore.ID // a node that had the focus before it and cannot be read any more; "" for none
	Own    bool       // Lost is of a session's binding
}

// FocusOf returns the focus in a workspace: that of the first of these sessions which has one, by its binding to the
// workspace or else in memory, then that of this machine, and then the one that everybody shares. A focus that names no
// node falls to the next.
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

// SetFocus moves the focus of a session that is bound to the workspace. If it is not, or there is none, the focus of
// this machine moves, and that of the session in memory. The workspace's own stays. It reports whether the session is
// bound.
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
	e.seen.SetFocus(session, ws, id)
	m, err := e.MachineOf(ctx)
	if err != nil || m.Focus[ws] == id {
		return nil, false, err
	}
	return nil, false, e.EditMachine(ctx, func(m *Machine) { m.Focus[ws] = id })
}
