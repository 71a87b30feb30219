package engine

import (
	"context"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// mendRounds bounds how often a workspace is looked at while it is mended: what is mended in one round can be what another repair waited for.
const mendRounds = 64

// A Mending is what Fix has done, or would do, and how the workspace is afterwards.
type Mending struct {
	*Outcome
	Mended  []mdoc.Diagnostic
	Left    []mdoc.Diagnostic // all of them in a dry run
	Checked int               // files; 0 where nothing is left of the workspace
}

// Fix mends what can be mended in a workspace without losing text: the diagnostics that name a fix. Doing it again changes nothing. All of it is one commit, but
// for what an earlier commit has left.
func (e *Engine) Fix(ctx context.Context, ws mdstore.ID, act Act) (*Mending, error) {
	snap, err := e.Reload(ctx, ws)
	if err != nil {
		return nil, err
	}
	if snap.ws.Newer() {
		return nil, &mdoc.UnreadableError{Problem: newerProblem(snap.ws)}
	}
	between, err := e.strays(ctx, snap.ws.Dir)
	if err != nil {
		return nil, err
	}
	swept, cleared, err := e.sweep(ctx, between, act)
	if err != nil {
		return nil, err
	}
	if len(swept) > 0 {
		snap, err = e.Reload(ctx, ws) // a leftover may be in its place now
	}
	if err == nil {
		err = e.await(ctx, snap)
	}
	m := &Mending{}
	if err == nil {
		m.Outcome, err = e.update(ctx, ws, act, func(d *draft) (err error) {
			d.before = snap
			m.Checked = d.snap.Len() + 1
			m.Mended, m.Left, err = e.mend(ctx, d)
			return err
		})
	}
	if len(cleared) > 0 && !act.DryRun && err != nil && AsError(err).Code == WorkspaceNotFound {
		return &Mending{Outcome: &Outcome{Files: cleared}, Mended: swept}, nil // it was never whole, and nothing of it is left
	}
	if err != nil {
		return nil, err
	}
	m.Files, m.Mended = append(cleared, m.Files...), append(swept, m.Mended...)
	if !m.Changed() || act.DryRun {
		return m, nil
	}
	m.Checked, m.Left = 0, nil
	switch snap, left, err := e.Check(ctx, ws); {
	case err == nil:
		m.Checked, m.Left = snap.Len()+1, left
	case AsError(err).Code != WorkspaceNotFound: // else there were only leftovers of it
		return nil, err
	}
	return m, nil
}

// mend plans the repairs of a workspace in rounds, each over the files as the one before leaves them, and puts all of them into d. all is what is wrong before that.
func (e *Engine) mend(ctx context.Context, d *draft) (fixed, all []mdoc.Diagnostic, err error) {
	if d.snap.ws.Newer() {
		return nil, nil, &mdoc.UnreadableError{Problem: newerProblem(d.snap.ws)}
	}
	snap, found, err := e.inspect(ctx, d.snap)
	if err != nil {
		return nil, nil, err
	}
	all = diagnostics(found)
	waiting := slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return f.mend == nil })
	for range mendRounds {
		r := newDraft(snap, d.act, e.opt)
		r.before = d.before
		for _, f := range found {
			if f.mend == nil {
				continue
			}
			done, err := f.mend(r)
			if err != nil {
				return nil, nil, err
			}
			if !done {
				continue
			}
			// It is named as it was found: lines above it may have come since, and a copy that it names may have got another id.
			i := slices.IndexFunc(waiting, func(w finding) bool { return w.File == f.File && w.Code == f.Code && w.Text == f.Text })
			if i < 0 {
				i = slices.IndexFunc(waiting, func(w finding) bool { return w.File == f.File && w.Code == f.Code && w.Fix == f.Fix })
			}
			if i >= 0 {
				f = waiting[i]
				waiting = slices.Delete(waiting, i, i+1)
			}
			fixed = append(fixed, f.Diagnostic)
		}
		if err := r.finish(); err != nil {
			return nil, nil, err
		}
		if len(r.changes()) == 0 {
			break
		}
		d.take(r)
		snap = snap.with(r.made(r.changes()))
		found = snap.findings()
	}
	return fixed, all, nil
}

// take adds what a draft over the files as d leaves them does to what d does.
func (d *draft) take(r *draft) {
	for _, e := range r.order {
		if e.after == nil {
			continue
		}
		if i := slices.IndexFunc(d.extra, func(x planned) bool { return x.change.Path == e.path && x.change.New != nil }); i >= 0 {
			d.extra[i].change.New = e.after.Bytes()
			continue
		}
		mine := d.on(e.path, e.base, e.doc)
		mine.after, mine.becomes = e.after, e.becomes
		mine.what = append(mine.what, e.what...)
		mine.adapted = append(mine.adapted, e.adapted...)
	}
	d.extra = append(d.extra, r.extra...)
	d.adapted = append(d.adapted, r.adapted...)
	for p, v := range r.keep {
		if _, ok := d.keep[p]; !ok && d.edits[p] == nil {
			d.keep[p] = v
		}
	}
}

// FixVault clears away what commits that were cut short have left beside the workspaces of the vault.
func (e *Engine) FixVault(ctx context.Context, act Act) ([]mdoc.Diagnostic, *Outcome, error) {
	found, err := e.besides(ctx)
	if err != nil {
		return nil, nil, err
	}
	fixed, files, err := e.sweep(ctx, found, act)
	return fixed, &Outcome{DryRun: act.DryRun, Files: files}, err
}

// sweep clears away the leftovers of commits among what was found. It is no commit of its own: the store knows them by their names.
func (e *Engine) sweep(ctx context.Context, found []finding, act Act) (fixed []mdoc.Diagnostic, files []FileChange, err error) {
	sw, ok := mdstore.AsStore[mdstore.Strays](e.st)
	at := map[mdstore.Path]mdoc.Diagnostic{}
	var paths []mdstore.Path
	for _, f := range found {
		if f.Code == CodeStray && f.Fix == clearAway {
			at[mdstore.Path(f.File)] = f.Diagnostic
			paths = append(paths, mdstore.Path(f.File))
		}
	}
	if !ok || len(paths) == 0 {
		return nil, nil, nil
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	trash := mdstore.TrashPath(e.opt.Now().UTC().Format("20060102T150405.000")+"-check", "")
	done, err := sw.Sweep(ctx, paths, trash, act.DryRun)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range done {
		what := "removed: its file holds the same"
		if s.To != "" {
			what = "moved: what a commit has left"
		}
		files = append(files, FileChange{Path: s.Path, To: s.To, What: []string{what}})
		fixed = append(fixed, at[s.Path])
	}
	return fixed, files, nil
}
