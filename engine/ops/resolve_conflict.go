package ops

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/merge"
)

type ResolveConflictIn struct {
	Target string `json:"target" req:"true" arg:"NODE" help:"a node or workspace, or the path of a file or copy"`
	Ours   bool   `json:"ours,omitempty" help:"our side of what is in conflict"`
	Theirs bool   `json:"theirs,omitempty" help:"their side"`
	Edit   bool   `json:"-"` // take the file as a person has edited it
	Field  string `json:"field,omitempty" help:"only this field or section, by its NAME in arbor conflicts"`
	Merge  bool   `json:"merge,omitempty" help:"of a copy: join both; with a side, it wins where both differ"`
	Write
}

type ResolveConflictOut struct {
	Path string   `json:"path"`
	Copy string   `json:"copy,omitempty"` // the copy of Path, by a sync program, that this is about
	Left []string `json:"left,omitempty"` // the fields and sections that are still in conflict
	Wrote
}

var resolveConflict = op("resolve_conflict", writes, ResolveConflict, Help{
	Summary: "list merge conflicts, or resolve one",
	Use:     "conflicts [NODE]",
	Text: `Without NODE it lists the conflicts: for each file, the fields and sections that
both sides changed differently, with both texts and the text before; or that one
side deleted the file and the other changed it. Ours is the branch that was
checked out when the merge began; in a rebase, it is the branch you rebase onto.
It also lists texts that git or another program removed within the last day
(TAKEN_OUT), with the command that writes them again, and copies that Dropbox,
OneDrive, Syncthing and others made beside a file: ours is the file, theirs the
copy. With the path of a copy it shows both as a diff. --ours keeps the file,
--theirs puts the copy's text into it, --merge joins both, and refuses that where
they differ unless a side is given, too. The copy goes to the trash.

With NODE it resolves that conflict. Changes that do not contradict each other
stay; only the conflicting parts take the chosen side. NODE may also be a
workspace or the path of a file. With -e the file opens in your editor, with
conflict markers; it is accepted once no marker is left. If git's index has the
conflict, the file is staged: finish with git commit or git rebase --continue.
This also works in the middle of a merge.`,
	Example: `arbor conflicts
arbor conflicts "Sign-in endpoint" --theirs
arbor conflicts "Sign-in endpoint" --field Conclusion --ours
arbor conflicts "Sign-in endpoint" -e
arbor conflicts "plan/ws-login/memory/decisions (1).md" --merge`,
})

// ResolveConflict ends a conflict, or only the part of it that Field names.
func ResolveConflict(ctx context.Context, env *Env, in ResolveConflictIn) (*ResolveConflictOut, error) {
	r, c, err := findConflict(ctx, env, in.Target)
	if err != nil {
		return nil, err
	}
	if c.copied != "" {
		return c.endCopy(ctx, env, in)
	}
	if in.Ours == in.Theirs && !in.Edit || in.Edit && (in.Ours || in.Theirs || in.Field != "") || in.Merge {
		return nil, badParam("ours", "say which side it takes: --ours, --theirs, or -e to edit it; --field goes "+
			"with a side, and --merge is for copies")
	}
	out := &ResolveConflictOut{Path: env.path(c.path)}
	var data []byte
	switch {
	case !in.Edit:
		if data, err = c.take(in); err != nil {
			return nil, err
		}
	case c.now != nil && merge.Marked(c.now):
		return nil, errs.New(errs.Merging, "%s: it still has marks of a conflict (%s); remove them, or take --ours or --theirs",
			c.path, strings.Join(c.left(c.now), ", ")).With(errs.Details{Paths: []string{string(c.path)}})
	default:
		data = c.now
	}
	var o *plan.Outcome
	if in.Edit && data != nil && c.stages != nil {
		o = c.outcome(data, in.DryRun)
		if !in.DryRun {
			err = r.Stage(ctx, []string{r.InRepo(c.path)})
		}
	} else {
		o, err = c.bring(ctx, env, r, data, in.DryRun)
	}
	if err != nil {
		return nil, fail(err)
	}
	out.Left = c.left(data)
	hint := ""
	if c.stages != nil {
		hint = "git has it in its index"
		if _, waits := r.Waiting(); waits {
			hint += "; when arbor conflicts lists nothing more, arbor sync --continue ends the merge"
		} else if amid := r.Amid(); amid != "" {
			hint += "; when arbor conflicts lists nothing more, git " + amid + " --continue ends the " + amid
		}
	}
	if len(out.Left) > 0 {
		hint = "still in conflict: " + strings.Join(out.Left, ", ")
	}
	out.Wrote = env.wrote(ctx, "", o, hint)
	return out, nil
}

