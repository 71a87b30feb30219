// Package ops is the catalogue of operations: the name, help, typed input and typed output of everything that Arbor does.
// The command line, MCP and HTTP are thin front ends over it. Every operation fails with an *engine.Error.
//
// Each operation has a file of its own, named as the operation is; catalogue.go lists them.
package ops

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/mdstore"
)

// An Env is who calls, and on what.
type Env struct {
	Engine    *engine.Engine
	Session   string                             // the session that calls; "" for none. Its binding says which workspace is meant when a call names none
	Presence  *engine.Presence                   // of a caller who lives on between calls: what it claims is free when it ends; nil for one whose claims last as long as their lease
	Workspace string                             // the workspace that is meant when a call names none, whatever the session is bound to, named loosely; "" where the binding says
	Operator  string                             // mdstore.OperatorAI or OperatorHuman, for log lines; "" is AI
	Loose     bool                               // nodes and workspaces may be named by a unique prefix of their id or their exact title
	host      string                             // the session whose binding counts where Session has none
	Progress  func(done, total int, what string) // told how far a long operation is; nil where nobody asks
	MaxBytes  int                                // the size of a reply, with its result as JSON and as text, that lists keep within, saying how to get the rest; 0 for none
}

// act returns how the engine is to do something.
func (env *Env) act(w Write, m Match) engine.Act {
	return engine.Act{Operator: env.Operator, DryRun: w.DryRun, IfMatch: m.IfMatch, Session: env.Session, Presence: env.Presence}
}

// as returns the env with another session that calls; "" is the same one.
func (env *Env) as(session string) *Env {
	if session == "" {
		return env
	}
	other := *env
	other.Session, other.host = session, env.Session
	return &other
}

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

// workspace returns the id of the workspace that a call means.
func (env *Env) workspace(ctx context.Context, ref string) (mdstore.ID, error) {
	all, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return "", engine.AsError(err)
	}
	loose := env.Loose
	if ref == "" {
		ref, loose = env.Workspace, true // a person names it
	}
	if ref != "" {
		id, err := engine.ResolveWorkspace(all, ref, loose)
		if twin, ok := twinOf(err); ok {
			return twin, nil // the engine names the folders
		}
		return id, fail(err)
	}
	var unbound error
	for _, session := range []string{env.Session, env.host} {
		if session == "" {
			continue
		}
		b, ok, err := env.Engine.Binding(ctx, session)
		if ok && !slices.ContainsFunc(all, func(w *mdstore.Workspace) bool { return w.ID == b.WorkspaceID }) {
			return "", lostBinding(b, all)
		}
		if ok {
			return b.WorkspaceID, nil
		}
		unbound = err // where one workspace is meant without doubt, the bindings do not matter
	}
	var active []*mdstore.Workspace
	for _, w := range all {
		if w.Status == mdstore.StatusActive && !slices.ContainsFunc(active, func(o *mdstore.Workspace) bool { return o.ID == w.ID }) {
			active = append(active, w) // of two with one id the engine says more
		}
	}
	switch {
	case len(active) == 1:
		return active[0].ID, nil
	case unbound != nil:
		return "", fail(unbound)
	case len(active) == 0:
		if len(all) == 0 {
			return "", engine.Fail(engine.WorkspaceNotFound, "the vault has no workspace yet; make one with workspace_init (arbor init)")
		}
		return "", engine.Fail(engine.WorkspaceNotFound, "no workspace is active, of %d in the archive; name one (workspaceId, --workspace), or restore one (workspace_restore)", len(all))
	}
	var names []string
	e := engine.Fail(engine.AmbiguousID, "")
	e.Details = &engine.Details{Param: "workspaceId", Candidates: candidates(active)}
	for _, c := range e.Details.Candidates {
		names = append(names, fmt.Sprintf("%s (%s)", c.ID, c.Title))
	}
	e.Message = fmt.Sprintf("%d workspaces are active: %s; name one (workspaceId, --workspace), or bind the session to one (session_bind)", len(active), strings.Join(names, ", "))
	return "", e
}

