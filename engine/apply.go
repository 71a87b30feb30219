package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"arbor/engine/claims"
	"arbor/engine/config"
	"arbor/engine/errs"
	"arbor/engine/live"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// pauses are the waits before Apply makes a plan again because its files changed meanwhile. The lock keeps other
// processes out, so only people who save at that very moment cause a second round. A pause lets them finish.
var pauses = []time.Duration{10 * time.Millisecond, 100 * time.Millisecond}

// Apply plans an operation over the newest view of a workspace and commits it while no other process can commit. It
// returns the operation's result and the changes. With act.DryRun it stops after the plan, with the errors that a
// commit would have.
func Apply[R any](ctx context.Context, e *Engine, ws mdstore.ID, act plan.Act, op plan.Operation[R]) (result R, out *plan.Outcome, err error) {
	out, err = e.apply(ctx, ws, act, func(d *plan.Draft) (err error) {
		result, err = op.Plan(d)
		return err
	})
	return result, out, err
}

func (e *Engine) apply(ctx context.Context, ws mdstore.ID, act plan.Act, op func(*plan.Draft) error) (out *plan.Outcome, err error) {
	if act.DryRun {
		p, err := e.plan(ctx, ws, act, op)
		if err != nil {
			return nil, err
		}
		return p.draft.Outcome(), writable(ctx, e.st, p.draft.Changes())
	}
	var met []mdstore.Collision // collisions of failed commits: the store reports each once
	err = e.st.Update(ctx, func(tx mdstore.Tx) error {
		for round := 0; ; round++ {
			p, err := e.plan(ctx, ws, act, op)
			if err != nil {
				return err
			}
			out, err = e.commit(ctx, tx, act, p, &met)
			var conflict *mdstore.ConflictError
			if !errors.As(err, &conflict) || round == len(pauses) {
				return err
			}
			select {
			case <-e.opt.After(pauses[round]):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	if err != nil {
		for _, m := range met {
			err = fmt.Errorf("%w; %s: %s", err, cmp.Or(m.Copy, m.Path), m.Text)
		}
		return nil, err
	}
	if out.Changed() {
		e.Touched(ctx, ws)
	}
	out.Collisions = slices.Concat(e.live.Told(), met, out.Collisions)
	return out, nil
}

// A planned is a draft with the view and the claims from which it was made.
type planned struct {
	draft  *plan.Draft
	base   *view.View // without documents
	gen    uint64
	claims *claims.Ledger

	replaced []replaced // texts that are kept beside the commit
}

func (e *Engine) plan(ctx context.Context, ws mdstore.ID, act plan.Act, op func(*plan.Draft) error) (p planned, err error) {
	now := e.opt.Now()
	if p.claims, err = claims.Read(ctx, e.st, now); err != nil {
		e.opt.Log.Warn("claims cannot be read", "error", err) // a failure here must not stop the operation
	}
	if p.gen, err = e.live.Generation(ctx); err != nil {
		return p, err
	}
	drawn := map[string][]mdstore.ID{} // by prefix, so that a repeated plan draws the same ids
	var asked sync.Once
	var still, names bool
	p.base, err = e.live.Plan(ctx, ws, func(v *view.View) error {
		asked.Do(func() { still, names = e.writing(ctx, v) })
		next := map[string]int{}
		opt := plan.Options{Now: now, TitleFolders: e.opt.TitleFolders, Untimed: still, Names: names,
			Criteria: e.CriteriaAsked}
		opt.NewID = func(prefix string) (mdstore.ID, error) {
			if next[prefix] == len(drawn[prefix]) {
				id, err := e.opt.NewID(prefix)
				if err != nil {
					return "", err
				}
				drawn[prefix] = append(drawn[prefix], id)
			}
			next[prefix]++
			return drawn[prefix][next[prefix]-1], nil
		}
		opt.Claimed = func(n *mdstore.Node) (string, error) { return p.claims.Refuse(act, ws, n) }
		p.draft = plan.New(v, act, opt)
		if err := op(p.draft); err != nil {
			return err
		}
		if s, ok := e.SessionFile(ctx, v, act.Session); ok && act.Trace != "" {
			plan.TraceAct(p.draft, s)
		}
		plan.EndOver(p.draft, e.begunIn(ctx, v))
		return cmp.Or(p.draft.Finish(), p.draft.Acyclic(), p.draft.KeepsVerify())
	})
	if err == nil {
		p.replaced, err = e.replaces(ctx, ws, act, p.draft)
	}
	return p, err
}

// CriteriaAsked returns the setting plan.criteria, which only the person's own file sets.
func (e *Engine) CriteriaAsked() string {
	return config.Value[string](config.Merge(e.opt.Config()...), "plan.criteria")
}

// Person returns the setting identity.name, "" for none.
func (e *Engine) Person() string {
	return config.Value[string](config.Merge(e.opt.Config()...), "identity.name")
}

// Off returns the codes of findings that the settings turn off.
func (e *Engine) Off() []string {
	if e.CriteriaAsked() == plan.AskNothing {
		return []string{mdstore.CodeCriteriaOpen}
	}
	return nil
}

// writing returns what the workspace's settings say about writes: whether updatedAt stays unchanged, and whether
// entries of logs name persons.
func (e *Engine) writing(ctx context.Context, v *view.View) (untimed, names bool) {
	own := e.configIn(ctx, config.Workspace, v.Workspace().Dir.Join(mdstore.ConfigFile))
	all := append(e.opt.Config(), e.configIn(ctx, config.Vault, mdstore.ConfigFile), own)
	set := config.Merge(all...)
	return !config.Value[bool](set, "git.timestamps"), config.Value[bool](set, "log.names")
}

// commit makes a draft's changes and publishes the view that they lead to. If the commit fails, commit adds the saves
// that it met to met.
func (e *Engine) commit(ctx context.Context, tx mdstore.Tx, act plan.Act, p planned, met *[]mdstore.Collision) (*plan.Outcome, error) {
	out := p.draft.Outcome()
	if !out.Changed() {
		return out, nil
	}
	entitle(ctx, p.draft.View)
	kept := keepReplaced(ctx, tx, e.opt.Now(), p, out)
	res, err := tx.Commit(ctx, slices.Concat(kept, noteDeleted(p.draft), p.draft.Changes()))
	if err != nil {
		for _, m := range res.Collisions {
			m.Unmade = false // it concerns the failed commit, not the next one
			*met = append(*met, m)
		}
		var conflict *mdstore.ConflictError
		if errors.As(err, &conflict) {
			e.live.Heed(true, conflict.Paths...)
		} else {
			e.live.Stale() // the view may be wrong now, so read the files again
		}
		return nil, err
	}
	if out.Collisions = res.Collisions; kept != nil {
		dropReplaced(ctx, e.st, e.opt.Now())
	}
	var next *view.View
	// After a collision the files hold more than was planned.
	if files, followed := p.draft.Left(); followed && len(res.Collisions) == 0 {
		next = p.base.WithLean(files...)
		e.live.Keep(files...)
	}
	if after, err := e.live.Generation(ctx); err == nil {
		e.live.Committed(p.base, next, p.gen, after)
	} else {
		e.live.Stale()
	}
	p.claims.Follow(act, p.draft)
	if err := p.claims.Write(ctx, e.st); err != nil {
		e.opt.Log.Warn("claims cannot be kept", "error", err) // a failure here must not stop the operation
	}
	return out, unmade(out)
}

// unmade returns the error for a commit that could not change one of its files, because another program saved that file
// at the same moment. The other files stay changed: the store cannot take a commit back once it has changed the first
// file.
func unmade(out *plan.Outcome) error {
	var texts []string
	d := errs.Details{Committed: true}
	for _, m := range out.Collisions {
		if !m.Unmade {
			continue
		}
		text := m.Text
		d.Paths = append(d.Paths, string(m.Path))
		if m.Copy != "" {
			text += " (" + string(m.Copy) + ")"
			d.Paths = append(d.Paths, string(m.Copy))
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return nil
	}
	return errs.New(errs.Conflicting, "%s; the rest of the change is made: compare both versions, take over what is missing, and then delete the copy",
		strings.Join(texts, "; ")).With(d)
}

// writable asks the store what prevents the changes, so that a dry run refuses what a real run would refuse.
func writable(ctx context.Context, st mdstore.Store, changes []mdstore.Change) error {
	w, ok := mdstore.AsStore[mdstore.Writable](st)
	if !ok {
		return nil
	}
	if err := w.Writable(ctx, mdstore.LocalDir); err != nil {
		return err
	}
	for _, c := range changes {
		if c.Keep {
			continue
		}
		may := w.Writable(ctx, c.Path)
		if c.To != "" {
			may = w.Movable(ctx, c.Path, c.To)
		}
		if may != nil {
			return may
		}
	}
	return nil
}

// Import writes a whole workspace in one commit. It writes nothing if a file cannot hold one of the texts.
func (e *Engine) Import(ctx context.Context, w plan.Import, dryRun bool) (*plan.Outcome, error) {
	out := &plan.Outcome{DryRun: dryRun}
	out, err := e.write(ctx, out, func() ([]mdstore.Change, error) { return e.importing(ctx, w, out) })
	if err == nil && !dryRun {
		e.Touched(ctx, w.ID)
	}
	return out, err
}

// importing returns the changes that write the files of a new workspace, and a .gitignore if the vault has none. It
// replaces *out by the outcome of these changes. The error is INVALID_PARAMS if the vault already has the id.
func (e *Engine) importing(ctx context.Context, w plan.Import, out *plan.Outcome) ([]mdstore.Change, error) {
	files, made, err := w.Plan()
	if err != nil {
		return nil, err
	}
	made.DryRun = out.DryRun
	*out = *made
	all, err := e.Workspaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range all {
		if x.ID == w.ID {
			return nil, errs.New(errs.InvalidParams, "%s: the vault has a workspace with this id already, %s (%s); nothing of it was imported: delete that one first, or leave it as it is",
				w.ID, x.Name, x.Path).With(errs.Details{Paths: []string{string(x.Path)}})
		}
	}
	switch _, err := e.st.Read(ctx, mdstore.IgnoreFile); {
	case errors.Is(err, fs.ErrNotExist):
		ignore := mdstore.Change{Path: mdstore.IgnoreFile, New: []byte(plan.Ignored)}
		out.Add(ignore)
		return append(files, ignore), nil
	default:
		return files, err
	}
}

// write commits changes that are computed while no other process can commit. A dry run refuses what the
// commit would refuse.
func (e *Engine) write(ctx context.Context, out *plan.Outcome, changes func() ([]mdstore.Change, error)) (*plan.Outcome, error) {
	if out.DryRun {
		cs, err := changes()
		if err == nil {
			err = writable(ctx, e.st, cs)
		}
		return out, err
	}
	err := e.st.Update(ctx, func(tx mdstore.Tx) error {
		cs, err := changes()
		if err != nil || len(cs) == 0 {
			return err
		}
		res, err := tx.Commit(ctx, cs)
		out.Collisions = res.Collisions
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// An Initialised is what Init has made.
type Initialised struct {
	*plan.Outcome
	ID    mdstore.ID
	Dir   mdstore.Path
	Rules []string
}

// Init makes a workspace with its root node.
func (e *Engine) Init(ctx context.Context, w plan.NewWorkspace, act plan.Act) (*Initialised, error) {
	id, err := e.opt.NewID("ws")
	if err != nil {
		return nil, err
	}
	imp, err := w.Import(id, e.opt.Now(), act.By())
	if err != nil {
		return nil, err
	}
	out, err := e.Import(ctx, imp, act.DryRun)
	if err != nil {
		return nil, err
	}
	return &Initialised{out, id, imp.Dir(), imp.Rules}, nil
}

// Taken returns a function that reports whether the vault has anything at a path.
func (e *Engine) Taken(ctx context.Context) func(mdstore.Path) bool {
	return func(p mdstore.Path) bool {
		_, err := e.st.Read(ctx, p)
		return !errors.Is(err, fs.ErrNotExist) && !live.Passing(err) // on a passing error the commit decides
	}
}
