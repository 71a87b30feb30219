package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"arbor/engine/check"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Check returns every diagnostic of a workspace, in the order of files and lines, after a look at every file.
func (e *Engine) Check(ctx context.Context, ws mdstore.ID) (*view.View, []mdoc.Diagnostic, error) {
	v, found, err := e.look(ctx, ws)
	return v, check.Diagnostics(found), err
}

// look returns every finding of a workspace after a look at every file. Stale saves that are not merged yet, and text
// that saves took out of files, are among the findings.
func (e *Engine) look(ctx context.Context, ws mdstore.ID) (*view.View, []check.Finding, error) {
	late := e.live.Late(ctx, false)
	e.live.StaleIn(ws)
	v, found, err := e.find(ctx, ws)
	if err != nil {
		return v, nil, err
	}
	for _, m := range append(late, e.live.TakenOut(ctx)...) {
		code, text, _ := strings.Cut(m.Text, ": ")
		told := code == check.CodeStaleSave && m.Copy == "" || code == check.CodeTakenOut && m.Time > 0
		if told && m.Path.Under(v.Workspace().Dir) {
			text = strings.TrimPrefix(text, string(m.Path)+" ")
			found = append(found, check.Finding{Diagnostic: mdoc.Diagnostic{File: string(m.Path), Code: code, Text: text}})
		}
	}
	return v, found, nil
}

// settle is the pause between the two looks after which --fix concludes that something is gone.
const settle = 300 * time.Millisecond

// A Mending is the result of Fix: what it has repaired, or would repair, and what is left.
type Mending struct {
	*plan.Outcome
	Mended  []mdoc.Diagnostic
	Left    []mdoc.Diagnostic // all of them in a dry run
	Checked int               // number of files; 0 if nothing is left of the workspace
}

// Fix mends what can be mended in a workspace without losing text: the diagnostics that name a fix. Doing it again
// changes nothing. All repairs are one commit, but the removal of leftovers of earlier commits is not part of it. If it
// returns both an error and a Mending, the repairs in the Mending were made.
func (e *Engine) Fix(ctx context.Context, ws mdstore.ID, act plan.Act) (*Mending, error) {
	if !act.DryRun {
		e.live.Late(ctx, true)
	}
	v, found, err := e.look(ctx, ws)
	if err != nil {
		return nil, err
	}
	if v.Workspace().Newer() {
		return nil, &mdoc.UnreadableError{Problem: plan.NewerProblem(v.Workspace())}
	}
	if err := cmp.Or(v.Unread(), v.Pages().Unread()); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(found, func(f check.Finding) bool { return f.Fix != "" }) {
		left := check.Diagnostics(found)
		return &Mending{Outcome: &plan.Outcome{DryRun: act.DryRun}, Left: left, Checked: v.FileCount()}, nil
	}
	swept, cleared, err := e.sweep(ctx, found, e.opt.Now(), act.DryRun)
	m := &Mending{Outcome: &plan.Outcome{DryRun: act.DryRun, Files: cleared}, Mended: swept}
	if err != nil {
		return m, err
	}
	if check.Lacks(found) && len(swept) == 0 {
		select {
		case <-e.opt.After(settle):
		case <-ctx.Done():
			return m, ctx.Err()
		}
	}
	e.live.Stale()
	var st check.Store
	if now, err := e.View(ctx, ws); err == nil {
		if st, err = e.facts(ctx, now); err != nil {
			return m, err
		}
	}
	fixed, done, err := Apply(ctx, e, ws, act, check.Fix{Store: st, Before: v})
	if len(cleared) > 0 && !act.DryRun && err != nil && errs.As(err).Code == errs.WorkspaceNotFound {
		return m, nil // the workspace was incomplete, and nothing of it is left
	}
	if err != nil {
		return m, err
	}
	m.Checked, m.Left, m.Outcome = fixed.Checked, fixed.Found, done
	m.Files, m.Mended = append(cleared, m.Files...), append(swept, fixed.Fixed...)
	if !m.Changed() || act.DryRun {
		return m, nil
	}
	m.Checked, m.Left = 0, nil
	switch v, left, err := e.Check(ctx, ws); {
	case err == nil:
		m.Checked, m.Left = v.FileCount(), left
	case errs.As(err).Code != errs.WorkspaceNotFound: // otherwise the folder had only leftovers
		e := errs.As(err)
		return m, errs.New(e.Code, "repaired, but the remaining problems could not be listed: %s; check again", e.Message).
			With(errs.Details{Committed: true})
	}
	return m, nil
}

// FixVault clears away the leftovers of interrupted commits in the vault. With an error, the returned outcome was done
// all the same.
func (e *Engine) FixVault(ctx context.Context, act plan.Act) ([]mdoc.Diagnostic, *plan.Outcome, error) {
	st, err := e.strays(ctx, "")
	if err != nil {
		return nil, &plan.Outcome{}, err
	}
	fixed, files, err := e.sweep(ctx, check.Strays(st), e.opt.Now(), act.DryRun)
	return fixed, &plan.Outcome{DryRun: act.DryRun, Files: files}, err
}

// A VaultCheck is the result of checking the vault as a whole.
type VaultCheck struct {
	Workspaces  []mdstore.ID      // the workspaces that can be checked one by one
	Files       int               // files of the others, which share an id
	Diagnostics []mdoc.Diagnostic // findings about several workspaces, or about none
}

// CheckVault returns the workspaces of the vault, and the findings about the vault as a whole.
func (e *Engine) CheckVault(ctx context.Context) (*VaultCheck, error) {
	all, err := e.Workspaces(ctx)
	if err != nil {
		return nil, err
	}
	out := &VaultCheck{}
	add := func(ds ...mdoc.Diagnostic) { out.Diagnostics = append(out.Diagnostics, ds...) }
	count := map[mdstore.ID]int{}
	for _, w := range all {
		count[w.ID]++
	}
	for _, w := range all {
		if count[w.ID] == 1 {
			out.Workspaces = append(out.Workspaces, w.ID)
			continue
		}
		d, _ := check.SharedID(all, w)
		add(d)
		v, err := e.live.Twin(ctx, w)
		if err != nil {
			return nil, err
		}
		v, found, err := e.findIn(ctx, v)
		if err != nil {
			return nil, err
		}
		add(check.Diagnostics(check.LeftAlone(found))...)
		out.Files += v.Len() + 1
	}
	if b, err := sessions.ReadBindings(ctx, e.st); err != nil {
		var u *mdoc.UnreadableError
		if !errors.As(err, &u) {
			return nil, err
		}
		add(u.Problem)
	} else {
		add(b.Diagnostics(func(id mdstore.ID) bool { return count[id] > 0 })...)
	}
	for _, k := range mdstore.AllKinds() {
		if !k.Place.Vault {
			continue
		}
		pages, err := e.live.VaultPages(ctx, k)
		if err != nil {
			return nil, err
		}
		add(check.Diagnostics(check.Pages(pages))...)
	}
	if w, ok := mdstore.AsStore[mdstore.Writable](e.st); ok {
		var u *mdoc.UnreadableError
		if err := w.Writable(ctx, mdstore.LocalDir); errors.As(err, &u) {
			add(u.Problem)
		}
	}
	add(e.checkConfig(ctx, "")...)
	st, err := e.strays(ctx, "")
	if err != nil {
		return nil, err
	}
	add(check.Diagnostics(check.Strays(st))...)
	return out, nil
}
