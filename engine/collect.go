package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"arbor/engine/claims"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// DeleteWorkspace moves a workspace to the trash, after its bindings and its sessions have ended: all in one commit, in this order. still
// may refuse it at the last moment; nil does not.
func DeleteWorkspace(ctx context.Context, e *Engine, ws mdstore.ID, act plan.Act, force bool, still func() error) (*plan.Deleted, *plan.Outcome, error) {
	unbound := func(ws mdstore.ID) ([]mdstore.Change, []byte, error) {
		s, err := sessions.ReadSound(ctx, e.st)
		if err != nil {
			return nil, nil, err
		}
		changes, err := s.UnsetTo(ws, e.opt.Now())
		return changes, s.Raw(), err
	}
	var deleted *plan.Deleted
	out, err := e.apply(ctx, ws, act, func(d *plan.Draft) (err error) {
		if still != nil {
			if err := still(); err != nil {
				return err
			}
		}
		deleted, err = plan.DeleteWorkspace{Force: force, Unbound: unbound}.Plan(d)
		return err
	})
	if err == nil && !act.DryRun {
		noteLater(ctx, e, ws, false, true)
	}
	return deleted, out, err
}

// LeastAge is the smallest age at which workspaces are collected.
const LeastAge = 24 * time.Hour

// Collect says which workspaces go to the trash: those that a resolve on this machine made and that nobody has used for MaxAge.
type Collect struct {
	MaxAge time.Duration // LeastAge or more
	Shared bool          // others too: of them what anybody did in their files counts
}

// A Collected is a workspace that Collect has looked at.
type Collected struct {
	ID    mdstore.ID
	Name  string
	Trash mdstore.Path // where it went; "" where it is kept
	Kept  string       // why it is kept; "" where it went
}

// CollectWorkspaces moves old workspaces to the trash as DeleteWorkspace does, each in a commit of its own. Each that is kept is named
// with the reason.
func CollectWorkspaces(ctx context.Context, e *Engine, c Collect, act plan.Act) (looked []Collected, out *plan.Outcome, err error) {
	all, err := e.Workspaces(ctx)
	if err != nil {
		return nil, nil, err
	}
	out = &plan.Outcome{DryRun: act.DryRun}
	for _, w := range all {
		one := Collected{ID: w.ID, Name: w.Name}
		unused := func() error { return unused(ctx, e, w, c) }
		if err = unused(); err == nil {
			var d *plan.Deleted
			var o *plan.Outcome
			if d, o, err = DeleteWorkspace(ctx, e, w.ID, act, true, unused); err == nil {
				one.Trash = d.Trash
				out.Files = append(out.Files, o.Files...)
				out.Warned = append(out.Warned, o.Warned...)
				out.Collisions = append(out.Collisions, o.Collisions...)
			}
		}
		if err != nil {
			one.Kept = err.Error()
		}
		looked = append(looked, one)
	}
	return looked, out, ctx.Err()
}

// unused returns nil for a workspace that may go, and else why it is to be kept.
func unused(ctx context.Context, e *Engine, w *mdstore.Workspace, c Collect) error {
	if w.ID == mdstore.DefaultWorkspace {
		return errors.New("it is the default workspace")
	}
	v, err := e.View(ctx, w.ID)
	if err == nil && (len(v.Broken()) > 0 || w.Version.IsZero()) {
		err = errors.New("files are damaged; arbor check names them")
	}
	if err == nil {
		err = w.Doc.Editable()
	}
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	noted, err := readAccess(ctx, e)
	own := noted[w.ID]
	if err == nil && !own.Resolved && !c.Shared {
		return errors.New("no resolve on this machine made it (shared takes it too)")
	}
	last := own.At
	if err == nil {
		last, err = newest(ctx, e, w, last, !own.Resolved)
	}
	if err == nil {
		err = inUse(ctx, e, v, c.MaxAge)
	}
	switch age := e.opt.Now().Sub(time.UnixMilli(last)); {
	case err != nil:
		return err
	case last <= 0:
		return errors.New("it is not known when it was used last")
	case age < c.MaxAge:
		return fmt.Errorf("it was used %s ago", days(age))
	}
	return nil
}

// inUse returns an error that names what holds a workspace: a claim, an open session, a binding that was made within some time.
func inUse(ctx context.Context, e *Engine, v *view.View, within time.Duration) error {
	l, err := claims.Read(ctx, e.st, e.opt.Now())
	if err != nil {
		return err
	}
	for n := range v.All() {
		if c, holds := l.Get(v.Workspace().ID, n.ID); holds {
			return fmt.Errorf("%s is claimed by %s", n.ID, c.By())
		}
	}
	if open := plan.OpenSessions(v); len(open) > 0 {
		return fmt.Errorf("session %s is open", open[0].ID)
	}
	s, err := sessions.ReadSound(ctx, e.st)
	if err != nil {
		return err
	}
	for _, b := range s.To(v.Workspace().ID) {
		if age := e.opt.Now().Sub(time.UnixMilli(b.BoundAt)); age < within {
			return fmt.Errorf("%s was bound to it %s ago", b.SessionID, days(age))
		}
	}
	return nil
}

// newest returns the latest of a time, those of the files of a workspace, and with lines also those of its front matter and of the lines
// in the logs of it, its nodes and its sessions: in Unix milliseconds, 0 where none is known.
func newest(ctx context.Context, e *Engine, w *mdstore.Workspace, last int64, lines bool) (int64, error) {
	for f, err := range e.st.List(ctx, w.Dir) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return last, err
		}
		last = max(last, f.Stamp.Mtime/1e6)
	}
	if !lines {
		return last, nil
	}
	last = max(last, w.UpdatedAt)
	return last, e.Read(ctx, func(ctx context.Context) error {
		v, err := e.View(ctx, w.ID)
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
}

// days returns a duration in words.
func days(d time.Duration) string {
	switch n := int(d / (24 * time.Hour)); n {
	case 0:
		return "less than a day"
	case 1:
		return "a day"
	default:
		return fmt.Sprintf("%d days", n)
	}
}
