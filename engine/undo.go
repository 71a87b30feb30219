package engine

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/check"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// MostUndone is how many operations back undo reaches.
const MostUndone = 100

// A Deed is an operation in the list of those that can be undone.
type Deed struct {
	mdstore.Operation
	Undone bool // an undo took it back, and was not undone itself
}

// Deeds returns the last operations of this machine that changed files of the vault, the newest first.
func (e *Engine) Deeds(ctx context.Context) (all []Deed, err error) {
	st, ok := mdstore.AsStore[mdstore.Operations](e.st)
	if !ok {
		return nil, nil
	}
	ops, err := st.Operations(ctx, 2*MostUndone) // more than MostUndone: some changed only bindings
	undone := map[string]bool{}
	for _, op := range ops {
		if op.Undoes != "" && !undone[op.ID] {
			undone[op.Undoes] = true
		}
		if plan.Undoable(op) && len(all) < MostUndone {
			all = append(all, Deed{op, undone[op.ID]})
		}
	}
	return all, err
}

// fewNewest is how many operations a caller that has just made one looks at.
const fewNewest = 8

// Undoable returns the id of the operation that began at a time, if it is one of the newest and undo can take it back.
func (e *Engine) Undoable(ctx context.Context, began int64) (id string, ok bool) {
	st, ok := mdstore.AsStore[mdstore.Operations](e.st)
	if !ok {
		return "", false
	}
	newest, err := st.Operations(ctx, fewNewest)
	i := slices.IndexFunc(newest, func(op mdstore.Operation) bool { return op.Began == began })
	if err != nil || i < 0 || newest[i].Large || !plan.Undoable(newest[i]) {
		return "", false
	}
	return newest[i].ID, true
}

// DeedOf returns the operation of a list that ref names: its number in the list or its id; with "" the newest that is
// neither an undo nor undone.
func DeedOf(all []Deed, ref string) (Deed, error) {
	n, bad := strconv.Atoi(ref)
	i := slices.IndexFunc(all, func(d Deed) bool { return d.ID == ref || ref == "" && !d.Undone && d.Undoes == "" })
	switch {
	case i < 0 && bad == nil && 0 < n && n <= len(all):
		i = n - 1
	case i < 0 && ref == "":
		return Deed{}, errs.New(errs.NothingToUndo,
			"nothing to undo: the record of this machine has no operation on this vault that is not undone")
	case i < 0:
		return Deed{}, errs.New(errs.NothingToUndo,
			"%s: no operation has this number or id; arbor undo --list names the last %d", ref, len(all))
	}
	switch d := all[i]; {
	case d.Large && d.Trash != "":
		return d, errs.New(errs.CannotUndo, "%s: it was too large to be recorded; what it replaced lies in %s", d.Text, d.Trash)
	case d.Large:
		return d, errs.New(errs.CannotUndo, "%s: it was too large to be recorded", d.Text)
	case d.Undone:
		by := slices.IndexFunc(all, func(u Deed) bool { return u.Undoes == d.ID && !u.Undone })
		return d, errs.New(errs.CannotUndo, "%s: it is undone already; arbor undo %d does it again", d.Text, by+1)
	default:
		return d, nil
	}
}

// Undo takes an operation back, as an operation of its own: see plan.Undo. With again it does the operation once more,
// after git or another program took out what the operation wrote: see plan.Undo.Again. The error is CANNOT_UNDO if
// check would then find something that it does not find now.
func (e *Engine) Undo(ctx context.Context, ref string, again bool, act plan.Act) (d Deed, u *plan.Undone, err error) {
	do := func(tx mdstore.Tx) error {
		all, err := e.Deeds(ctx)
		if err == nil {
			d, err = DeedOf(all, ref)
		}
		if err != nil {
			return err
		}
		x := plan.Undo{Operation: d.Operation, Trash: mdstore.TrashPath(mdstore.TrashStamp(e.opt.Now(), "undo"), "")}
		x.Read = func(p mdstore.Path) (mdstore.File, error) { return e.st.Read(ctx, p) }
		x.Under = func(p mdstore.Path) ([]mdstore.Path, error) { return under(ctx, e.st, p) }
		if again {
			u, err = x.Again(e.opt.Now().UnixMilli())
		} else {
			u, err = x.Plan()
		}
		if err == nil {
			err = e.sound(ctx, d, u)
		}
		if err == nil && !act.Person {
			var was []mdstore.File
			for _, f := range u.Files {
				if now, gone := e.st.Read(ctx, f.Path); gone == nil {
					was = append(was, now)
				}
			}
			err = plan.VerifyKept(was, u.Files)
		}
		if err != nil || len(u.Changes) == 0 {
			return err
		}
		if u.Outcome.DryRun = act.DryRun; act.DryRun {
			return writable(ctx, e.st, u.Changes)
		}
		text := "undo: " + strings.TrimPrefix(d.Text, "redo: ")
		if before, undo := strings.CutPrefix(d.Text, "undo: "); undo && d.Undoes != "" {
			text = "redo: " + before
		}
		made := &mdstore.Operation{Name: "undo", Text: text, Session: act.Session, Operator: act.By(), Who: act.Who,
			Undoes: d.ID}
		if again {
			made.Text, made.Undoes = "again: "+d.Text, ""
		}
		res, err := tx.Commit(mdstore.WithOperation(ctx, made), u.Changes)
		u.Outcome.Collisions = res.Collisions
		return err
	}
	if act.DryRun {
		return d, u, do(nil)
	}
	if err = e.st.Update(ctx, do); err == nil {
		u.Outcome.Collisions = slices.Concat(e.live.Told(), u.Outcome.Collisions)
		err = unmade(&u.Outcome)
	}
	return d, u, err
}

