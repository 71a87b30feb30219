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

// DeleteWorkspace moves a workspace to the trash, after its bindings and its sessions have ended: all in one commit, in this order.
func DeleteWorkspace(ctx context.Context, e *Engine, ws mdstore.ID, act plan.Act, force bool) (*plan.Deleted, *plan.Outcome, error) {
	return deleteWorkspace(ctx, e, ws, act, force, nil)
}

// deleteWorkspace is DeleteWorkspace with a condition that must still hold when it is done.
func deleteWorkspace(ctx context.Context, e *Engine, ws mdstore.ID, act plan.Act, force bool, still func() error) (*plan.Deleted, *plan.Outcome, error) {
	unbound := func(ws mdstore.ID) ([]mdstore.Change, []byte, error) {
		s, err := sessions.ReadBindings(ctx, e.st)
		if err == nil {
			err = s.Corrupt()
		}
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
		forget(ctx, e, ws)
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
	Used  time.Time    // when it was last used, as far as is known
	Trash mdstore.Path // where it went; "" where it is kept
	Kept  string       // why it is kept; "" where it went
}

// CollectWorkspaces moves old workspaces to the trash as DeleteWorkspace does, each in a commit of its own. Each that is kept is named
// with the reason.
func CollectWorkspaces(ctx context.Context, e *Engine, c Collect, act plan.Act) ([]Collected, *plan.Outcome, error) {
	all, err := e.Workspaces(ctx)
	if err != nil {
		return nil, nil, err
	}
	out := &plan.Outcome{DryRun: act.DryRun}
	var looked []Collected
	for _, w := range all {
		one := Collected{ID: w.ID, Name: w.Name}
		one.Used, one.Kept = unused(ctx, e, w, c)
		if one.Kept == "" {
			still := func() error {
				if _, why := unused(ctx, e, w, c); why != "" {
					return errors.New(why)
				}
				return nil
			}
			d, o, err := deleteWorkspace(ctx, e, w.ID, act, true, still)
			switch {
			case ctx.Err() != nil:
				return nil, nil, ctx.Err()
			case err != nil:
				one.Kept = err.Error()
			default:
				one.Trash = d.Trash
				out.Files = append(out.Files, o.Files...)
				out.Warned = append(out.Warned, o.Warned...)
				out.Collisions = append(out.Collisions, o.Collisions...)
			}
		}
		looked = append(looked, one)
	}
	return looked, out, nil
}

// unused returns when a workspace was last used, and why it is to be kept; "" where it may go.
func unused(ctx context.Context, e *Engine, w *mdstore.Workspace, c Collect) (last time.Time, why string) {
	if w.ID == mdstore.DefaultWorkspace {
		return last, "it is the default workspace"
	}
	v, err := e.View(ctx, w.ID)
	if err != nil {
		return last, "it cannot be read: " + err.Error()
	}
	if broken := v.Broken(); len(broken) > 0 || w.Version.IsZero() || w.Doc.Editable() != nil {
		return last, "it cannot be read whole; arbor check says why"
	}
	noted, err := readAccess(ctx, e)
	if err != nil {
		return last, "it is not known when it was used last: " + err.Error()
	}
	own := noted[w.ID]
	if !own.Resolved && !c.Shared {
		return last, "no resolve on this machine made it (shared takes it too)"
	}
	files, err := newestFile(ctx, e, w.Dir)
	if err != nil {
		return last, "it cannot be read: " + err.Error()
	}
	last = latest(unixMilli(own.At), files)
	if !own.Resolved {
		line, err := newestLine(ctx, e, w.ID)
		if err != nil {
			return last, "it cannot be read: " + err.Error()
		}
		last = latest(last, unixMilli(w.UpdatedAt), line)
	}
	now := e.opt.Now()
	switch held, err := inUse(ctx, e, v, now.Add(-c.MaxAge)); {
	case err != nil:
		return last, "it is not known whether it is in use: " + err.Error()
	case held != "":
		return last, held
	case last.IsZero():
		return last, "it is not known when it was used last"
	case now.Sub(last) < c.MaxAge:
		return last, fmt.Sprintf("it was used %s ago", days(now.Sub(last)))
	}
	return last, ""
}

// inUse returns what holds a workspace, "" for nothing: a claim, an open session, a binding that was made since then.
func inUse(ctx context.Context, e *Engine, v *view.View, since time.Time) (string, error) {
	l, err := claims.Read(ctx, e.st, e.opt.Now())
	if err != nil {
		return "", err
	}
	for n := range v.All() {
		if c, holds := l.Get(v.Workspace().ID, n.ID); holds {
			return fmt.Sprintf("%s is claimed by %s", n.ID, c.By()), nil
		}
	}
	if open := plan.OpenSessions(v); len(open) > 0 {
		return "session " + string(open[0].ID) + " is open", nil
	}
	s, err := sessions.ReadBindings(ctx, e.st)
	if err == nil {
		err = s.Corrupt()
	}
	if err != nil {
		return "", err
	}
	for _, b := range s.To(v.Workspace().ID) {
		if time.UnixMilli(b.BoundAt).After(since) {
			return fmt.Sprintf("%s was bound to it %s ago", b.SessionID, days(e.opt.Now().Sub(time.UnixMilli(b.BoundAt)))), nil
		}
	}
	return "", nil
}

// newestFile returns when the newest file of a workspace changed; the zero time where the store does not tell.
func newestFile(ctx context.Context, e *Engine, dir mdstore.Path) (last time.Time, err error) {
	for f, err := range e.st.List(ctx, dir) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return last, err
		}
		if f.Stamp.Mtime != 0 {
			last = latest(last, time.Unix(0, f.Stamp.Mtime))
		}
	}
	return last, nil
}

// newestLine returns the time of the newest line in the logs of a workspace, its nodes and its sessions; the zero time for none.
func newestLine(ctx context.Context, e *Engine, ws mdstore.ID) (last time.Time, err error) {
	err = e.Read(ctx, func(ctx context.Context) error {
		v, err := e.View(ctx, ws)
		if err != nil {
			return err
		}
		logs := [][]mdstore.LogEntry{v.Workspace().Log()}
		for n := range v.All() {
			logs = append(logs, n.Log())
		}
		for _, p := range v.Pages().Of(mdstore.SessionKind) {
			logs = append(logs, p.Log())
		}
		for _, entries := range logs {
			for _, l := range entries {
				if t, err := time.Parse(mdstore.TimeLayout, l.Time); err == nil {
					last = latest(last, t)
				}
			}
		}
		return nil
	})
	return last, err
}

func latest(all ...time.Time) (last time.Time) {
	for _, t := range all {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// unixMilli returns a time that is noted in milliseconds, the zero time for 0.
func unixMilli(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
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
