package ops

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/merge"
)

// copyHint says how a copy is ended.
const copyHint = "arbor conflicts COPY shows both; with --ours it keeps the file, with --theirs the copy's text, " +
	"and --merge joins them; the copy goes to the trash"

// file returns the file that names the conflict: the copy, if it is about one.
func (c *conflict) file() mdstore.Path {
	if c.copied != "" {
		return c.copied
	}
	return c.path
}

// copies returns the conflicts between files and the copies of them that these diagnostics name, if
// both can be read.
func copies(ctx context.Context, env *Env, found []mdoc.Diagnostic) (all []*conflict) {
	for _, d := range found {
		if d.CopyOf == "" {
			continue
		}
		c := &conflict{path: mdstore.Path(d.CopyOf), copied: mdstore.Path(d.File)}
		now, err := env.Engine.RawFile(ctx, c.path)
		data, failed := env.Engine.RawFile(ctx, c.copied)
		if err != nil || failed != nil || data == nil {
			continue // it is gone by now, or check says why one of them is not read
		}
		c.now = now
		if c.sides.Ours, c.sides.Theirs = c.now, data; c.path.IsZipped() != c.copied.IsZipped() {
			if text, err := mdstore.TextOf(c.copied, data); err == nil {
				c.sides.Theirs = mdstore.Stored(c.path, text)
			}
		}
		if c.lines = c.now == nil; !c.lines {
			c.merged, err = merge.Merge(c.path, nil, c.sides.Ours, c.sides.Theirs, marks)
			c.lines = err != nil
		}
		all = append(all, c)
	}
	return all
}

// endCopy ends a copy as in says; without a side and without Merge it returns how the copy differs from its file.
func (c *conflict) endCopy(ctx context.Context, env *Env, in ResolveConflictIn) (*ResolveConflictOut, error) {
	out := &ResolveConflictOut{Path: env.path(c.path), Copy: env.path(c.copied)}
	if in.Edit || in.Ours && in.Theirs || in.Field != "" {
		return nil, badParam("target", "%s is a copy; "+copyHint, out.Copy)
	}
	if !in.Ours && !in.Theirs && !in.Merge {
		o := plan.Outcome{Files: []plan.FileChange{{Path: c.path, Old: c.sides.Ours, New: c.sides.Theirs}}}
		out.Wrote = env.wrote(ctx, "", &plan.Outcome{}, "")
		if out.Diff, out.Hint = o.Diff(), copyHint; bytes.Equal(c.sides.Ours, c.sides.Theirs) {
			out.Diff, out.Hint = "", "it equals "+out.Path+"; --ours moves it to the trash"
		}
		return out, nil
	}
	if c.path == mdstore.SessionsFile && !in.Ours {
		return nil, badParam("theirs", "%s is of this machine only; --ours moves the copy to the trash", out.Path)
	}
	data, err := c.joined(in)
	if err == nil {
		err = c.fits(data)
	}
	if err != nil {
		return nil, err
	}
	o, err := env.Engine.EndCopy(ctx, c.path, c.now, data, c.copied, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	out.Wrote = env.wrote(ctx, "", o, "undo takes it back")
	return out, nil
}

// joined returns what becomes of the file.
func (c *conflict) joined(in ResolveConflictIn) ([]byte, error) {
	side, whole := mdoc.Ours, c.sides.Ours
	if in.Theirs {
		side, whole = mdoc.Theirs, c.sides.Theirs
	}
	switch {
	case !in.Merge && whole == nil:
		return nil, errs.New(errs.NodeNotFound, "%s is not there; --theirs makes it of the copy %s", c.path, c.copied)
	case !in.Merge:
		return whole, nil
	case c.lines:
		return nil, badParam("merge", "%s and %s cannot be joined by what they mean; take --ours or --theirs",
			c.copied, c.path)
	case len(c.merged.Conflicts) == 0:
		return c.merged.Bytes, nil
	case in.Ours || in.Theirs:
		return side.Of(c.merged.Bytes), nil
	}
	var differ []string
	for _, x := range c.merged.Conflicts {
		differ = append(differ, cmp.Or(x.What, wholeText))
	}
	return nil, errs.New(errs.Merging, "%s and %s differ in %s; --merge --ours joins them and takes that from %[2]s, "+
		"--merge --theirs from the copy", c.copied, c.path, strings.Join(differ, ", ")).
		With(errs.Details{Paths: []string{string(c.copied)}})
}

// fits returns an error if data would damage the file, or give it another id.
func (c *conflict) fits(data []byte) error {
	kind := mdstore.AllKinds().Of(c.path)
	if kind == nil || bytes.Equal(data, c.sides.Ours) {
		return nil
	}
	id := func(data []byte) (string, error) {
		text, err := mdstore.TextOf(c.path, data)
		if err != nil {
			return "", err
		}
		d, _ := mdoc.Parse(string(c.path), text, kind.Form)
		f, _ := d.Field(mdstore.KeyID)
		return f.Value, d.Editable()
	}
	of, _ := id(c.sides.Ours)
	is, err := id(data)
	if err != nil {
		return errs.New(errs.FileUnreadable, "%s would be damaged by the copy %s: %v; --ours keeps it as it is",
			c.path, c.copied, err)
	}
	if of != "" && is != of {
		return badParam("theirs", "%s has the id %q, and %s has %q; --ours keeps that", c.copied, is, c.path, of)
	}
	return nil
}
