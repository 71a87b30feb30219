package ops

import (
	"context"
	"path/filepath"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
)

// GitInstallIn puts the merge driver into git's configuration, or takes it out.
type GitInstallIn struct {
	Program string `json:"-"` // the absolute path of arbor
	Write
}

// GitInstallOut says what was written.
type GitInstallOut struct{ Wrote }

var gitInstall = op("git_install", writes|repeats|byGit, GitInstall, Help{
	Summary: "let git merge the vault's files by what they mean",
	Use:     "git install",
	Text: `Writes .gitattributes in the vault, which you commit, and the merge driver into
the configuration of this clone (.git/config), where it counts for all of its
working trees. Every clone needs that once: configuration is not cloned. git
merge, rebase, cherry-pick, revert and stash run the driver then for each file
that both sides changed. It shows the diff of both files; arbor git uninstall
takes both out again.`,
	Example: "arbor git install --dry-run\narbor git install",
})

var gitUninstall = op("git_uninstall", writes|repeats|byGit, GitUninstall, Help{
	Summary: "let git merge the vault's files as lines again",
	Use:     "git uninstall",
	Text: `Takes Arbor's lines out of .gitattributes, and the merge driver out of the
configuration of this clone, for all vaults in it.`,
	Example: "arbor git uninstall",
})

// GitInstall makes Arbor the merge driver of the vault's files in this clone.
func GitInstall(ctx context.Context, env *Env, in GitInstallIn) (*GitInstallOut, error) {
	out, err := setDriver(ctx, env, gitrepo.DriverCommand(in.Program), in.Write)
	if err == nil && gitrepo.Passing(in.Program) {
		out.Warned = append(out.Warned,
			in.Program+" lies in a folder for temporary files; run arbor git install again once it is in its place")
	}
	return out, err
}

// GitUninstall takes the merge driver out.
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
	o, err := engine.EditFile(ctx, env.Engine, gitrepo.AttributesFile, env.act(w, Match{}), edit)
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
	hint := "commit " + gitrepo.AttributesFile + " of the vault; each clone runs arbor git install once"
	if command == "" {
		hint = "git merges the vault's files as lines from now on"
	}
	out := &GitInstallOut{env.wrote(ctx, "", o, hint)}
	out.Diff = o.Diff()
	return out, nil
}

// DriverHint says how git would merge the vault's files by what they mean, "" where it does already, or where there is
// no git.
func DriverHint(ctx context.Context, env *Env, _ struct{}) (*string, error) {
	hint := ""
	if r, err := repoOf(ctx, env); err == nil && r.Driver == "" && !gitrepo.Ignored(ctx, r) {
		hint = "git merges these files as lines; arbor git install lets it merge them by what they mean"
	}
	return &hint, nil
}