// twinOf returns the id that all workspaces have that an error names, as after a copy: more of the id tells none of them from the others.
func twinOf(err error) (mdstore.ID, bool) {
	e := engine.AsError(err)
	if e == nil || e.Code != engine.AmbiguousID || e.Details == nil || len(e.Details.Candidates) == 0 {
		return "", false
	}
	first := e.Details.Candidates[0].ID
	return mdstore.ID(first), !slices.ContainsFunc(e.Details.Candidates, func(c engine.Candidate) bool { return c.ID != first })
}

// lostBinding is the error of a call that names no workspace, in a session whose own the vault does not have.
func lostBinding(b engine.Binding, all []*mdstore.Workspace) error {
	e := engine.Fail(engine.WorkspaceNotFound, "session %s is bound to %s, which the vault does not have; bind it to another workspace (session_bind, arbor session bind), "+
		"end the binding (session_unbind, arbor session unbind), or name a workspace (workspaceId, --workspace)", b.SessionID, b.WorkspaceID)
	e.Details = &engine.Details{Param: "workspaceId", Candidates: candidates(all)}
	return e
}

// candidates returns the first workspaces that may have been meant.
func candidates(all []*mdstore.Workspace) []engine.Candidate {
	var out []engine.Candidate
	for _, w := range all[:min(len(all), 8)] {
		out = append(out, engine.Candidate{ID: string(w.ID), Title: w.Name})
	}
	return out
}

// snapshot returns the workspace that a call means, as it is now.
func (env *Env) snapshot(ctx context.Context, ref string) (*engine.Snapshot, error) {
	id, err := env.workspace(ctx, ref)
	if err != nil {
		return nil, err
	}
	s, err := env.Engine.Snapshot(ctx, id)
	return s, fail(err)
}

// touching runs an operation that reads what is about one node, so that the files it looks at are as they are now, and no other file need be looked at.
func touching[I, O any](ctx context.Context, env *Env, in I, read func(context.Context, *Env, I) (*O, error)) (out *O, err error) {
	err = env.Engine.Touching(ctx, func(ctx context.Context) error {
		out, err = read(ctx, env, in)
		return err
	})
	return out, err
}

// node returns the workspace and the id of the node that a call means.
func (env *Env) node(ctx context.Context, ws, ref string) (*engine.Snapshot, mdstore.ID, error) {
	s, err := env.snapshot(ctx, ws)
	if err != nil {
		return nil, "", err
	}
	id, err := env.resolve(s, ref, "nodeId")
	return s, id, err
}

// owner returns the workspace and the node that a log or problem call means, no node for the workspace itself.
func (env *Env) owner(ctx context.Context, ws, ref string) (*engine.Snapshot, mdstore.ID, error) {
	if ref == "" {
		s, err := env.snapshot(ctx, ws)
		return s, "", err
	}
	return env.node(ctx, ws, ref)
}

// resolve returns the id of the node that ref names.
func (env *Env) resolve(s *engine.Snapshot, ref, param string) (mdstore.ID, error) {
	if ref == "" {
		return "", badParam(param, "%s is missing; name a node", param)
	}
	if env.Loose {
		id, err := s.Resolve(ref)
		return id, fail(err)
	}
	n, err := s.Known(mdstore.ID(ref))
	if err != nil {
		return "", fail(err)
	}
	return n.ID, nil
}

// progress tells how far the operation is.
func (env *Env) progress(done, total int, what string) {
	if env.Progress != nil {
		env.Progress(done, total, what)
	}
}

// path returns a path of the vault as people can open it, where the vault's place is known.
func (env *Env) path(p mdstore.Path) string {
	if v := env.Engine.Vault(); v != "" {
		return filepath.Join(v, filepath.FromSlash(string(p)))
	}
	return string(p)
}

// pathOrNone is path, "" for no path.
func (env *Env) pathOrNone(p mdstore.Path) string {
	if p == "" {
		return ""
	}
	return env.path(p)
}

// fail keeps a nil error nil, which a nil *engine.Error in an error would not be.
func fail(err error) error {
	if err == nil {
		return nil
	}
	return engine.AsError(err)
}
