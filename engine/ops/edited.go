package ops

import (
	"bytes"
	"context"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/merge"
)

// SaveEdited writes the text that a person made of a file of the vault in an editor, where the editor had a copy of the
// file. was is the text that the copy began with. If others changed the file meanwhile, both are merged. If both
// changed the same, or the text would damage the file, nothing is written, and the error says why.
func SaveEdited(ctx context.Context, env *Env, p mdstore.Path, was, text []byte) error {
	if bytes.Equal(was, text) {
		return nil
	}
	if kind := mdstore.AllKinds().Of(p); kind != nil {
		if d, _ := mdoc.Parse(string(p), text, kind.Form); d.Editable() != nil {
			return errs.New(errs.FileUnreadable, "not saved, the file would be damaged: %v", d.Editable())
		}
	}
	_, err := env.Engine.EditFile(ctx, p, plan.Act{}, func(now []byte) ([]byte, error) {
		if now == nil {
			return nil, errs.New(errs.Conflicting, "not saved: somebody deleted or moved the file meanwhile")
		}
		r, err := merge.Merge(p, was, text, now, merge.Options{})
		if err != nil {
			const form = "not saved: somebody changed the file meanwhile, and it cannot be merged: %v"
			return nil, errs.New(errs.Conflicting, form, err)
		}
		if len(r.Conflicts) > 0 {
			return nil, errs.New(errs.Conflicting, "not saved: somebody changed %s meanwhile", r.Conflicts[0].What)
		}
		return r.Bytes, nil
	})
	return err
}
