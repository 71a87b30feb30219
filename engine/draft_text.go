package engine

import (
	"context"

	"arbor/engine/check"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// CheckFile returns the findings about one file of a view. The view may hold unsaved text. Call it under Read.
func (e *Engine) CheckFile(ctx context.Context, v *view.View, p mdstore.Path) []check.Finding {
	docs, ok := e.docs()
	absent := func(target string) (string, bool) {
		if !ok || !missing(ctx, docs, target) {
			return "", false
		}
		return alike(ctx, docs, target), true
	}
	return check.File(v, p, absent, e.Off()...)
}

// Propose plans an operation over a view and returns the changes of files. It commits nothing.
// The view may hold unsaved text.
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
