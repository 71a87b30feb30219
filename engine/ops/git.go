package ops

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/internal/gitsync"
	"arbor/engine/internal/people"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/memstore"
)

// repoOf returns the git repository that the vault lies in. The error is NO_REPOSITORY if there is none.
func repoOf(ctx context.Context, env *Env) (*gitrepo.Repo, error) {
	if env.Engine.Vault() == "" {
		return nil, errs.New(errs.NoRepository, "this vault is in no folder, and in no git repository")
	}
	r, err := gitrepo.Open(ctx, env.Engine.Vault())
	if errors.Is(err, gitrepo.ErrNone) {
		return nil, errs.New(errs.NoRepository, "%s: %v; git init makes a repository",
			env.shown(ctx, env.Engine.Vault(), "the vault"), err)
	}
	return r, fail(err)
}

// shown returns the path of a folder of this machine for a message. Persons on a server get another word for it.
func (env *Env) shown(ctx context.Context, folder, word string) string {
	if env.Who != nil || people.From(ctx) != nil || folder == "" {
		return word
	}
	return folder
}

// overTree returns a copy of env over the files that the vault has in the commit or tree with this full id, and its
// store. The store is in memory: nothing that is done in it reaches the vault.
func overTree(ctx context.Context, env *Env, r *gitrepo.Repo, id string) (*Env, *memstore.Store, error) {
	files, err := r.Files(ctx, id, func(p mdstore.Path) bool { return !p.Under(mdstore.LocalDir) })
	if err != nil {
		return nil, nil, fail(err)
	}
	for p := range files {
		if !p.Valid() {
			delete(files, p) // no vault could hold this path
		}
	}
	st := memstore.New(files)
	e, err := engine.Open(ctx, st, engine.Options{Now: env.Engine.Now, Vault: env.Engine.Vault()})
	if err != nil {
		return nil, nil, fail(err)
	}
	other := *env
	other.Engine, other.Session, other.May = e, "", MayLook
	return &other, st, nil
}

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

// asOf makes an operation run over the vault in the revision that its input names. The present vault decides which
// workspace the call means; bindings, claims and the caller's session do not count in the old one.
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

// fileOf returns the id and the file of a node, or of the workspace itself if ref is "".
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
	f, err = env.Engine.FileAt(ctx, p)
	return id, f, fail(err)
}

type SyncIn struct {
	Message  string `json:"message,omitempty" flag:"message,m" help:"the commit MESSAGE; default: what changed in the plan"`
	PushAll  bool   `json:"pushAll,omitempty" help:"also push commits that change files outside the vault"`
	Force    bool   `json:"force,omitempty" help:"sync files even if they became unreadable since the last sync"`
	NoPush   bool   `json:"noPush,omitempty" help:"commit and merge, but do not push"`
	Continue bool   `json:"continue,omitempty" help:"finish a sync after its conflicts are resolved"`
	Abort    bool   `json:"abort,omitempty" help:"cancel a sync that stopped at a conflict"`
	Write
}

type SyncOut struct {
	Message string   `json:"message,omitempty"` // the commit's message; "" if nothing was committed
	CameIn  string   `json:"cameIn,omitempty"`  // one line about the upstream's new commits; "" for none
	Notes   []string `json:"notes,omitempty"`   // decisions of the merge and its repairs
	Pushed  int      `json:"pushed,omitempty"`  // commits
	Wrote
}

var syncOp = op("sync", writes|byGit, Sync, Help{
	Summary: "commit the vault, merge others' work, and push",
	Use:     "sync",
	Text: `Commits the changed files of the vault and nothing else, fetches the branch's
upstream, merges each file by fields and sections, repairs what follows from the
merge (the status of a parent, a node whose parent was deleted), and pushes.
Files staged elsewhere stay staged. Files outside the vault change only if the
upstream changed them and you did not. If a person must decide, it stops with
exit code 4, as git merge does: arbor conflicts lists the conflicts, then run
sync --continue or sync --abort. It also stops if a file of the vault became
unreadable since the last sync; --force syncs it as it is. No hooks, filters or
drivers of the repository run, and commits are not signed. Needs git 2.38 or
newer.`,
	Example: `arbor sync
arbor sync -m "plan the release" --no-push
arbor sync --continue`,
})

