package ops

import (
	"context"
	"slices"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// ofOthers returns those of the workspaces that were created for an identifier other than the caller's, and that the
// caller is not bound to, with their folders. A call that names no workspace never means one of them.
func (env *Env) ofOthers(ctx context.Context, all []*mdstore.Workspace) map[mdstore.ID]mdstore.Path {
	out := map[mdstore.ID]mdstore.Path{}
	for _, w := range all {
		if w.Identifier != "" && w.Identifier != env.Where.Own {
			out[w.ID] = w.Dir
		}
	}
	if len(out) == 0 {
		return nil
	}
	for _, key := range env.keys() {
		if b, ok, err := env.Engine.Binding(ctx, key); err == nil && ok {
			delete(out, b.WorkspaceID)
		}
	}
	if env.Where.Dir != "" {
		if b, ok, err := env.Engine.BoundFolder(ctx, env.Where.Dir); err == nil && ok {
			delete(out, b.WorkspaceID)
		}
	}
	return out
}

// keys returns the keys of the caller's bindings. If the connection has an identifier, a session named only by the call
// is not among them.
func (env *Env) keys() (keys []string) {
	all := []string{env.Where.Own, env.Where.Identifier, env.Session, env.host}
	if env.apart() && env.host != "" {
		all[2] = ""
	}
	return slices.DeleteFunc(all, func(key string) bool { return key == "" })
}

// apart reports whether the caller sees no workspace of other identifiers.
func (env *Env) apart() bool { return env.Where.Own != "" && !env.Where.All }

// hidden returns the workspaces that the caller does not see: those of other identifiers, for a connection with an
// identifier.
func (env *Env) hidden(ctx context.Context) (map[mdstore.ID]mdstore.Path, error) {
	if !env.apart() {
		return nil, nil
	}
	all, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	return env.ofOthers(ctx, all), nil
}

// Workspaces returns the workspaces that the caller can see.
func (env *Env) Workspaces(ctx context.Context) ([]*mdstore.Workspace, error) {
	all, err := env.Engine.Workspaces(ctx)
	if err != nil || !env.apart() {
		return all, err
	}
	others := env.ofOthers(ctx, all)
	return slices.DeleteFunc(slices.Clone(all), func(w *mdstore.Workspace) bool { return others[w.ID] != "" }), nil
}

// ownKey returns an error for a key of bindings that leads to a workspace that the caller does not see.
func (env *Env) ownKey(ctx context.Context, key string) error {
	hidden, err := env.hidden(ctx)
	if err != nil || len(hidden) == 0 {
		return err
	}
	if b, ok, err := env.Engine.Binding(ctx, key); err == nil && ok && hidden[b.WorkspaceID] != "" {
		return errs.New(errs.SessionNotFound, "%s: a connection with an identifier uses its own sessions only, unless the "+
			"server was started with --all-identifiers", key).With(errs.Details{Param: "sessionId"})
	}
	return nil
}
