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

// A Resolve asks for the workspace of an identifier: a session, a device, a folder. The identifier is a key and never
// part of a path.
type Resolve struct {
	Identifier string
	Name       string       // the name of a new workspace; "": derived from the identifier
	May        func() error // called before a workspace is made; an error refuses it; nil: allowed
}

// A Resolved is the workspace of an identifier.
type Resolved struct {
	*plan.Outcome
	ID   mdstore.ID
	Name string
}

// ResolveWorkspace returns the workspace that an identifier is bound to, and notes that the workspace was used. If the
// identifier has no binding, or its workspace is gone, one commit makes a new workspace and binds the identifier to it.
// If the vault has bindings that cannot be read, and the identifier is not among the readable ones, the error is
// FILE_UNREADABLE: the identifier may be bound already.
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
// is the missing workspace that the identifier was bound to before, "" for none.
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

// boundTo returns all bindings, the binding of the identifier, and its workspace. The workspace is nil if the
// identifier is not bound, or its workspace is gone. The error is FILE_UNREADABLE if the identifier may have a binding
// that cannot be read.
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
		"need from %s, then delete it; or bind the identifier ({session_bind})"
	return b, false, errs.New(errs.FileUnreadable, text, identifier, strings.Join(names, ", ")).
		With(errs.Details{Paths: names})
}

// fitName returns the name of a workspace for an identifier: its first 200 printable characters, or "Workspace" if it
// has none.
func fitName(identifier string) string {
	all := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, identifier)))
	return cmp.Or(string(all[:min(len(all), 200)]), "Workspace")
}

// UserDefault returns the workspace for calls that name none. It makes the workspace if it is not there.
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

// BoundFolder returns the binding of dir or, if dir is not bound, of the nearest bound folder above it. The bool is
// false if there is none. dir is a path with slashes.
func (e *Engine) BoundFolder(ctx context.Context, dir string) (sessions.Binding, bool, error) {
	s, err := sessions.ReadSound(ctx, e.st)
	if err != nil {
		return sessions.Binding{}, false, err
	}
	b, ok := s.Folder(dir)
	return b, ok, nil
}