// Sync commits the vault, merges the upstream into it and pushes.
func Sync(ctx context.Context, env *Env, in SyncIn) (*SyncOut, error) {
	r, err := repoOf(ctx, env)
	if err != nil {
		return nil, err
	}
	did, err := gitsync.Sync(ctx, env.Engine, r, gitsync.Options{
		Message: in.Message, PushAll: in.PushAll, Force: in.Force, NoPush: in.NoPush,
		Continue: in.Continue, Abort: in.Abort, DryRun: in.DryRun,
	})
	if err != nil {
		return nil, fail(err)
	}
	w := Wrote{Success: true, DryRun: in.DryRun, Changed: did.Changed}
	w.Hint = did.Hint
	return &SyncOut{Message: did.Message, CameIn: did.CameIn, Notes: did.Notes, Pushed: did.Pushed, Wrote: w}, nil
}

type GitInstallIn struct {
	Program string `json:"-"` // the absolute path of arbor
	Write
}

type GitInstallOut struct{ Wrote }

var gitInstall = op("git_install", writes|repeats|byGit, GitInstall, Help{
	Summary: "install the git merge driver for the vault's files",
	Use:     "admin git install",
	Text: `Writes .gitattributes in the vault, which you commit, and the merge driver into
this clone's .git/config, which all its working trees share. Configuration is
not cloned, so every clone needs this once. git merge, rebase, cherry-pick,
revert and stash then use the driver for each file that both sides changed. The
diff of both files is shown; arbor admin git uninstall reverts them.`,
	Example: "arbor admin git install --dry-run\narbor admin git install",
})

var gitUninstall = op("git_uninstall", writes|repeats|byGit, GitUninstall, Help{
	Summary: "uninstall the git merge driver",
	Use:     "admin git uninstall",
	Text: `Removes Arbor's lines from .gitattributes, and the merge driver from this
clone's configuration, for all vaults in it.`,
	Example: "arbor admin git uninstall",
})

// GitInstall makes Arbor the merge driver of the vault's files in this clone.
func GitInstall(ctx context.Context, env *Env, in GitInstallIn) (*GitInstallOut, error) {
	out, err := setDriver(ctx, env, gitrepo.DriverCommand(in.Program), in.Write)
	if err == nil && gitrepo.Passing(in.Program) {
		out.Warned = append(out.Warned,
			in.Program+" lies in a folder for temporary files; run arbor admin git install again once it is in its place")
	}
	return out, err
}

// GitUninstall removes the merge driver from .gitattributes and from the configuration of this clone.
func GitUninstall(ctx context.Context, env *Env, in GitInstallIn) (*GitInstallOut, error) {
	return setDriver(ctx, env, "", in.Write)
}

func setDriver(ctx context.Context, env *Env, command string, w Write) (*GitInstallOut, error) {
	r, err := repoOf(ctx, env)
	if err != nil {
		return nil, err
	}
	if command != "" && gitrepo.Ignored(ctx, r) {
		return nil, errs.New(errs.InvalidPath, "git ignores %s, so it merges nothing in it; "+
			"take it out of .gitignore or .git/info/exclude first", env.Engine.Vault())
	}
	edit := func(src []byte) ([]byte, error) {
		return gitrepo.Attributes(src, command != ""), nil
	}
	o, err := env.Engine.EditFile(ctx, gitrepo.AttributesFile, env.act(w, Match{}), edit)
	if err != nil {
		return nil, fail(err)
	}
	was, is, err := gitrepo.SetDriver(ctx, r, command, w.DryRun)
	if err != nil {
		return nil, errs.New(errs.DiskError, "%s: %v", gitrepo.ConfigFile(r), err)
	}
	if string(was) != string(is) {
		name, err := filepath.Rel(env.Engine.Vault(), gitrepo.ConfigFile(r))
		if err != nil {
			name = gitrepo.ConfigFile(r)
		}
		p := mdstore.Path(filepath.ToSlash(name))
		o.Files = append(o.Files, plan.FileChange{Path: p, Version: mdstore.VersionOf(is), Old: was, New: is})
	}
	hint := "commit " + gitrepo.AttributesFile + " of the vault; each clone runs arbor admin git install once"
	if command == "" {
		hint = "git merges the vault's files as lines from now on"
	}
	out := &GitInstallOut{env.wrote(ctx, "", o, hint)}
	out.Diff = o.Diff()
	return out, nil
}

// DriverHint says how to make git merge the vault's files by their meaning; "" if it does so already, or there is no
// git.
func DriverHint(ctx context.Context, env *Env, _ struct{}) (*string, error) {
	hint := ""
	if r, err := repoOf(ctx, env); err == nil && r.Driver == "" && !gitrepo.Ignored(ctx, r) {
		hint = "git merges these files as lines; arbor admin git install lets it merge them by what they mean"
	}
	return &hint, nil
}
