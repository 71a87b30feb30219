// Package ops is the catalogue of operations: the name, help, typed input and typed output of everything that Arbor
// does. The command line, MCP and HTTP are thin front ends over it. Every operation fails with an *errs.Error.
//
// A file holds the operations of one noun: of each its input, its output, its entry of the catalogue, and the function;
// catalogue.go lists them. A new operation is these four and a line there, above the plan in the engine that it calls. The
// tags of its input (see Param) give its tool the schema and its command the words and flags, and docs/cli.md and
// docs/mcp.md are generated.
package ops

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"arbor/engine"
	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// An Env is the caller of operations, and the engine that they run on.
type Env struct {
	Engine  *engine.Engine
	Session string // of the caller; "" for none

	// Connection is the name of the open connection that calls, under which session_bind holds what it binds, and also
	// the session that the connection has as long as nothing is bound. "" for a caller that is none.
	Connection string

	// Lease is that of claims that name none: claims.ConnectionLease for a caller whose claims are renewed while it lives.
	// 0 is claims.DefaultLease.
	Lease time.Duration

	// Workspace is the workspace of calls that name none, named loosely. With "" it is the one that the session is
	// bound to.
	Workspace string

	// Identifier is that of the connection: calls that name no workspace mean the one that it is bound to, which is
	// made where there is none. "" for none.
	Identifier string
	MayMake    func() error // refuses a workspace that would be made for an identifier; nil: it may be made

	// Dir is the folder of a person's commands, with slashes: where none is named and no session is bound, the workspace
	// that the folder is bound to is meant, or one above it. "" for none.
	Dir string

	// Default says that the workspace default is meant where none else is. It is made where it is not there.
	Default bool

	Operator string                             // mdstore.OperatorAI or OperatorHuman, for log lines; "" is AI
	Loose    bool                               // ids may be given as a unique prefix, and nodes and workspaces by their exact title
	Progress func(done, total int, what string) // called during long operations; may be nil

	// MaxBytes bounds the size of a reply with its result as JSON and as text; lists that are cut say how to get the
	// rest. 0 is no bound.
	MaxBytes int

	// Person says that a person calls, at a command line. The default workspace of this machine is meant by calls that
	// name none and have no session that is bound, and what is likely a mistake is refused. An assistant must not be
	// led elsewhere by a person, and is warned.
	Person bool

	Parts bool // where no node has the name that is given, a part of a title names one; for those who read

	// Brief says that a model reads the replies: they leave out what is empty, and what only a call with verbose brings.
	Brief bool

	Sparse bool // replies leave out what is empty also where they are not Brief, as their schemas have it

	ReadOnly bool // nothing may be written or noted: an operation that Looks only reads
	Dry      bool // the call is a dry run: no workspace is made for it either

	Home    string         // the person's own folder; "" where it is not known
	Decider bool           // a person calls by a way that only they have: what only a person decides may be decided
	By      string         // that way, as a log tells it: "on the page"; "" is at a terminal
	Clients act.Clients    // what connects machines that serve folders; nil: nothing does
	Memory  *places.Memory // what a server remembers of its sessions' calls of tools; nil: nothing

	Focused bool     // calls about a log or problem that name no node are about the focus
	Ignored []string // parameters of the call that mean nothing here, for the reply

	// Follows says that the caller goes on as the session that it starts or loads: a connection that was given none.
	Follows bool

	host  string // the session whose binding counts where Session has none
	trace string // what the call does, in short, for the trace of the session
}

// act returns the options of a write.
func (env *Env) act(w Write, m Match) plan.Act {
	return plan.Act{Operator: env.Operator, DryRun: w.DryRun, IfMatch: m.IfMatch, Session: env.Session, Trace: env.trace}
}

// As returns the env of another session, as a call names it that one of several helpers makes; with "" the same env.
func (env *Env) As(session string) *Env {
	if session == "" || session == env.Session {
		return env
	}
	other := *env
	other.Session, other.host = session, env.Session
	other.Lease = 0 // its claims are renewed by nobody else
	return &other
}

