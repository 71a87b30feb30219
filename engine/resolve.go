package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A Resolve asks for the workspace of an identifier: a session, a device, a folder. The identifier is a key and never part of a path.
type Resolve struct {
	Identifier string
	Name       string       // of a workspace that is made; "" is the identifier
	May        func() error // refuses to make one; nil: it may be made
}

// A Resolved is the workspace of an identifier.
type Resolved struct {
	*plan.Outcome
	ID   mdstore.ID
	Name string
}

// ResolveWorkspace returns the workspace that an identifier is bound to, by the binding that counts as used now. One
// that is bound to none, or to one that is gone, is bound to a new workspace: all in one commit. While bindings lie in
// the vault that could not be read, an identifier that is not among those that can be is refused.
func (e *Engine) ResolveWorkspace(ctx context.Context, r Resolve, act plan.Act) (*Resolved, error) {
	if err := sessions.ValidKey("identifier", r.Identifier); err != nil {
		return nil, err
	}
	out, made := &Resolved{Outcome: &plan.Outcome{DryRun: act.DryRun}}, false
	find := func() (s *sessions.Bindings, b sessions.Binding, err error) {
		s, b, w, err := e.boundTo(ctx, r.Identifier)
		if w != nil {
			out.ID, out.Name = w.ID, w.Name
		}
		return s, b, err
	}
	_, _, err := find()
	if err == nil && out.ID == "" {
		_, err = e.write(ctx, out.Outcome, func() ([]mdstore.Change, error) {
			s, lost, err := find()
			if err != nil || out.ID != "" {
				return nil, err // another process was faster
			}
			made = true
			return e.newBound(ctx, r, s, lost.WorkspaceID, act, out)
		})
	}
	switch {
	case err != nil:
		return nil, err
	case act.DryRun:
	case made:
		at := e.opt.Now().UnixMilli()
		_ = e.editAccess(ctx, func(all map[mdstore.ID]access) { all[out.ID] = access{At: at, Resolved: true} })
	default:
		e.Touched(ctx, out.ID)
	}
	return out, nil
}

// newBound returns the changes that make a workspace and bind the identifier to it, and adds them to the outcome. lost
// is the workspace that it was bound to and that is gone, "" for none.
func (e *Engine) newBound(
	ctx context.Context, r Resolve, s *sessions.Bindings, lost mdstore.ID, act plan.Act, out *Resolved,
) ([]mdstore.Change, error) {
	if r.May != nil {
		if err := r.May(); err != nil {
			return nil, err
		}
	}
	id, err := e.opt.NewID("ws")
	if err != nil {
		return nil, err
	}
	now, name := e.opt.Now(), cmp.Or(r.Name, fitName(r.Identifier))
	imp, err := plan.NewWorkspace{Name: name}.Import(id, now, act.By())
	if err != nil {
		return nil, err
	}
	files, err := e.importing(ctx, imp, out.Outcome)
	if err != nil {
		return nil, err
	}
	changes, err := s.Set(sessions.Binding{SessionID: r.Identifier, WorkspaceID: id, BoundAt: now.UnixMilli()}, now)
	if err != nil {
		return nil, err
	}
	addBindings(out.Outcome, s, changes, view.Change{ID: mdstore.ID(r.Identifier), Do: "bound to " + string(id)})
	if lost != "" {
		const text = "%s was bound to %s, which the vault does not have; it is bound to a new workspace now"
		out.Warned = append(out.Warned, fmt.Sprintf(text, r.Identifier, lost))
	}
	out.ID, out.Name = id, name
	return append(files, changes...), nil
}

