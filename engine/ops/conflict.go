package ops

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"arbor/engine/check"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/merge"
)

type ConflictsIn struct{}

type ConflictsOut struct {
	Files []ConflictFile `json:"files"`
	// copies of files that their names do not tell, and texts that git or another program took out of files
	Saves []mdoc.Diagnostic `json:"saves,omitempty"`
	Out
}

// A ConflictFile is a file whose merge git has left to people.
type ConflictFile struct {
	Path      string         `json:"path"`
	CopyOf    string         `json:"copyOf,omitempty"` // the file, ours, that a sync program made this copy of, theirs
	NodeID    string         `json:"nodeId,omitempty"`
	Title     string         `json:"title,omitempty"`
	Gone      string         `json:"deleted,omitempty"`   // the side that has deleted the file: ours or theirs
	Lines     bool           `json:"lines,omitempty"`     // it can only be merged line by line
	Settles   bool           `json:"settles,omitempty"`   // arbor check --fix ends it
	Conflicts []ConflictPart `json:"conflicts,omitempty"` // the conflicts for a person to decide
}

// A ConflictPart is a field or section that both sides changed differently.
type ConflictPart struct {
	What   string `json:"what"` // the key of the field, or the name of the section; "text" outside of both
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
	Base   string `json:"base"`
}

var conflictsOp = op("conflicts", reads|repeats, Conflicts, Help{
	Summary: "list merge conflicts and conflicting saves",
	Use:     "conflicts",
	Example: "arbor conflicts",
})

// Conflicts returns the files whose merge git has left to people, and what saves by other programs have left.
func Conflicts(ctx context.Context, env *Env, _ ConflictsIn) (*ConflictsOut, error) {
	_, all, views, found, err := conflictsOfVault(ctx, env)
	if err != nil {
		return nil, err
	}
	out := &ConflictsOut{Files: []ConflictFile{}}
	for _, d := range found {
		stray := d.Code == check.CodeStray && d.CopyOf == "" && strings.HasPrefix(d.Text, check.ConflictCopy)
		if stray || d.Code == check.CodeTakenOut {
			out.Saves = append(out.Saves, d)
		}
	}
	for _, c := range all {
		f := ConflictFile{Path: env.path(c.file()), Gone: c.gone(), Lines: c.lines && c.gone() == "", Settles: c.settles()}
		if out.Hint = cmp.Or(out.Hint, "arbor conflicts NODE --ours|--theirs|-e ends one"); c.copied != "" {
			f.CopyOf, out.Hint = env.path(c.path), copyHint
		}
		for _, v := range views {
			if n, ok := v.File(c.path); ok {
				f.NodeID, f.Title = string(n.ID), n.Title
			} else if w := v.Workspace(); w.Path == c.path {
				f.Title = w.Name
			}
		}
		for _, x := range c.merged.Conflicts {
			f.Conflicts = append(f.Conflicts, ConflictPart{cmp.Or(x.What, wholeText), x.Ours, x.Theirs, x.Base})
		}
		out.Files = append(out.Files, f)
	}
	if len(all)+len(out.Saves) == 0 {
		out.Hint = "nothing is in conflict"
	}
	return out, nil
}

// conflictsOfVault returns all conflicts, the views of the workspaces that they may be in, and what check finds there.
func conflictsOfVault(ctx context.Context, env *Env) (r *gitrepo.Repo, all []*conflict, views []*view.View, found []mdoc.Diagnostic, err error) {
	workspaces, err := env.Workspaces(ctx)
	if err != nil {
		return nil, nil, nil, nil, fail(err)
	}
	for _, w := range workspaces {
		if v, ds, err := env.Engine.Check(ctx, w.ID); err == nil { // two workspaces with one id cannot be checked
			views, found = append(views, v), append(found, ds...)
		}
	}
	beside, err := env.Engine.CheckVault(ctx)
	if err != nil {
		return nil, nil, nil, nil, fail(err)
	}
	found = append(found, beside.Diagnostics...)
	if r, all, err = conflicts(ctx, env, "", found); err == nil {
		all = append(all, copies(ctx, env, found)...)
	}
	return r, all, views, found, err
}

