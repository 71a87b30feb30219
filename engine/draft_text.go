package engine

import (
	"context"

	"arbor/engine/check"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// CheckFile returns the findings about one file of a view, which may hold text that nobody has saved. Call it under
// Read.
func (e *Engine) CheckFile(ctx context.Context, v *view.View, p mdstore.Path) []check.Finding {
	docs, ok := mdstore.AsStore[mdstore.Docs](e.st)
	absent := func(target string) (string, bool) {
		if !ok || !missing(ctx, docs, target) {
			return "", false
		}
		return alike(ctx, docs, target), true
	}
	return check.File(v, p, absent, e.Off()...)
}

// Propose plans an operation over a view, which may hold text that nobody has saved, and returns the changes of files
// that it would make. It commits nothing.
func (e *Engine) Propose(v *view.View, act plan.Act, op func(*plan.Draft) error) ([]mdstore.Change, error) {
	d := plan.New(v, act, plan.Options{
		Now: e.opt.Now(), NewID: e.opt.NewID, TitleFolders: e.opt.TitleFolders, Criteria: e.CriteriaAsked,
	})
	d.Before = v
	if err := op(d); err != nil {
		return nil, err
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	return d.Changes(), nil
}
