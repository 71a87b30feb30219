package engine

import (
	"context"
	"errors"
	"io/fs"
	"slices"
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
	e.Displaced(ctx) // what was written to a replaced file is merged, or lies beside it and is a finding
	e.live.StaleIn(ws)
	v, found, err := e.find(ctx, ws)
	return v, check.Diagnostics(found), err
}

// find returns the findings of a workspace, and its view.
func (e *Engine) find(ctx context.Context, ws mdstore.ID) (v *view.View, found []check.Finding, err error) {
	var st check.Store
	gathered := false
	v, err = e.live.Plan(ctx, ws, func(v *view.View) error {
		if !gathered {
			gathered = true
			if st, err = e.facts(ctx, v); err != nil {
				return err
			}
		}
		_, found = check.All(v, st)
		return nil
	})
	return v, found, err
}

// facts asks the store what checks need to know besides the files.
func (e *Engine) facts(ctx context.Context, v *view.View) (check.Store, error) {
	st, err := e.strays(ctx, v.Workspace().Dir)
	if err != nil {
		return st, err
	}
	if r, ok := mdstore.AsStore[mdstore.Docs](e.st); ok {
		st.Missing = map[string]bool{}
		for _, target := range check.Targets(v) {
			tries := check.Tries(target)
			missing := len(tries) > 0
			for _, t := range tries {
				if _, err := readDoc(ctx, r, t); !errors.Is(err, fs.ErrNotExist) {
					missing = false
				}
			}
			if missing {
				st.Missing[target] = true
			}
		}
	}
	if w, ok := mdstore.AsStore[mdstore.Writable](e.st); ok {
		files := []mdstore.Path{v.Workspace().Path}
		for n := range v.All() {
			files = append(files, n.Path)
		}
		for _, p := range files {
			var u *mdoc.UnreadableError
			if err := w.Writable(ctx, p); errors.As(err, &u) {
				st.Unwritable = append(st.Unwritable, u.Problem)
			}
		}
	}
	return st, ctx.Err()
}

// strays returns what lies between the files of a vault below a folder, without the files of a commit that is being made at this moment.
func (e *Engine) strays(ctx context.Context, under mdstore.Path) (st check.Store, err error) {
	in, ok := mdstore.AsStore[mdstore.Strays](e.st)
	if !ok {
		return st, nil
	}
	gen, err := e.live.Generation(ctx) // waits for the commit that is being made
	if err != nil {
		return st, err
	}
	for range 3 {
		if st.Strays, err = in.Strays(ctx, under); err != nil {
			return st, err
		}
		now, err := e.live.Generation(ctx)
		if err != nil {
			return st, err
		}
		if now == gen {
			break
		}
		gen = now
	}
	st.Equal = map[mdstore.Path]mdstore.Version{}
	for _, s := range st.Strays {
		if s.Kind != mdstore.StrayConflictCopy || s.Of == "" {
			continue
		}
		copied, err := e.st.Read(ctx, s.Path)
		if err != nil {
			continue
		}
		if file, err := e.st.Read(ctx, s.Of); err == nil && file.Version == copied.Version {
			st.Equal[s.Path] = file.Version
		}
	}
	return st, nil
}

// settle is the time between the two looks from which --fix concludes that something is gone.
const settle = 300 * time.Millisecond

// A Mending is what Fix has done, or would do, and how the workspace is afterwards.
type Mending struct {
	*plan.Outcome
	Mended  []mdoc.Diagnostic
	Left    []mdoc.Diagnostic // all of them in a dry run
	Checked int               // files; 0 where nothing is left of the workspace
}

