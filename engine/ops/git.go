package ops

import (
	"context"
	"errors"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/memstore"
)

// repoOf returns the repository of git that the vault lies in.
func repoOf(ctx context.Context, env *Env) (*gitrepo.Repo, error) {
	if env.Engine.Vault() == "" {
		return nil, errs.New(errs.NoRepository, "this vault is in no folder, and in no git repository")
	}
	r, err := gitrepo.Open(ctx, env.Engine.Vault())
	if errors.Is(err, gitrepo.ErrNone) {
		return nil, errs.New(errs.NoRepository, "%s: %v; git init makes a repository", env.Engine.Vault(), err)
	}
	return r, fail(err)
}

// overTree returns a caller's environment over the files that the vault has in a commit or tree, whose full id is given. It has a
// store of its own in memory: nothing that is done in it reaches the vault.
func overTree(ctx context.Context, env *Env, r *gitrepo.Repo, id string) (*Env, *memstore.Store, error) {
	files, err := r.Files(ctx, id, func(p mdstore.Path) bool { return !p.Under(mdstore.LocalDir) })
	if err != nil {
		return nil, nil, fail(err)
	}
	for p := range files {
		if !p.Valid() {
			delete(files, p) // no vault of this machine could hold it
		}
	}
	st := memstore.New(files)
	e, err := engine.Open(ctx, st, engine.Options{Now: env.Engine.Now, Vault: env.Engine.Vault()})
	if err != nil {
		return nil, nil, fail(err)
	}
	other := *env
	other.Engine, other.Session, other.ReadOnly = e, "", true
	return &other, st, nil
}