// workspace returns the id of the workspace that ref names; "" is the default of the caller.
func (env *Env) workspace(ctx context.Context, ref string) (mdstore.ID, error) {
	all, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return "", errs.As(err)
	}
	loose := env.Loose
	if ref == "" {
		ref, loose = env.Workspace, true // a person names it
	}
	if ref != "" {
		id, err := view.ResolveWorkspace(all, ref, loose)
		if twin, ok := twinOf(err); ok {
			return twin, nil // the engine names the folders
		}
		return id, fail(err)
	}
	if env.Identifier != "" {
		may := env.MayMake
		if env.Dry || env.ReadOnly {
			may = func() error {
				return errs.New(errs.WorkspaceNotFound, "%s: no workspace is bound to this identifier yet, and nothing is to be written; name a workspace", env.Identifier)
			}
		}
		r, err := resolveIdentifier(ctx, env, env.Identifier, "", may, Write{DryRun: env.ReadOnly})
		if err != nil {
			return "", err
		}
		return r.ID, nil
	}
	there := func(id mdstore.ID) bool {
		return slices.ContainsFunc(all, func(w *mdstore.Workspace) bool { return w.ID == id })
	}
	var unbound error
	for _, session := range []string{env.Session, env.host} {
		if session == "" {
			continue
		}
		b, ok, err := env.Engine.Binding(ctx, session)
		if ok && !there(b.WorkspaceID) {
			return "", lostBinding(b, all)
		}
		if ok {
			return b.WorkspaceID, nil
		}
		unbound = err // where one workspace is meant without doubt, the bindings do not matter
	}
	if env.Dir != "" {
		b, ok, err := engine.BoundFolder(ctx, env.Engine, env.Dir)
		if ok && !there(b.WorkspaceID) {
			return "", lostBinding(b, all)
		}
		if ok {
			return b.WorkspaceID, nil
		}
		unbound = cmp.Or(unbound, err)
	}
	if env.Person {
		if w, err := env.machineDefault(ctx); err == nil && w != nil {
			return w.ID, nil
		}
	}
	var active []*mdstore.Workspace
	for _, w := range all {
		if w.Status == mdstore.StatusActive && w.ID != mdstore.DefaultWorkspace && !slices.ContainsFunc(active, func(o *mdstore.Workspace) bool { return o.ID == w.ID }) {
			active = append(active, w) // of two with one id the engine says more
		}
	}
	switch {
	case len(active) == 1:
		return active[0].ID, nil
	case env.Default && (!env.Dry || there(mdstore.DefaultWorkspace)):
		id, err := engine.UserDefault(ctx, env.Engine, env.act(Write{}, Match{}))
		return id, fail(err)
	case unbound != nil:
		return "", fail(unbound)
	case len(active) == 0:
		if there(mdstore.DefaultWorkspace) && len(all) == 1 {
			return "", errs.New(errs.WorkspaceNotFound, "the vault has no workspace but default, which is meant only where it is named (workspaceId, --workspace)")
		}
		if len(all) == 0 {
			return "", errs.New(errs.WorkspaceNotFound, "the vault has no workspace yet; make one with workspace_init (arbor init)")
		}
		return "", errs.New(errs.WorkspaceNotFound, "no workspace is active, of %d in the archive; name one (workspaceId, --workspace), or restore one (workspace_restore)", len(all))
	}
	heads := view.Heads(active)
	const form = "%d workspaces are active%s; name one (workspaceId, --workspace), or bind the session to one " +
		"(session_bind; at the command line: arbor use)"
	return "", errs.New(errs.AmbiguousID, form, len(active), ": "+view.List(heads)).
		With(errs.Details{Param: "workspaceId", Candidates: heads, Head: fmt.Sprintf(form, len(active), "")})
}

