package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/fold"
)

// deletedDir is the folder in .local/ with a note of each deletion. A note without its nodes in the trash is removed.
const deletedDir = mdstore.Path("deleted")

// noteDeleted returns the changes that write the notes of deletions. A note that would be too large is not written: a
// person can move the folders back by hand.
func noteDeleted(d *plan.Draft) (notes []mdstore.Change) {
	for _, x := range d.Deleted {
		data, err := json.Marshal(x)
		if err != nil || len(data) > mdstore.MaxFileSize {
			continue
		}
		name := mdstore.Path(mdstore.LocalDir).Join(string(deletedDir), x.Trash.Dir().Base()+".json")
		notes = append(notes, mdstore.Change{Path: name, New: data})
	}
	return notes
}

// Deleted returns the operation that restores the last deletion that ref names. ref is the id of the topmost deleted
// node, its title, the beginning of the id, or the last six characters of the id. The error is NODE_NOT_FOUND and lists
// deletions that are in the trash.
func (e *Engine) Deleted(ctx context.Context, ws mdstore.ID, ref string) (plan.Restore, error) {
	all, err := e.Trash(ctx, ws)
	if err != nil {
		return plan.Restore{}, err
	}
	low := fold.Name(ref)
	for _, named := range []func(plan.Restore) bool{
		func(r plan.Restore) bool { return string(r.Node) == ref },
		func(r plan.Restore) bool { return r.Title == ref },
		func(r plan.Restore) bool { return fold.Name(r.Title) == low },
		func(r plan.Restore) bool { return ref != "" && strings.HasPrefix(string(r.Node), ref) },
		func(r plan.Restore) bool { return len(ref) == 6 && strings.HasSuffix(string(r.Node), ref) },
	} {
		if i := slices.IndexFunc(all, named); i >= 0 {
			return all[i], nil
		}
	}
	there := view.Candidates(all, view.CandidatesShown, func(r plan.Restore) errs.Candidate {
		return errs.Candidate{ID: string(r.Node), Title: r.Title}
	})
	return plan.Restore{}, errs.New(errs.NodeNotFound, "%s: no node of this id or title was deleted; there are, last first: %s",
		ref, cmp.Or(view.List(there), "none")).With(errs.Details{NodeID: ref, Candidates: there})
}

// Deletion returns which nodes a move into the trash took there. ok is false if there is no note of it.
func (e *Engine) Deletion(ctx context.Context, to mdstore.Path) (d plan.Deletion, ok bool) {
	local, has := mdstore.AsStore[mdstore.Local](e.st)
	below, in := strings.CutPrefix(string(to), mdstore.TrashDir+"/")
	if !has || !in {
		return d, false
	}
	stamp, _, _ := strings.Cut(below, "/")
	data, err := local.ReadLocal(ctx, deletedDir.Join(stamp+".json"))
	return d, err == nil && json.Unmarshal(data, &d) == nil
}

// Trash returns the deletions of a workspace whose nodes lie in the trash, the last one first.
func (e *Engine) Trash(ctx context.Context, ws mdstore.ID) (all []plan.Restore, err error) {
	local, ok := mdstore.AsStore[mdstore.Local](e.st)
	if !ok {
		return nil, nil
	}
	notes, err := local.ListLocal(ctx, deletedDir)
	if err != nil {
		return nil, err
	}
	for _, note := range slices.Backward(notes) { // their names begin with the time
		name, r := deletedDir.Join(note.Name), plan.Restore{}
		data, err := local.ReadLocal(ctx, name)
		if err != nil || json.Unmarshal(data, &r.Deletion) != nil || r.Workspace != ws {
			continue
		}
		r.Top, err = e.st.Read(ctx, r.Trash.Join(string(r.File)))
		switch {
		case errors.Is(err, fs.ErrNotExist): // restored, or the trash was emptied
			_ = local.RemoveLocal(ctx, name)
		case err != nil:
			return nil, err
		default:
			all = append(all, r)
		}
	}
	return all, nil
}
