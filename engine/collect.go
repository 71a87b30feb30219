package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"arbor/engine/claims"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// DeleteWorkspace ends the bindings and the sessions of a workspace and then moves it to the trash, all in one commit.
// It calls still, if not nil, under the lock just before; an error from still refuses the deletion.
func (e *Engine) DeleteWorkspace(
	ctx context.Context, ws mdstore.ID, act plan.Act, force bool, still func() error,
) (deleted *plan.Deleted, out *plan.Outcome, err error) {
	var left error
	out, err = e.apply(ctx, ws, act, func(d *plan.Draft) error {
		if still != nil {
			if err := still(); err != nil {
				return err
			}
		}
		x := plan.DeleteWorkspace{Force: force}
		s, err := e.bindings(ctx)
		if err != nil {
			return err
		}
		x.Bindings, left = s.Raw(), s.Corrupt()
		if x.Unbound, err = s.UnsetTo(ws, e.opt.Now()); err != nil {
			return err
		}
		deleted, err = x.Plan(d)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if left != nil {
		out.Warned = append(out.Warned, "bindings to the workspace may be left: "+left.Error())
	}
	if !act.DryRun {
		_ = e.editAccess(ctx, func(all map[mdstore.ID]access) { delete(all, ws) })
	}
	return deleted, out, nil
}

// Collect says which workspaces go to the trash: those that a resolve on this machine made and that were not used for
// MaxAge.
type Collect struct {
	MaxAge time.Duration // a day or more
	Shared bool          // other workspaces, too; for them every change of their files counts as use

	Hidden map[mdstore.ID]mdstore.Path // workspaces that the caller does not see: they stay, and have no entry
}

// A Collected is a workspace that Collect has looked at.
type Collected struct {
	ID    mdstore.ID
	Name  string
	Trash mdstore.Path // its folder in the trash; "" if it is kept
	Kept  string       // why it is kept; "" if it went
}

// CollectWorkspaces moves old workspaces to the trash as DeleteWorkspace does, each in a commit of its own. It returns
// an entry for every workspace that the caller sees; the entry of a kept one has the reason.
func (e *Engine) CollectWorkspaces(ctx context.Context, c Collect, act plan.Act) ([]Collected, *plan.Outcome, error) {
	all, err := e.Workspaces(ctx)
	if err != nil {
		return nil, nil, err
	}
	var looked []Collected
	out := &plan.Outcome{DryRun: act.DryRun}
	for _, w := range all {
		if c.Hidden[w.ID] != "" {
			continue
		}
		one := Collected{ID: w.ID, Name: w.Name}
		d, o, err := (*plan.Deleted)(nil), (*plan.Outcome)(nil), e.unused(ctx, w, c)
		if err == nil { // the plan decides again under the lock
			d, o, err = e.DeleteWorkspace(ctx, w.ID, act, true, func() error { return e.unused(ctx, w, c) })
		}
		if err != nil {
			one.Kept = err.Error()
		} else {
			one.Trash = d.Trash
			out.Files = append(out.Files, o.Files...)
			out.Warned = append(out.Warned, o.Warned...)
			out.Collisions = append(out.Collisions, o.Collisions...)
		}
		looked = append(looked, one)
	}
	return looked, out, ctx.Err()
}

// unused returns nil if a workspace may go to the trash, and otherwise the reason to keep it.
func (e *Engine) unused(ctx context.Context, w *mdstore.Workspace, c Collect) error {
	if w.ID == mdstore.DefaultWorkspace {
		return errors.New("it is the default workspace")
	}
	v, err := e.WithPages(ctx, w.ID)
	switch {
	case err != nil:
		return fmt.Errorf("it cannot be read: %w", err)
	case len(v.AllBroken()) > 0 || w.Version.IsZero() || w.Doc.Editable() != nil:
		return errors.New("it cannot be read: files are damaged; arbor check names them")
	}
	noted, err := e.readAccess(ctx)
	if err != nil {
		return err
	}
	own := noted[w.ID]
	if !own.Resolved && !c.Shared {
		return errors.New("it was not created by session for on this machine (shared includes it)")
	}
	if err := e.inUse(ctx, v, c.MaxAge); err != nil {
		return err
	}
	last, err := e.newest(ctx, w, !own.Resolved)
	last = max(last, own.At)
	switch {
	case err != nil:
		return err
	case last <= 0:
		return errors.New("its last use is unknown")
	case e.since(last) < c.MaxAge:
		return fmt.Errorf("it was used on %s", day(last))
	}
	return nil
}

// since returns how long ago a time in Unix milliseconds is.
func (e *Engine) since(ms int64) time.Duration { return e.opt.Now().Sub(time.UnixMilli(ms)) }

func day(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }

// inUse returns an error that names what keeps a workspace in use: a claim, an open session, or a binding that is
// younger than within.
func (e *Engine) inUse(ctx context.Context, v *view.View, within time.Duration) error {
	l, err := claims.Read(ctx, e.st, e.opt.Now())
	if err != nil {
		return err
	}
	for n := range v.All() {
		if c, holds := l.Get(v.Workspace().ID, n.ID); holds {
			return fmt.Errorf("%s is claimed by %s", n.ID, c.By())
		}
	}
	if err := e.openSession(ctx, v.Workspace().ID); err != nil {
		return err
	}
	s, err := e.bindings(ctx)
	if err == nil {
		err = s.Corrupt() // what cannot be read may be a binding to it
	}
	if err != nil {
		return err
	}
	for _, b := range s.To(v.Workspace().ID) {
		if e.since(b.BoundAt) < within {
			return fmt.Errorf("%s was bound to it on %s", b.SessionID, day(b.BoundAt))
		}
	}
	return nil
}

// openSession returns an error that names a session of a workspace that has not ended. The conversation of the
// identifier that the workspace was created for does not count: it has no end.
func (e *Engine) openSession(ctx context.Context, ws mdstore.ID) error {
	return e.Read(ctx, func(ctx context.Context) error {
		v, err := e.WithPages(ctx, ws)
		if err != nil {
			return err
		}
		for _, p := range v.Pages().Of(mdstore.SessionKind) {
			whose := p.Field(mdstore.KeyExternal)
			conversation := whose != "" && whose == v.Workspace().Identifier
			if !conversation && view.SessionEnded(p, e.opt.Now()) == 0 {
				return fmt.Errorf("session %s is open", p.ID)
			}
		}
		return nil
	})
}

// newest returns the latest modification time of a workspace's files, in Unix milliseconds, 0 if none is known. With
// lines it also counts the workspace's updatedAt, and the times in the logs of the workspace, its nodes and its
// sessions.
func (e *Engine) newest(ctx context.Context, w *mdstore.Workspace, lines bool) (last int64, err error) {
	for f, err := range e.st.List(ctx, w.Dir) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		last = max(last, f.Stamp.Mtime/1e6)
	}
	if !lines {
		return last, nil
	}
	last = max(last, w.UpdatedAt)
	err = e.Read(ctx, func(ctx context.Context) error {
		v, err := e.WithPages(ctx, w.ID)
		if err != nil {
			return err
		}
		entries := v.Workspace().Log()
		for n := range v.All() {
			entries = append(entries, n.Log()...)
		}
		for _, p := range v.Pages().Of(mdstore.SessionKind) {
			entries = append(entries, p.Log()...)
		}
		for _, l := range entries {
			if t, err := time.Parse(mdstore.TimeLayout, l.Time); err == nil {
				last = max(last, t.UnixMilli())
			}
		}
		return nil
	})
	return last, err
}
