package plan

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/merge"
)

// Again plans the changes of the operation once more, after git or another program has removed them from the files. It
// merges them into an existing file; if both changed the same text, the operation's text wins. It makes files again
// that the operation made. It does not repeat moves or removals. now is the updatedAt of merged files, in Unix
// milliseconds.
func (x Undo) Again(now int64) (*Undone, error) {
	out := &Undone{}
	files, moves := x.remade()
	for _, m := range moves {
		out.left(m.Path, "the operation moved it, which is not repeated; move it by hand")
	}
	for _, f := range files {
		is, err := x.Read(f.at)
		gone := errors.Is(err, fs.ErrNotExist)
		switch {
		case err != nil && !gone:
			return nil, err
		case f.after == nil && !gone:
			out.left(f.at, "the operation removed it, which is not repeated; delete it by hand")
		case f.after == nil, !gone && bytes.Equal(is.Data, f.after):
		case gone && f.before == nil:
			out.write(is, f.at, f.after)
		case gone:
			out.left(f.at, "it was moved or removed since")
		default:
			joined, given := merge.Again(f.at, f.before, f.after, is.Data)
			if joined == nil {
				out.left(f.at, "its text was changed since, and cannot be merged: "+strings.Join(given, ", "))
			} else if !bytes.Equal(joined, is.Data) {
				out.write(is, f.at, mdstore.WithUpdated(f.at, joined, now))
				out.Merged = true
			}
		}
	}
	if len(out.Changes) == 0 && len(out.Left) > 0 {
		return nil, errs.New(errs.CannotUndo, "%s: nothing was written again: %s", x.Operation.Text, strings.Join(out.Left, "; "))
	}
	return out, nil
}

// remade returns the files that the operation wrote, each at its path after the operation's moves, and the moves.
func (x Undo) remade() (files []*remade, moves []mdstore.Step) {
	for _, s := range x.Operation.Steps {
		i := slices.IndexFunc(files, func(f *remade) bool { return f.at == s.Path })
		switch {
		case !lasting(s):
		case s.To != "":
			moves = append(moves, s)
			for _, f := range files {
				f.at = view.MovedTo(f.at, s.Path, s.To)
			}
		case i >= 0:
			files[i].after = s.New
		default:
			files = append(files, &remade{s.Path, s.Base, s.New})
		}
	}
	return files, moves
}