// A conflict is a file whose merge git has left to people: it is unmerged in git's index, or has conflict marks in it;
// or a file, ours, and a sync program's copy of it, theirs.
type conflict struct {
	path   mdstore.Path
	copied mdstore.Path      // the copy; "" if there is none
	stages *gitrepo.Unmerged // nil if the file only has marks
	sides  gitrepo.Sides     // those of the stages, or of the marks
	now    []byte            // the file; nil if it does not exist
	merged merge.Result      // the result of merge.Merge
	lines  bool              // Merge cannot merge the sides, or one of them has no such file
}

// marks are the names of the sides in conflict marks.
var marks = merge.Options{Ours: "ours", Theirs: "theirs"}

// conflicts returns the conflicts below a folder of the vault, "" for all: what git's index says, and the files that
// these diagnostics say have marks. The repository is nil if there is none.
func conflicts(
	ctx context.Context, env *Env, under mdstore.Path, found []mdoc.Diagnostic,
) (*gitrepo.Repo, []*conflict, error) {
	var all []*conflict
	r, err := repoOf(ctx, env)
	if err == nil {
		unmerged, err := gitrepo.UnmergedIn(ctx, r)
		if err != nil {
			return nil, nil, fail(err)
		}
		unmerged = slices.DeleteFunc(unmerged, func(u gitrepo.Unmerged) bool { return under != "" && !u.Path.Under(under) })
		sides, err := gitrepo.SidesOf(ctx, r, unmerged)
		if err != nil {
			return nil, nil, fail(err)
		}
		for i := range unmerged {
			all = append(all, &conflict{path: unmerged[i].Path, stages: &unmerged[i], sides: sides[i]})
		}
	} else if errs.As(err).Code != errs.NoRepository {
		return nil, nil, err
	}
	for _, d := range found {
		p := mdstore.Path(d.File)
		if d.Code == mdoc.CodeConflictMarkers && !slices.ContainsFunc(all, func(c *conflict) bool { return c.path == p }) {
			all = append(all, &conflict{path: p})
		}
	}
	for _, c := range all {
		if c.now, err = env.Engine.RawFile(ctx, c.path); err != nil {
			c.lines = true // a folder, or a link: git shows it
			continue
		}
		if s := &c.sides; c.stages == nil {
			s.Base, s.Ours, s.Theirs = mdoc.Base.Of(c.now), mdoc.Ours.Of(c.now), mdoc.Theirs.Of(c.now)
		}
		c.lines = c.sides.Ours == nil || c.sides.Theirs == nil || c.stages == nil && !merge.Marked(c.now)
		if !c.lines {
			c.merged, err = merge.Merge(c.path, c.sides.Base, c.sides.Ours, c.sides.Theirs, marks)
			c.lines = err != nil
		}
	}
	slices.SortFunc(all, func(a, b *conflict) int { return cmp.Compare(a.path, b.path) })
	return r, all, nil
}

// settles reports whether Arbor can end the conflict without a person.
func (c *conflict) settles() bool {
	return c.copied == "" && !c.lines && len(c.merged.Conflicts) == 0 && !c.edited()
}

// edited reports whether a person has edited the file since the merge. A file with marks counts as edited if a line of
// it is in no side; a file without marks, if it is neither a side nor the merged text.
func (c *conflict) edited() bool {
	if c.stages == nil {
		return false
	}
	known := [][]byte{nil, unix(c.sides.Base), unix(c.sides.Ours), unix(c.sides.Theirs), unix(c.merged.Bytes)}
	if now := unix(c.now); !merge.Marked(now) {
		return !slices.ContainsFunc(known, func(k []byte) bool { return bytes.Equal(k, now) })
	}
	lines := map[string]bool{}
	for _, k := range known {
		for line := range strings.Lines(string(k)) {
			lines[strings.TrimSuffix(line, "\n")] = true
		}
	}
	for _, side := range []mdoc.Side{mdoc.Ours, mdoc.Base, mdoc.Theirs} {
		for line := range strings.Lines(string(unix(side.Of(c.now)))) {
			if !lines[strings.TrimSuffix(line, "\n")] {
				return true
			}
		}
	}
	return false
}