// under returns the known files in a folder of a workspace, or the file itself if p is a file. The workspace may lie in
// the trash.
func under(ctx context.Context, st mdstore.Store, p mdstore.Path) (all []mdstore.Path, err error) {
	if _, err := st.Read(ctx, p); err == nil {
		return []mdstore.Path{p}, nil
	}
	trash, rest := mdstore.Path(""), p
	if below, in := strings.CutPrefix(string(p), mdstore.TrashDir+"/"); in {
		stamp, path, _ := strings.Cut(below, "/")
		trash, rest = mdstore.TrashPath(stamp, ""), mdstore.Path(path)
	}
	for f, err := range st.List(ctx, trash.Join(string(mdstore.WorkspaceDir(rest)))) {
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case err == nil && f.Path.Under(p):
			all = append(all, f.Path)
		}
	}
	return all, nil
}

// sound returns CANNOT_UNDO if the undo of an operation would make something wrong that is right now, unless it was
// wrong before the operation, too.
func (e *Engine) sound(ctx context.Context, d Deed, u *plan.Undone) error {
	all, err := e.Workspaces(ctx)
	if err != nil {
		return err
	}
	here := map[mdstore.Path]mdstore.ID{} // the workspaces by their folders
	for _, w := range all {
		here[w.Dir] = w.ID
	}
	concerned := map[mdstore.Path][]mdstore.File{}
	for _, f := range u.Files {
		if dir := mdstore.WorkspaceDir(f.Path); here[dir] != "" && mdstore.AllKinds().Of(f.Path) != nil {
			concerned[dir] = append(concerned[dir], f)
		}
	}
	for dir, files := range concerned {
		if len(concerned) == 1 {
			u.Workspace = here[dir]
		}
		gone := func(f mdstore.File) bool { return f.Path == mdstore.WorkspacePath(dir) && f.Version.IsZero() }
		if slices.ContainsFunc(files, gone) {
			delete(here, dir)
			continue
		}
		var worse []mdoc.Diagnostic
		_, err := e.live.Plan(ctx, here[dir], func(v *view.View) error {
			if worse = check.Diagnostics(check.View(v.With(files...), e.Off()...)); len(worse) == 0 {
				return nil
			}
			was := check.Diagnostics(check.View(v, e.Off()...))
			worse = slices.DeleteFunc(worse, func(f mdoc.Diagnostic) bool {
				return slices.ContainsFunc(was, func(o mdoc.Diagnostic) bool {
					return o.File == f.File && o.Code == f.Code && o.Text == f.Text
				})
			})
			return nil
		})
		if err != nil {
			return err
		}
		if len(worse) > 0 && (u.Merged || touched(ctx, e.st, dir, d.Began, files)) {
			return cannot(d, mdstore.Path(worse[0].File), "would be wrong then: "+worse[0].Code+": "+worse[0].Text)
		}
	}
	for _, f := range u.Files {
		if mdstore.AllKinds().Of(f.Path) != mdstore.WorkspaceKind || f.Version.IsZero() {
			continue
		}
		back := mdstore.ParseWorkspace(f)
		for dir, id := range here {
			if id == back.ID && dir != back.Dir {
				return cannot(d, dir, "has the id "+string(id)+" by now")
			}
		}
		here[back.Dir] = back.ID
	}
	for _, f := range u.Files {
		dir, kind := mdstore.WorkspaceDir(f.Path), mdstore.AllKinds().Of(f.Path)
		if kind != nil && !kind.Place.Vault && !f.Version.IsZero() && here[dir] == "" {
			return cannot(d, dir, "is no workspace any more: it was moved or deleted since")
		}
	}
	return nil
}

// cannot returns the error for an operation that cannot be undone because of a later change at p. why goes on from the
// path: "is no workspace any more".
func cannot(d Deed, p mdstore.Path, why string) error {
	return errs.New(errs.CannotUndo, "%s: %s %s; nothing was changed: undo first what came since (undo with {.list}), "+
		"or change it by hand", d.Text, p, why).With(errs.Details{Paths: []string{string(p)}})
}

// touched reports whether any file of a workspace, except the files in but, may have changed since a time in Unix
// nanoseconds.
func touched(ctx context.Context, st mdstore.Store, dir mdstore.Path, since int64, but []mdstore.File) bool {
	for f, err := range st.List(ctx, dir) {
		own := slices.ContainsFunc(but, func(b mdstore.File) bool { return b.Path == f.Path })
		if !own && (f.Stamp.Mtime > since || err != nil && !errors.Is(err, fs.ErrNotExist)) {
			return true
		}
	}
	return false
}

// entitle replaces the references to nodes in the current operation's text by the nodes' titles.
func entitle(ctx context.Context, v *view.View) {
	op := mdstore.OperationOf(ctx)
	if op == nil {
		return
	}
	for _, ref := range op.Refs {
		if id, err := v.Resolve(ref); err == nil {
			n, _ := v.Node(id)
			op.Text = strings.Replace(op.Text, ref, n.Title, 1)
		}
	}
	op.Refs = nil
}
