package txn

import (
	"slices"

	"arbor/mdstore"
)

// What is tried before a commit is decided fails before it, as a rule: a folder that may not be written, a full disk. But a system may refuse a step for reasons that nobody could have asked it for: a
// folder that cannot be renamed because it belongs to a layer below or another user, a file that must not change. Such a commit could never be finished, and nothing could be
// written until somebody repaired what is in its way. So its steps are taken back, and nothing has changed.

// mkdirAll is Committer.mkdirAll that knows afterwards which folders it has made.
func (r *redoer) mkdirAll(set dirs, dir mdstore.Path) error {
	for d := dir; r.fresh && d != ""; d = d.Dir() {
		if there, err := r.exists(d); there || err != nil {
			break
		}
		r.made = append(r.made, d)
	}
	return r.Committer.mkdirAll(set, dir)
}

// takeBack undoes the steps that were made of a commit whose record is there still, the last first, and reports whether none is made then, durably. Where it reports false, the record is to be
// redone. Nothing is undone that somebody else has changed, nor where anything was merged, kept or removed.
func (r *redoer) takeBack() bool {
	if !r.fresh {
		return false
	}
	for i := range r.steps {
		if _, ok := r.undoable(i); !ok {
			return false
		}
	}
	for i, s := range slices.Backward(r.steps) {
		made, ok := r.undoable(i)
		if !ok || made && !r.undo(i, s) {
			return false
		}
	}
	// What was carried back is durable in its place before the folders go that it lay in.
	if len(r.made) > 0 && r.sync(r.set) != nil {
		return false
	}
	slices.SortFunc(r.made, func(a, b mdstore.Path) int { return len(b) - len(a) })
	for _, d := range r.made {
		if r.FS.Remove(d) == nil { // one that holds something by now stays
			r.forget(d)
			delete(r.set, d)
			r.mark(r.set, d.Dir())
		}
	}
	return r.sync(r.set) == nil
}

// undoable reports whether a step is made, and whether it is known to be, or not to be, in a state that undo can take back.
func (r *redoer) undoable(i int) (made, ok bool) {
	s := r.steps[i]
	if s.Do == move {
		return r.moved[i] == done, r.moved[i] == done || r.moved[i] == pending
	}
	p, err := r.place(i, s.Path)
	if err != nil {
		return false, false
	}
	now, err := r.read(p)
	if err != nil {
		return false, false
	}
	if s.Do == remove {
		return false, same(now, s.Base)
	}
	held, err := r.read(r.shift(i, s.Temp))
	switch {
	case err != nil:
		return false, false
	case same(held, s.New):
		return false, true // whatever is in its place is not ours
	}
	return true, same(held, s.Base) && same(now, s.New)
}

// undo takes back a step that is made, while no later one is.
func (r *redoer) undo(i int, s *step) bool {
	r.mark(r.set, s.Path.Dir())
	switch {
	case s.Do == move:
		r.mark(r.set, s.To.Dir())
		if r.FS.RenameNew(s.To, s.Path) != nil {
			return false
		}
		r.moved[i] = pending
		r.forget(s.Path)
		r.forget(s.To)
		return true
	case s.Base == nil:
		r.mark(r.set, s.Temp.Dir())
		return r.FS.RenameNew(s.Path, s.Temp) == nil
	}
	return r.put(s.Temp, s.Path, s.New, s.Base) == nil
}