// unix returns a text with LF line ends: git may have changed the line ends, so comparisons ignore them.
func unix(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// marked returns a text with marks around the conflicts. This is the file itself, and file is true, if git's index does
// not have the conflict, or if every mark in the file is about something that Merge leaves to people: then what they
// decided in the file stays. Otherwise it is the result of Merge.
func (c *conflict) marked() (text []byte, file bool) {
	of := c.names(c.now)
	if c.stages == nil || len(of) > 0 && !slices.Contains(of, "") {
		return c.now, true
	}
	return c.merged.Bytes, false
}

// names returns the key or section of each conflict with marks in a text; "" for one that Merge can resolve.
func (c *conflict) names(text []byte) []string {
	n := 0
	mdoc.Pick(text, func(int) mdoc.Side { n++; return mdoc.Ours })
	names := make([]string, n)
	for i := range names {
		one := func(side mdoc.Side) []byte {
			return mdoc.Pick(text, func(j int) mdoc.Side {
				if j == i {
					return side
				}
				return mdoc.Ours
			})
		}
		r, err := merge.Merge(c.path, one(mdoc.Base), one(mdoc.Ours), one(mdoc.Theirs), marks)
		if err != nil {
			names[i] = wholeText
		} else if len(r.Conflicts) > 0 {
			names[i] = cmp.Or(r.Conflicts[0].What, wholeText)
		}
	}
	return names
}

// wholeText names a conflict that is in no field and no section.
const wholeText = "text"

// gone returns the side that has no such file, "" if both have it.
func (c *conflict) gone() string {
	switch {
	case c.stages == nil:
	case c.sides.Ours == nil:
		return "ours"
	case c.sides.Theirs == nil:
		return "theirs"
	}
	return ""
}

// bring writes data as the content of the file; nil deletes the file. If git's index has several versions of it, bring
// writes through git, because the store takes no writes in the middle of a merge. If data has no mark left, git then
// counts the conflict as resolved.
func (c *conflict) bring(ctx context.Context, env *Env, r *gitrepo.Repo, data []byte, dry bool) (*plan.Outcome, error) {
	if c.stages == nil {
		return env.Engine.EditFile(ctx, c.path, plan.Act{DryRun: dry}, func(now []byte) ([]byte, error) {
			if !bytes.Equal(now, c.now) {
				return nil, errs.New(errs.Conflicting, "%s: somebody saved it meanwhile; nothing was changed: try again", c.path)
			}
			return data, nil
		})
	}
	o := c.outcome(data, dry)
	var err error
	switch {
	case dry:
	case merge.Marked(data):
		err = gitrepo.Write(r, c.path, data)
	default:
		err = gitrepo.Resolve(ctx, r, *c.stages, data)
	}
	env.Engine.Live().Stale()
	if failed, ok := errors.AsType[*gitrepo.Error](err); ok {
		return nil, errs.New(errs.Conflicting, "%s: %v; if no git is running any more, try again", c.path, failed)
	}
	return o, fail(err)
}

// outcome returns the outcome of giving the file these bytes; nil is no file.
func (c *conflict) outcome(data []byte, dry bool) *plan.Outcome {
	f := plan.FileChange{Path: c.path, Old: c.now, New: data}
	if data != nil {
		f.Version = mdstore.VersionOf(data)
	}
	return &plan.Outcome{DryRun: dry, Files: []plan.FileChange{f}}
}
