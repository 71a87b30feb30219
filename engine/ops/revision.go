package ops

import (
	"context"
	"fmt"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
)

// revision returns the full id of the commit that a person names.
func revision(ctx context.Context, r *gitrepo.Repo, text string) (string, error) {
	id, err := r.Rev(ctx, text)
	switch {
	case err == nil:
		return id, nil
	case ctx.Err() != nil:
		return "", fail(err)
	case text == "HEAD":
		return "", errs.New(errs.RevisionNotFound, "the repository has no commit yet; git add and git commit make one")
	case len(r.Shallow()) > 0:
		err = fmt.Errorf("%w; the clone is shallow: git fetch --unshallow brings what is older", err)
	}
	return "", errs.New(errs.RevisionNotFound, "%v", err)
}

// asOf makes an operation run over the vault as it was in the revision that its input names. Which workspace is meant
// is decided as today; bindings, claims and the session of the caller do not count there.
func asOf[I, O any](
	at func(*I) (rev string, ws *string), run func(context.Context, *Env, I) (*O, error),
) func(context.Context, *Env, I) (*O, error) {
	return func(ctx context.Context, env *Env, in I) (*O, error) {
		rev, ws := at(&in)
		if rev == "" {
			return run(ctx, env, in)
		}
		r, err := repoOf(ctx, env)
		if err != nil {
			return nil, err
		}
		id, err := revision(ctx, r, rev)
		if err != nil {
			return nil, err
		}
		if is, err := env.workspace(ctx, *ws); err == nil {
			*ws = string(is)
		}
		then, _, err := overTree(ctx, env, r, id)
		if err != nil {
			return nil, err
		}
		return run(ctx, then, in)
	}
}

// fileOf returns the file of a node, or of the workspace itself where ref is "".
func fileOf(ctx context.Context, env *Env, ws, ref string) (id mdstore.ID, f mdstore.File, err error) {
	s, err := env.In(ctx, ws)
	if err != nil {
		return "", f, err
	}
	id, p := s.Workspace().ID, s.Workspace().Path
	if ref != "" {
		if id, err = env.resolve(s, ref, "nodeId"); err != nil {
			return "", f, err
		}
		n, err := s.Known(id)
		if err != nil {
			return "", f, fail(err)
		}
		p = n.Path
	}
	f, err = engine.FileAt(ctx, env.Engine, p)
	return id, f, fail(err)
}
