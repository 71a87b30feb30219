package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

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
// A sessions.json that is damaged or missing is written anew: see bindings. If there is a damaged one, or a kept copy
// of one, a new workspace comes with a warning that names it.
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
	s, _, err := find()
	if err == nil && (out.ID == "" || !s.Whole() && !act.DryRun) {
		_, err = e.write(ctx, out.Outcome, func() ([]mdstore.Change, error) {
			s, b, err := find()
			switch {
			case err != nil:
				return nil, err
			case out.ID == "":
				made = true
				return e.newBound(ctx, r, s, b.WorkspaceID, act, out)
			case s.Whole():
				return nil, nil // another process was faster
			}
			changes, err := s.Set(b, e.opt.Now())
			if s.Corrupt() != nil {
				out.Warned = []string{fmt.Sprintf("%s was damaged, and is written anew; it is kept as %s",
					mdstore.SessionsFile, e.unreadBindings(ctx, changes))}
			}
			return changes, err
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
	now, name := e.opt.Now(), cmp.Or(r.Name, fitName(r.Identifier))
	imp, err := e.importFor(r.Identifier, name, now, act)
	if err != nil {
		return nil, err
	}
	files, err := e.importing(ctx, imp, out.Outcome)
	if err != nil {
		return nil, err
	}
	changes, err := s.Set(sessions.Binding{SessionID: r.Identifier, WorkspaceID: imp.ID, BoundAt: now.UnixMilli()}, now)
	if err != nil {
		return nil, err
	}
	addBindings(out.Outcome, s, changes, view.Change{ID: mdstore.ID(r.Identifier), Do: "bound to " + string(imp.ID)})
	if kept := e.unreadBindings(ctx, changes); kept != "" && lost == "" {
		const text = "%s has a new workspace: bindings could not be read; if it was bound to another one, %s may say " +
			"to which, and {session_bind} binds it to that again"
		out.Warned = append(out.Warned, fmt.Sprintf(text, r.Identifier, kept))
	}
	if lost != "" {
		const text = "%s was bound to %s, which the vault does not have; it is bound to a new workspace now"
		out.Warned = append(out.Warned, fmt.Sprintf(text, r.Identifier, lost))
	}
	out.ID, out.Name = imp.ID, name
	return append(files, changes...), nil
}

// importFor returns the import that makes a workspace for an identifier.
func (e *Engine) importFor(identifier, name string, now time.Time, act plan.Act) (imp plan.Import, err error) {
	id, err := e.opt.NewID("ws")
	if err != nil {
		return imp, err
	}
	session, err := e.opt.NewID("session")
	if err != nil {
		return imp, err
	}
	if imp, err = (plan.NewWorkspace{Name: name}).Import(id, now, act.By()); err != nil {
		return imp, err
	}
	return imp.For(identifier, session, now)
}

// boundTo returns all bindings, the binding of the identifier, and its workspace. The workspace is nil if the
// identifier is not bound, or its workspace is gone. For an entry that cannot be read it is the workspace that was
// created for the identifier.
func (e *Engine) boundTo(ctx context.Context, identifier string) (
	s *sessions.Bindings, b sessions.Binding, w *mdstore.Workspace, err error) {
	if s, err = e.bindings(ctx); err != nil {
		return s, b, nil, err
	}
	b, _ = s.Get(identifier)
	unread := b.WorkspaceID == ""
	if unread && !s.Has(identifier) {
		return s, b, nil, nil
	}
	all, err := e.Workspaces(ctx)
	for _, w := range all { // oldest first
		if unread && w.Identifier == identifier {
			b.WorkspaceID = w.ID
		}
	}
	b.SessionID = identifier
	if i := slices.IndexFunc(all, func(w *mdstore.Workspace) bool { return w.ID == b.WorkspaceID }); i >= 0 {
		w = all[i]
	}
	return s, b, w, err
}

// unreadBindings returns the newest copy of bindings that could not be read, be it kept already or by these changes. It
// returns "" if there is none.
func (e *Engine) unreadBindings(ctx context.Context, changes []mdstore.Change) (newest mdstore.Path) {
	for _, c := range changes {
		if strings.HasPrefix(string(c.Path), mdstore.CorruptPrefix) {
			return c.Path
		}
	}
	in, can := mdstore.AsStore[mdstore.Strays](e.st)
	if !can {
		return ""
	}
	strays, _ := in.Strays(ctx, "") // check reports an error
	for _, stray := range strays {
		if stray.Kind == mdstore.StrayBindings {
			newest = max(newest, stray.Path)
		}
	}
	return newest
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
	s, err := e.bindings(ctx)
	if err != nil {
		return sessions.Binding{}, false, err
	}
	b, ok := s.Folder(dir)
	return b, ok, nil
}
