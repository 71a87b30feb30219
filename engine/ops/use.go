package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/mdstore"
)

// Only the command line has the functions of this file: a person works on one machine, an assistant in a session.

// UseOut names the default workspace of this machine. It is zero if there is none.
type UseOut struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
	Name        string `json:"name,omitempty"`
}

// Use makes an active workspace the default of this machine; a preview only looks it up. If the input names none, Use
// tells which one is.
func Use(ctx context.Context, env *Env, in In) (*UseOut, error) {
	if in.WorkspaceID == "" {
		w, err := env.machineDefault(ctx)
		if w == nil || err != nil {
			return &UseOut{}, fail(err)
		}
		return &UseOut{string(w.ID), w.Name}, nil
	}
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	w := s.Workspace()
	if w.Status != mdstore.StatusActive {
		return nil, errs.New(errs.WorkspaceArchived, "%s (%s): the workspace is archived; restore it first "+
			"({workspace_restore})", w.ID, w.Name)
	}
	if env.May == MayPreview {
		return &UseOut{string(w.ID), w.Name}, nil
	}
	err = env.Engine.EditMachine(ctx, func(m *engine.Machine) { m.Workspace = w.ID })
	return &UseOut{string(w.ID), w.Name}, fail(err)
}

// use makes a workspace that a person has loaded the default of this machine, if it is active and is not meant anyway.
// It returns a hint that says what later commands are about, "" if that has not changed.
func (env *Env) use(ctx context.Context, id mdstore.ID) (hint string, err error) {
	of := *env
	of.May = MayLook // nothing is made to find out
	is := func() bool {
		meant, err := of.workspace(ctx, "")
		return err == nil && meant == id
	}
	v, err := env.Engine.View(ctx, id)
	if err != nil || v.Workspace().Status != mdstore.StatusActive || is() {
		return "", fail(err)
	}
	if err := env.Engine.EditMachine(ctx, func(m *engine.Machine) { m.Workspace = id }); err != nil {
		return "", fail(err)
	}
	if is() {
		return "commands that name no workspace are about it from now on", nil
	}
	return "commands that name no workspace are still about the one that this session or folder is bound to", nil
}

// machineDefault returns the workspace that is this machine's default; nil if none is, or it is active no more.
func (env *Env) machineDefault(ctx context.Context) (*mdstore.Workspace, error) {
	m, err := env.Engine.MachineOf(ctx)
	if err != nil || m.Workspace == "" {
		return nil, err
	}
	all, err := env.Workspaces(ctx)
	for _, w := range all {
		if w.ID == m.Workspace && w.Status == mdstore.StatusActive {
			return w, nil
		}
	}
	return nil, err
}

// A Glance is a workspace with the facts that an overview shows in one line.
type Glance struct {
	WorkspaceHead
	Counts Counts `json:"counts"`
	Focus  string `json:"focus,omitempty"` // title of the focused node
}

// Overview returns every active workspace in one line if a call that names none would be ambiguous, and nil otherwise.
var Overview = reading(func(ctx context.Context, env *Env, _ In) (*[]Glance, error) {
	_, err := env.workspace(ctx, "")
	if e := errs.As(err); e == nil || e.Code != errs.AmbiguousID {
		return new([]Glance), nil // the operation itself reports the error
	}
	list, err := WorkspaceList(ctx, env, WorkspaceListIn{})
	if err != nil {
		return nil, err
	}
	out := []Glance{}
	for _, head := range list.Workspaces {
		g := Glance{WorkspaceHead: head}
		if s, err := env.Engine.View(ctx, mdstore.ID(head.ID)); err == nil {
			id, _ := env.Focus(ctx, s)
			if n, ok := s.Node(id); ok {
				g.FocusedNodeID, g.Focus = string(n.ID), n.Title
			}
			g.Counts = counts(s, len(s.Broken()))
		}
		out = append(out, g)
	}
	return &out, nil
})