// boundTo returns the bindings, that of an identifier, and its workspace: nil if it is bound to none, or to one that
// is gone. The error is a FILE_UNREADABLE if that cannot be told.
func (e *Engine) boundTo(ctx context.Context, identifier string) (
	s *sessions.Bindings, b sessions.Binding, w *mdstore.Workspace, err error) {
	if s, err = sessions.ReadBindings(ctx, e.st); err != nil {
		return s, b, nil, err
	}
	b, ok, err := s.Find(identifier)
	if err == nil && !ok {
		b, ok, err = e.boundAside(ctx, identifier, s.Corrupt() != nil)
	}
	if err != nil || !ok {
		return s, b, nil, err
	}
	all, err := e.Workspaces(ctx)
	if i := slices.IndexFunc(all, func(w *mdstore.Workspace) bool { return w.ID == b.WorkspaceID }); i >= 0 {
		w = all[i]
	}
	return s, b, w, err
}

// boundAside looks for an identifier in the kept copies of unreadable binding files, the newest first, and in a
// corrupt sessions.json. It fails if there are such files and none of them has the identifier.
func (e *Engine) boundAside(
	ctx context.Context, identifier string, corrupt bool,
) (b sessions.Binding, ok bool, err error) {
	var names []string
	if corrupt {
		names = append(names, mdstore.SessionsFile)
	}
	if in, can := mdstore.AsStore[mdstore.Strays](e.st); can {
		strays, err := in.Strays(ctx, "")
		if err != nil {
			return b, false, err
		}
		for _, stray := range slices.Backward(strays) {
			if stray.Kind == mdstore.StrayBindings {
				names = append(names, string(stray.Path))
			}
		}
	}
	for _, name := range names {
		if f, err := e.st.Read(ctx, mdstore.Path(name)); err == nil {
			if b, ok = sessions.FindIn(f.Data, identifier); ok {
				return b, true, nil
			}
		}
	}
	if names == nil {
		return b, false, nil
	}
	const text = "%s: it cannot be told what the identifier is bound to, as bindings could not be read: take over what you " +
		"need from %s, then delete it; or bind the identifier (session_bind)"
	return b, false, errs.New(errs.FileUnreadable, text, identifier, strings.Join(names, ", ")).
		With(errs.Details{Paths: names})
}

// fitName returns a text that can be the name of a workspace, as like the identifier as can be.
func fitName(identifier string) string {
	all := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, identifier)))
	return cmp.Or(string(all[:min(len(all), 200)]), "Workspace")
}

// UserDefault returns the workspace of calls that mean none, and makes it where it is not there.
func (e *Engine) UserDefault(ctx context.Context, act plan.Act) (mdstore.ID, error) {
	const id = mdstore.DefaultWorkspace
	all, err := e.Workspaces(ctx)
	if err != nil || slices.ContainsFunc(all, func(w *mdstore.Workspace) bool { return w.ID == id }) {
		return id, err
	}
	imp, err := plan.NewWorkspace{Name: "Default"}.Import(id, e.opt.Now(), act.By())
	if err != nil {
		return "", err
	}
	if _, err = e.Import(ctx, imp, false); err != nil {
		if _, other := e.View(ctx, id); other == nil {
			err = nil // another process was faster
		}
	}
	return id, err
}

// BoundFolder returns the workspace of the folder that dir is or lies in, of several that are bound the nearest; ok is
// false if none is. dir is a path with slashes.
func (e *Engine) BoundFolder(ctx context.Context, dir string) (sessions.Binding, bool, error) {
	s, err := sessions.ReadSound(ctx, e.st)
	if err != nil {
		return sessions.Binding{}, false, err
	}
	b, ok := s.Folder(dir)
	return b, ok, nil
}

// UnbindWorkspace ends all bindings to a workspace.
func (e *Engine) UnbindWorkspace(ctx context.Context, ws mdstore.ID) error {
	_, err := e.editBindings(ctx, plan.Act{}, view.Change{Do: "bindings to " + string(ws) + " ended"}, func(s *sessions.Bindings) ([]mdstore.Change, error) {
		if err := s.Corrupt(); err != nil {
			return nil, err
		}
		return s.UnsetTo(ws, e.opt.Now())
	})
	return err
}
