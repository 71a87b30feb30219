package check

import (
	"cmp"
	"slices"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// fixRounds bounds the rounds of repairs of a workspace. A repair may have to wait for one of an earlier round.
const fixRounds = 64

// Fix mends what can be mended in a workspace without losing text: the findings that name a fix. Doing it again changes
// nothing.
type Fix struct {
	Store  Store
	Before *view.View // an earlier view: its files do not count as deleted; nil for none

	Merged bool // repair only the problems that a merge of two sound sides can leave
	// the parents of nodes in the merge base: an orphan goes there; nil: it goes to the root
	Parents map[mdstore.ID]mdstore.ID
}

// merged are the codes of problems that a merge file by file can leave behind.
var merged = []string{CodeHashStale, CodeFocusDangling, CodeDangling, string(errs.OrphanNode), string(errs.Cycle),
	string(statemachine.CodeStatusUnreachable), string(statemachine.CodeChildrenOpen)}

// Fixed is the result of Fix: its repairs, and the findings before them.
type Fixed struct {
	Fixed, Found []mdoc.Diagnostic
	Checked      int // files
}

// Plan plans the repairs in rounds, each over the files as the previous round leaves them.
func (x Fix) Plan(d *plan.Draft) (*Fixed, error) {
	if w := d.View.Workspace(); w.Newer() {
		return nil, &mdoc.UnreadableError{Problem: plan.NewerProblem(w)}
	}
	// we cannot tell its problems, nor those of the files that depend on it
	if err := cmp.Or(d.View.Unread(), d.View.Pages().Unread()); err != nil {
		return nil, err
	}
	v, found := All(d.View, x.Store)
	if x.Merged {
		v, found = d.View, View(d.View)
	}
	d.MayCycle = true
	out := &Fixed{Found: Diagnostics(found), Checked: d.View.FileCount()}
	waiting := slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return f.mend == nil })
	for range fixRounds {
		r := d.Over(v)
		r.Before, r.Parents = x.Before, x.Parents
		for _, f := range found {
			if f.mend == nil || x.Merged && !slices.Contains(merged, f.Code) {
				continue
			}
			done, err := f.mend(r)
			if err != nil {
				return nil, err
			}
			if !done {
				continue
			}
			// It is named as it was found: lines above it may have come since, and a copy that it names may have got
			// another id.
			i := slices.IndexFunc(waiting, func(w Finding) bool { return w.File == f.File && w.Code == f.Code && w.Text == f.Text })
			if i < 0 {
				i = slices.IndexFunc(waiting, func(w Finding) bool { return w.File == f.File && w.Code == f.Code && w.Fix == f.Fix })
			}
			if i >= 0 {
				f = waiting[i]
				waiting = slices.Delete(waiting, i, i+1)
			}
			out.Fixed = append(out.Fixed, f.Diagnostic)
		}
		if err := r.Finish(); err != nil {
			return nil, err
		}
		if len(r.Changes()) == 0 {
			break
		}
		d.Take(r)
		files, _ := r.Left()
		v = v.With(files...)
		found = View(v)
	}
	return out, nil
}