// Fix mends what can be mended in a workspace without losing text: the diagnostics that name a fix. Doing it again changes nothing. All
// of it is one commit, but for what an earlier commit has left.
func (e *Engine) Fix(ctx context.Context, ws mdstore.ID, act plan.Act) (*Mending, error) {
	e.live.StaleIn(ws)
	v, found, err := e.find(ctx, ws)
	if err != nil {
		return nil, err
	}
	if v.Workspace().Newer() {
		return nil, &mdoc.UnreadableError{Problem: plan.NewerProblem(v.Workspace())}
	}
	if !slices.ContainsFunc(found, func(f check.Finding) bool { return f.Fix != "" }) {
		return &Mending{Outcome: &plan.Outcome{DryRun: act.DryRun}, Left: check.Diagnostics(found), Checked: v.Len() + 1}, nil
	}
	swept, cleared, err := e.sweep(ctx, found, act)
	if err != nil {
		return nil, err
	}
	if check.Lacks(found) && len(swept) == 0 {
		select {
		case <-e.opt.After(settle):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	e.live.Stale()
	var fixed *check.Fixed
	var st check.Store
	if now, err := e.View(ctx, ws); err == nil {
		if st, err = e.facts(ctx, now); err != nil {
			return nil, err
		}
	}
	m := &Mending{}
	fixed, m.Outcome, err = Apply(ctx, e, ws, act, check.Fix{Store: st, Before: v})
	if len(cleared) > 0 && !act.DryRun && err != nil && errs.As(err).Code == errs.WorkspaceNotFound {
		return &Mending{Outcome: &plan.Outcome{Files: cleared}, Mended: swept}, nil // it was never whole, and nothing of it is left
	}
	if err != nil {
		return nil, err
	}
	m.Checked, m.Left = fixed.Checked, fixed.Found
	m.Files, m.Mended = append(cleared, m.Files...), append(swept, fixed.Fixed...)
	if !m.Changed() || act.DryRun {
		return m, nil
	}
	m.Checked, m.Left = 0, nil
	switch v, left, err := e.Check(ctx, ws); {
	case err == nil:
		m.Checked, m.Left = v.Len()+1, left
	case errs.As(err).Code != errs.WorkspaceNotFound: // else there were only leftovers of it
		e := errs.As(err)
		return nil, errs.New(e.Code, "repaired, but what is left cannot be told: %s; check again", e.Message).With(errs.Details{Committed: true})
	}
	return m, nil
}

// sweep clears away the leftovers of commits among what was found. It is no commit of its own: the store knows them by their names.
func (e *Engine) sweep(ctx context.Context, found []check.Finding, act plan.Act) (fixed []mdoc.Diagnostic, files []plan.FileChange, err error) {
	sw, ok := mdstore.AsStore[mdstore.Strays](e.st)
	at := map[mdstore.Path]mdoc.Diagnostic{}
	var paths []mdstore.Path
	for _, f := range found {
		if f.ClearedByStore() {
			at[mdstore.Path(f.File)] = f.Diagnostic
			paths = append(paths, mdstore.Path(f.File))
		}
	}
	if !ok || len(paths) == 0 {
		return nil, nil, nil
	}
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
		files = append(files, plan.FileChange{Path: s.Path, To: s.To, What: []string{what}})
		fixed = append(fixed, at[s.Path])
	}
	return fixed, files, nil
}

// FixVault clears away what commits that were cut short have left beside the workspaces of the vault.
func (e *Engine) FixVault(ctx context.Context, act plan.Act) ([]mdoc.Diagnostic, *plan.Outcome, error) {
	st, err := e.strays(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	fixed, files, err := e.sweep(ctx, check.Besides(check.Strays(st)), act)
	return fixed, &plan.Outcome{DryRun: act.DryRun, Files: files}, err
}

// A VaultCheck is what a look at the vault as a whole finds.
type VaultCheck struct {
	Workspaces  []mdstore.ID      // those that can be checked by themselves
	Files       int               // files of the others, which share an id
	Diagnostics []mdoc.Diagnostic // what concerns more than one workspace, or none
}

// CheckVault returns the workspaces of the vault and what is wrong with the vault besides what is wrong with each of them.
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
		v, found, err := e.findTwin(ctx, w)
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
		add(b.Diagnostics()...)
	}
	if w, ok := mdstore.AsStore[mdstore.Writable](e.st); ok {
		var u *mdoc.UnreadableError
		if err := w.Writable(ctx, mdstore.LocalDir); errors.As(err, &u) {
			add(u.Problem)
		}
	}
	st, err := e.strays(ctx, "")
	if err != nil {
		return nil, err
	}
	add(check.Diagnostics(check.Besides(check.Strays(st)))...)
	return out, nil
}

// findTwin is find for one of several workspaces with one id.
func (e *Engine) findTwin(ctx context.Context, w *mdstore.Workspace) (v *view.View, found []check.Finding, err error) {
	if v, err = e.live.Twin(ctx, w); err != nil {
		return nil, nil, err
	}
	st, err := e.facts(ctx, v)
	if err != nil {
		return nil, nil, err
	}
	err = e.live.Over(ctx, v, func(v *view.View) error {
		_, found = check.All(v, st)
		return nil
	})
	return v, found, err
}