// twinOf returns the id that all candidates of an error share, as after a copy: a longer prefix would not tell them
// apart.
func twinOf(err error) (mdstore.ID, bool) {
	e := errs.As(err)
	if e == nil || e.Code != errs.AmbiguousID || e.Details == nil || len(e.Details.Candidates) == 0 {
		return "", false
	}
	first := e.Details.Candidates[0].ID
	return mdstore.ID(first), !slices.ContainsFunc(e.Details.Candidates, func(c errs.Candidate) bool { return c.ID != first })
}

// lostBinding is the error of a call that names no workspace in a session whose workspace is gone.
func lostBinding(b sessions.Binding, all []*mdstore.Workspace) error {
	return errs.New(errs.WorkspaceNotFound, "session %s is bound to %s, which the vault does not have; bind it to another workspace (session_bind, arbor session bind), "+
		"end the binding (session_unbind, arbor session unbind), or name a workspace (workspaceId, --workspace)", b.SessionID, b.WorkspaceID).
		With(errs.Details{Param: "workspaceId", Candidates: view.Heads(all)})
}

// In returns the current workspace that ref names; "" is the default of the caller. The error is an *errs.Error with
// candidates.
func (env *Env) In(ctx context.Context, ref string) (*view.View, error) {
	id, err := env.workspace(ctx, ref)
	if err != nil {
		return nil, err
	}
	s, err := env.Engine.View(ctx, id)
	return s, fail(err)
}

// WithPages is In with pages, also outside of Read.
func (env *Env) WithPages(ctx context.Context, ref string) (*view.View, error) {
	id, err := env.workspace(ctx, ref)
	if err != nil {
		return nil, err
	}
	s, err := env.Engine.WithPages(ctx, id)
	return s, fail(err)
}

// At returns the workspace that ws names, as In does, and the id of the node in it that ref names. The error is an
// *errs.Error with candidates.
func (env *Env) At(ctx context.Context, ws, ref string) (*view.View, mdstore.ID, error) {
	s, err := env.In(ctx, ws)
	if err != nil {
		return nil, "", err
	}
	id, err := env.resolve(s, ref, "nodeId")
	return s, id, err
}

// reading is an operation that reads documents of nodes, which are loaded as it uses them.
func reading[I, O any](read func(context.Context, *Env, I) (*O, error)) func(context.Context, *Env, I) (*O, error) {
	return func(ctx context.Context, env *Env, in I) (out *O, err error) {
		err = env.Engine.Read(ctx, func(ctx context.Context) error {
			out, err = read(ctx, env, in)
			return err
		})
		return out, err
	}
}

// resolve returns the id of the node that ref names.
func (env *Env) resolve(s *view.View, ref, param string) (mdstore.ID, error) {
	if ref == "" {
		return "", badParam(param, "%s is missing; name a node", param)
	}
	switch {
	case env.Parts:
		id, err := s.Find(ref)
		return id, fail(err)
	case env.Loose:
		id, err := s.Resolve(ref)
		return id, fail(err)
	}
	n, err := s.Known(mdstore.ID(ref))
	if err != nil {
		return "", fail(err)
	}
	return n.ID, nil
}

// fields resolves what names a node in the fields of a call.
func (env *Env) fields(s *view.View, x *mdstore.Fields) error {
	return x.Resolve(func(f *mdstore.Field, name string) (mdstore.ID, error) { return env.resolve(s, name, f.Key) })
}

// progress reports how far the operation is.
func (env *Env) progress(done, total int, what string) {
	if env.Progress != nil {
		env.Progress(done, total, what)
	}
}

// path returns the path of a file of the vault on this machine, or in the vault where the folder is unknown; "" for no
// path.
func (env *Env) path(p mdstore.Path) string {
	if v := env.Engine.Vault(); v != "" && p != "" {
		return filepath.Join(v, filepath.FromSlash(string(p)))
	}
	return string(p)
}

// fail keeps a nil error nil, which a nil *errs.Error in an error would not be.
func fail(err error) error {
	if err == nil {
		return nil
	}
	return errs.As(err)
}