// take returns the file with one side of each conflict; nil means that this side deleted the file.
func (c *conflict) take(in ResolveConflictIn) ([]byte, error) {
	side, whole := mdoc.Ours, c.sides.Ours
	if in.Theirs {
		side, whole = mdoc.Theirs, c.sides.Theirs
	}
	if c.lines && in.Field != "" {
		return nil, errs.New(errs.InvalidParams, "%s: only the whole file can take a side; leave out --field", c.path)
	}
	base, file := c.marked()
	if (c.lines || !file) && c.edited() && c.gone() == "" {
		return nil, errs.New(errs.Merging, "%s: it was edited since the merge, and would lose that; -e takes it as it is, "+
			"or git checkout -m -- FILE makes it anew", c.path)
	}
	if c.lines {
		return whole, nil
	}
	names := c.names(base)
	if in.Field != "" && !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, in.Field) }) {
		return nil, errs.New(errs.InvalidParams, "%s: %q is not in conflict; what is: %s",
			c.path, in.Field, strings.Join(c.left(base), ", "))
	}
	return mdoc.Pick(base, func(i int) mdoc.Side {
		if in.Field == "" || strings.EqualFold(names[i], in.Field) {
			return side
		}
		return mdoc.Undecided
	}), nil
}

// left returns the names of the conflicts in a text with marks, each once.
func (c *conflict) left(text []byte) (names []string) {
	for _, n := range c.names(text) {
		if n == "" {
			n = wholeText
		}
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// MarkConflict writes the file of a conflict with marks around only what people must decide, for a person to edit, and
// returns its path. It does not write a file that has exactly these marks, that was edited, or that cannot be merged.
func MarkConflict(ctx context.Context, env *Env, target string) (path string, err error) {
	r, c, err := findConflict(ctx, env, target)
	if err != nil {
		return "", err
	}
	if c.copied != "" {
		return "", badParam("target", "%s is a copy; "+copyHint, c.copied)
	}
	if data, file := c.marked(); !c.lines && !file && !c.edited() {
		if err := gitrepo.Write(r, c.path, data); err != nil {
			return "", fail(err)
		}
	}
	return string(c.path), nil
}

// findConflict returns the conflict that a person names: by a node or workspace, or by a path, relative to the vault or
// to the folder that the command runs in.
func findConflict(ctx context.Context, env *Env, target string) (*gitrepo.Repo, *conflict, error) {
	r, all, views, _, err := conflictsOfVault(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	full := target
	if !filepath.IsAbs(full) {
		full = filepath.Join(filepath.FromSlash(env.Where.Dir), target)
	}
	var paths []string
	at := map[mdstore.Path]*conflict{}
	for _, c := range all {
		p := c.file()
		named := []string{string(p), env.path(p), p.Dir().Base()}
		if c.copied != "" {
			named = named[:2] // the folder means the node
		} else {
			at[p] = c
		}
		if full == env.place(p) || slices.Contains(named, target) {
			return r, c, nil
		}
		paths = append(paths, string(p))
	}
	for _, v := range views {
		w := v.Workspace()
		id, err := v.Resolve(target)
		n, ok := v.Node(id)
		_, named := view.ResolveWorkspace([]*mdstore.Workspace{w}, target, true, false)
		switch {
		case err == nil && ok && at[n.Path] != nil:
			return r, at[n.Path], nil
		case named == nil && at[w.Path] != nil:
			return r, at[w.Path], nil
		}
	}
	if len(paths) == 0 {
		return nil, nil, errs.New(errs.NodeNotFound, "%s: nothing in the vault is in conflict", target)
	}
	list := strings.Join(paths, ", ")
	return nil, nil, errs.New(errs.NodeNotFound, "%s: not in conflict; these files are: %s", target, list).
		With(errs.Details{Paths: paths})
}
