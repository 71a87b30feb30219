package plan

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/diff3"
	"arbor/mdstore/merge"
)

// Undo takes an operation back. Files that it wrote get their old bytes, or are merged with later changes; files that
// it made go to the trash; files that it moved or removed come back. It may concern several workspaces, or none.
type Undo struct {
	Operation mdstore.Operation
	Trash     mdstore.Path                                       // the trash folder for the files that the operation made
	Read      func(mdstore.Path) (mdstore.File, error)           // the error is an fs.ErrNotExist if there is no file
	Under     func(mdstore.Path) (all []mdstore.Path, err error) // the files of a folder, that of the trash too
}

// Undone is what an undo changes.
type Undone struct {
	Changes []mdstore.Change
	Outcome Outcome
	Files   []mdstore.File // the vault's files after the changes; the zero Version stands for a removed file
	Left    []string       // a line for each file that is left alone: its path, and the reason

	Merged    bool       // a file was changed since, and keeps that
	Workspace mdstore.ID // the workspace of the files; "" for several or none
}

// A remade is a file that the operation wrote, once or several times.
type remade struct {
	at            mdstore.Path // its path now, or its last path
	before, after []byte       // as in a Step
}

// lasting reports whether an undo may revert this step. Bindings are machine-local, so it may not.
func lasting(s mdstore.Step) bool {
	return s.Path != mdstore.SessionsFile && !strings.HasPrefix(string(s.Path), mdstore.CorruptPrefix)
}

// Undoable reports whether an operation is one that undo knows: it changed files of the vault, other than bindings, or
// was too large to be recorded.
func Undoable(op mdstore.Operation) bool { return op.Large || slices.ContainsFunc(op.Steps, lasting) }

// Plan returns the changes that undo the operation. The error is CANNOT_UNDO if a later change is in the way.
func (x Undo) Plan() (*Undone, error) {
	files, moves := x.remade()
	out := &Undone{}
	var made []mdstore.File
	for _, f := range files {
		now, err := x.Read(f.at)
		gone := errors.Is(err, fs.ErrNotExist)
		switch same := !gone && f.after != nil && bytes.Equal(now.Data, f.after); {
		case err != nil && !gone:
			return nil, err
		case gone && f.before == nil:
		case gone && f.after != nil:
			out.left(f.at, "it was moved or removed since")
		case f.after == nil && gone:
			out.write(now, f.at, f.before)
		case f.before == nil && !same:
			return nil, inTheWay(f.at, "the operation made it, and it was changed since")
		case f.before == nil:
			made = append(made, now)
		case bytes.Equal(now.Data, f.before):
		case f.after == nil:
			out.left(f.at, "the operation removed it, and another one is there now")
		case same:
			out.write(now, f.at, f.before)
		default:
			joined, why := takenOut(f.at, f.after, now.Data, f.before)
			if why != "" {
				out.left(f.at, why)
			} else if !bytes.Equal(joined, now.Data) {
				out.write(now, f.at, joined)
				out.Merged = true
			}
		}
	}
	if err := x.discard(out, made); err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(moves) {
		if err := x.moveBack(out, s); err != nil {
			return nil, err
		}
	}
	if len(out.Changes) == 0 && len(out.Left) > 0 {
		return nil, errs.New(errs.CannotUndo, "%s: nothing was undone: %s", x.Operation.Text, strings.Join(out.Left, "; "))
	}
	if err := mdstore.CheckChanges(out.Changes); err != nil {
		return nil, errs.New(errs.CannotUndo, "%s: its steps cannot be taken back at once: %v", x.Operation.Text, err)
	}
	return out, nil
}

// OutcomeOf returns what an operation changed.
func OutcomeOf(op mdstore.Operation) (out Outcome) {
	for _, s := range op.Steps {
		out.Files = append(out.Files, FileChange{Path: s.Path, To: s.To, Old: s.Base, New: s.New})
	}
	return out
}

// inTheWay returns the error for a later change that would be lost or broken.
func inTheWay(p mdstore.Path, why string) error {
	return errs.New(errs.CannotUndo, "%s: %s; nothing was undone: undo that first (undo with {.list}), "+
		"or change it by hand", p, why).With(errs.Details{Paths: []string{string(p)}})
}

func (u *Undone) left(p mdstore.Path, why string) { u.Left = append(u.Left, string(p)+": "+why) }

// write plans new bytes of a file.
func (u *Undone) write(now mdstore.File, p mdstore.Path, data []byte) {
	u.Changes = append(u.Changes, mdstore.Change{Path: p, Base: now.Version, New: data})
	v := mdstore.VersionOf(data)
	u.Outcome.Files = append(u.Outcome.Files, FileChange{Path: p, Version: v, Old: now.Data, New: data})
	u.Files = append(u.Files, mdstore.File{Path: p, Version: v, Data: data})
}

