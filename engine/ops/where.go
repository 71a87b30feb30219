package ops

import (
	"context"
	"fmt"
	"slices"

	"arbor/engine/errs"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// Where says which workspace and node a call means if it names none.
type Where struct {
	Workspace  string       // id, prefix or name; "" for none
	Identifier string       // the identifier whose workspace the connection means; "" for none
	Own        string       // the identifier of the connection, also while it is bound to a session; "" for none
	All        bool         // a connection with an identifier sees the workspaces of other identifiers
	Loaded     mdstore.ID   // the workspace that the connection loaded last; "" for none
	MayMake    func() error // returns an error if no workspace may be made for the Identifier; nil: one may be made
	Dir        string       // the folder of a person's commands, with slashes; "" for none
	Default    bool         // a call that means no other workspace means the one named default, which is made if missing
	Focus      bool         // calls about a log or problem that name no node are about the focus
}

// A Meaning is one way to find the workspace of a call.
type Meaning struct {
	When string // as docs/comeback.md prints it
	find func(context.Context, *seeking) (mdstore.ID, error)
}

// Meanings returns the ways to find the workspace of a call, in order. The first that finds one, or fails, counts.
func Meanings() []Meaning {
	return []Meaning{
		{"the workspace that the call names: `workspaceId`, `--workspace`", named},
		{"the workspace that the connection loaded last (`workspace_load`), until it binds a session", loaded},
		{"the workspace that the server was given: `arbor mcp --workspace`, or the header `Arbor-Workspace`", given},
		{"the workspace of the connection's identifier (`Arbor-Identifier`), which is created if there is none", identified},
		{"the workspace that the session is bound to", bound},
		{"the workspace that the folder of the command is bound to, or a folder above it", inFolder},
		{"for a person: the default of this machine, the last `arbor use WORKSPACE` or `arbor ws load WORKSPACE`", ofMachine},
		{"where the vault is your own, not a project's: the workspace default, which is created if there is none", byDefault},
		{"the only active workspace, without counting the one named default and those created for identifiers", onlyActive},
	}
}

// A seeking is the search for the workspace of a call.
type seeking struct {
	env    *Env
	ref    string // as the call names it; "" for no name
	all    []*mdstore.Workspace
	active []*mdstore.Workspace // workspaces that a call can mean without naming them
	// why the bindings could not be read; it matters only if no other way finds a workspace
	unbound error
}

// workspace returns the id of the workspace that ref names. For "" it returns the one that the caller means: see
// Meanings.
func (env *Env) workspace(ctx context.Context, ref string) (mdstore.ID, error) {
	all, err := env.Workspaces(ctx)
	if err != nil {
		return "", errs.As(err)
	}
	s, others := &seeking{env: env, ref: ref, all: all}, env.ofOthers(ctx, all)
	for _, w := range all {
		if others[w.ID] != "" {
			continue
		}
		twin := slices.ContainsFunc(s.active, func(o *mdstore.Workspace) bool { return o.ID == w.ID })
		if w.Status == mdstore.StatusActive && w.ID != mdstore.DefaultWorkspace && !twin {
			s.active = append(s.active, w) // of two with one id, keep one: the engine reports the other
		}
	}
	for _, m := range Meanings() {
		if id, err := m.find(ctx, s); id != "" || err != nil {
			return id, fail(err)
		}
	}
	return "", s.nothing()
}

func (s *seeking) there(id mdstore.ID) bool {
	return slices.ContainsFunc(s.all, func(w *mdstore.Workspace) bool { return w.ID == id })
}

func (s *seeking) resolve(ref string, loose bool) (mdstore.ID, error) {
	if ref == "" {
		return "", nil
	}
	id, err := view.ResolveWorkspace(s.all, ref, loose, s.env.Names == NamesParts)
	if twin, ok := twinOf(err); ok {
		return twin, nil // the engine names the folders
	}
	return id, err
}

func named(_ context.Context, s *seeking) (mdstore.ID, error) {
	return s.resolve(s.ref, s.env.Names != NamesExact)
}

func loaded(_ context.Context, s *seeking) (mdstore.ID, error) {
	if id := s.env.Where.Loaded; s.env.host == "" && s.there(id) {
		return id, nil
	}
	return "", nil
}

func given(_ context.Context, s *seeking) (mdstore.ID, error) {
	return s.resolve(s.env.Where.Workspace, true) // a person names it
}

func identified(ctx context.Context, s *seeking) (mdstore.ID, error) {
	name := s.env.Where.Identifier
	if name == "" {
		return "", nil
	}
	may := s.env.Where.MayMake
	if s.env.May != MayWrite {
		may = func() error {
			return errs.New(errs.WorkspaceNotFound,
				"%s: no workspace is bound to this identifier yet, and nothing is to be written; name a workspace", name)
		}
	}
	r, err := resolveIdentifier(ctx, s.env, name, "", may, Write{DryRun: s.env.May != MayWrite})
	if err != nil {
		return "", err
	}
	return r.ID, nil
}

func bound(ctx context.Context, s *seeking) (mdstore.ID, error) {
	for _, session := range []string{s.env.Session, s.env.host} {
		if session == "" {
			continue
		}
		b, ok, err := s.env.Engine.Binding(ctx, session)
		if ok {
			return s.of(b)
		}
		s.unbound = err
	}
	return "", nil
}

func inFolder(ctx context.Context, s *seeking) (mdstore.ID, error) {
	if s.env.Where.Dir == "" {
		return "", nil
	}
	b, ok, err := s.env.Engine.BoundFolder(ctx, s.env.Where.Dir)
	if ok {
		return s.of(b)
	}
	if s.unbound == nil {
		s.unbound = err
	}
	return "", nil
}

// of returns the workspace of a binding.
func (s *seeking) of(b sessions.Binding) (mdstore.ID, error) {
	if s.there(b.WorkspaceID) {
		return b.WorkspaceID, nil
	}
	const form = "session %s is bound to %s, which the vault does not have; bind it to another workspace " +
		"({session_bind}), end the binding ({session_unbind}), or name a workspace " +
		"({.workspaceId})"
	return "", errs.New(errs.WorkspaceNotFound, form, b.SessionID, b.WorkspaceID).
		With(errs.Details{Param: "workspaceId", Candidates: view.Heads(s.all)})
}

func ofMachine(ctx context.Context, s *seeking) (mdstore.ID, error) {
	if s.env.Caller == ByAssistant {
		return "", nil
	}
	w, err := s.env.machineDefault(ctx)
	if err != nil || w == nil {
		return "", nil // an error counts as no default
	}
	return w.ID, nil
}

func onlyActive(_ context.Context, s *seeking) (mdstore.ID, error) {
	if len(s.active) == 1 {
		return s.active[0].ID, nil
	}
	return "", nil
}

func byDefault(ctx context.Context, s *seeking) (mdstore.ID, error) {
	switch {
	case !s.env.Where.Default:
		return "", nil
	case s.env.May != MayWrite && !s.there(mdstore.DefaultWorkspace):
		return "", errs.New(errs.WorkspaceNotFound, "the workspace default, which the call is about, is not there yet; a "+
			"call that may write creates it, or name another workspace ({.workspaceId})")
	}
	return s.env.Engine.UserDefault(ctx, s.env.act(Write{}, Match{}))
}

// nothing returns the error of a call for which no workspace was found.
func (s *seeking) nothing() error {
	heads := view.Heads(s.active)
	switch {
	case s.unbound != nil:
		return fail(s.unbound)
	case len(s.all) == 0:
		return errs.New(errs.WorkspaceNotFound, "the vault has no workspace yet; make one with {workspace_init}")
	case len(s.active) == 0 && len(s.all) == 1 && s.there(mdstore.DefaultWorkspace):
		return errs.New(errs.WorkspaceNotFound,
			"the only workspace of the vault is default; a call is about it only if it names it ({.workspaceId})")
	case len(s.active) == 0 && slices.ContainsFunc(s.all, ofIdentifier):
		return errs.New(errs.WorkspaceNotFound, "the active workspaces were created for identifiers, and a call is about "+
			"such a one only if it names it ({.workspaceId}); {workspace_init} makes one for the project")
	case len(s.active) == 0:
		return errs.New(errs.WorkspaceNotFound, "no workspace is active, of %d in the archive; "+
			"name one ({.workspaceId}), or restore one ({workspace_restore})", len(s.all))
	}
	const form = "%d workspaces are active%s; name one ({.workspaceId}), for this call or once for the session " +
		"({session_bind workspaceId}), or let a person choose one (arbor use)"
	return errs.New(errs.AmbiguousID, form, len(s.active), ": "+view.List(heads)).
		With(errs.Details{Param: "workspaceId", Candidates: heads, Head: fmt.Sprintf(form, len(s.active), "")})
}

func ofIdentifier(w *mdstore.Workspace) bool {
	return w.Identifier != "" && w.Status == mdstore.StatusActive
}

// twinOf returns the id that all candidates of an error share. A copy of a workspace's folder causes this; a longer
// prefix would not tell the two apart.
func twinOf(err error) (mdstore.ID, bool) {
	e := errs.As(err)
	if e == nil || e.Code != errs.AmbiguousID || e.Details == nil || len(e.Details.Candidates) == 0 {
		return "", false
	}
	first := e.Details.Candidates[0].ID
	return mdstore.ID(first), !slices.ContainsFunc(e.Details.Candidates, func(c errs.Candidate) bool { return c.ID != first })
}