// move plans the move of a file or folder.
func (u *Undone) move(from, to mdstore.Path) {
	c := mdstore.Change{Path: from, To: to}
	u.Changes = append(u.Changes, c)
	u.Outcome.Add(c)
}

// discard plans to move the files that the operation made to the trash, each with its folder if the folder is its own
// and holds nothing else. If the folder of a new workspace holds more, nothing is undone.
func (x Undo) discard(out *Undone, made []mdstore.File) error {
	isMade := func(p mdstore.Path) bool {
		return slices.ContainsFunc(made, func(f mdstore.File) bool { return f.Path == p })
	}
	var from []mdstore.Path
	for _, f := range made {
		p, kind := f.Path, mdstore.AllKinds().Of(f.Path)
		if kind != nil && kind.Place.Name == f.Path.Base() &&
			(kind == mdstore.WorkspaceKind || p.Dir() != kind.Folder(mdstore.WorkspaceDir(p))) {
			all, err := x.Under(p.Dir())
			if err != nil {
				return err
			}
			switch i := slices.IndexFunc(all, func(q mdstore.Path) bool { return !isMade(q) }); {
			case i < 0:
				p = p.Dir()
			case kind == mdstore.WorkspaceKind:
				return inTheWay(all[i], "it was added to the workspace since")
			}
		}
		from = append(from, p)
	}
	slices.Sort(from) // a folder comes before its content
	top := func(p mdstore.Path) mdstore.Path {
		return from[slices.IndexFunc(from, func(q mdstore.Path) bool { return p.Under(q) })]
	}
	for _, f := range made {
		if top(f.Path) != f.Path {
			out.Changes = append(out.Changes, mdstore.Change{Path: f.Path, Base: f.Version, Keep: true})
		}
		out.Files = append(out.Files, mdstore.File{Path: f.Path})
	}
	for _, p := range from {
		if top(p) == p {
			out.move(p, x.Trash.Join(string(p)))
		}
	}
	return nil
}

// moveBack plans to move a file or folder back to its old path, with everything in it.
func (x Undo) moveBack(out *Undone, s mdstore.Step) error {
	if _, err := x.Read(s.To); errors.Is(err, fs.ErrNotExist) {
		return inTheWay(s.To, "the operation moved it there, and it was moved again or removed")
	}
	if _, err := x.Read(s.Path); !errors.Is(err, fs.ErrNotExist) {
		return inTheWay(s.Path, "the place is taken")
	}
	all, err := x.Under(s.To)
	if err != nil {
		return err
	}
	for _, p := range all {
		i := slices.IndexFunc(out.Files, func(f mdstore.File) bool { return f.Path == p })
		if i < 0 {
			f, err := x.Read(p)
			if err != nil {
				return err
			}
			i, out.Files = len(out.Files), append(out.Files, f)
		}
		back := out.Files[i]
		back.Path = view.MovedTo(p, s.To, s.Path)
		out.Files[i] = mdstore.File{Path: p}
		out.Files = append(out.Files, back)
	}
	out.move(s.To, s.Path)
	return nil
}

// takenOut returns a file without the change from before to after, or why that change cannot be separated from later
// ones.
func takenOut(p mdstore.Path, after, now, before []byte) (joined []byte, why string) {
	if key := changedAgain(p, after, now, before); key != "" {
		return nil, key + " was changed again since"
	}
	r, err := merge.Merge(p, after, now, before, merge.Options{})
	switch {
	case errors.Is(err, merge.ErrText):
		if lines, ok := diff3.Add(after, before, now); ok {
			return lines, ""
		}
		return nil, "the same lines were changed again since"
	case err != nil:
		return nil, err.Error()
	case len(r.Conflicts) > 0:
		return nil, cmp.Or(r.Conflicts[0].What, "the text") + " was changed again since"
	}
	return r.Bytes, ""
}

// changedAgain returns a key of the front matter that the operation changed and something else changed again, "" for
// none. A merge would have an answer, but none that takes the operation back.
func changedAgain(p mdstore.Path, after, now, before []byte) string {
	kind := mdstore.AllKinds().Of(p)
	if kind == nil {
		return ""
	}
	value := func(data []byte) func(key string) string {
		d, _ := mdstore.ParseFile(p, data, kind.Form)
		return func(key string) string {
			f, _ := d.Field(key)
			return fmt.Sprint(f.Value, d.List(key))
		}
	}
	d, _ := mdstore.ParseFile(p, after, kind.Form)
	was, is, then := value(before), value(after), value(now)
	for _, f := range d.Fields() {
		k := f.Key
		derived := k == mdstore.KeyUpdated || k == mdstore.KeyRulesHash
		if !derived && was(k) != is(k) && then(k) != is(k) && then(k) != was(k) {
			return k
		}
	}
	return ""
}
