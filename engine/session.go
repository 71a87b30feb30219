package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"arbor/engine/claims"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// bindings returns the bindings of this machine. What cannot be read of a damaged file, or all of a missing one, is
// restored from what the workspaces say about themselves.
func (e *Engine) bindings(ctx context.Context) (*sessions.Bindings, error) {
	s, err := sessions.ReadBindings(ctx, e.st)
	if err != nil || s.Whole() {
		return s, err
	}
	all, err := e.live.Known(ctx)
	if err != nil {
		return nil, err
	}
	return s, s.Restore(all)
}

// BindingsDamaged reports whether sessions.json cannot be read as a whole, so that bindings may be lost.
func (e *Engine) BindingsDamaged(ctx context.Context) bool {
	s, err := sessions.ReadBindings(ctx, e.st)
	return err != nil || s.Corrupt() != nil
}

// Binding returns what a session is bound to.
func (e *Engine) Binding(ctx context.Context, session string) (sessions.Binding, bool, error) {
	if err := sessions.ValidID(session); err != nil {
		return sessions.Binding{}, false, err
	}
	s, err := e.bindings(ctx)
	if err != nil {
		return sessions.Binding{}, false, err
	}
	b, ok := s.Get(session)
	return b, ok, nil
}

// LikeSession returns the id of a bound session that an id without a binding is probably meant to be, "" for none: see
// sessions.Bindings.Like.
func (e *Engine) LikeSession(ctx context.Context, session string) string {
	s, err := e.bindings(ctx)
	if err != nil {
		return ""
	}
	return s.Like(session)
}

// Bind makes the workspace of b the default of its session, and the node of b, if any, the session's focus.
func (e *Engine) Bind(ctx context.Context, b sessions.Binding, act plan.Act) (*plan.Outcome, error) {
	if err := sessions.ValidID(b.SessionID); err != nil {
		return nil, err
	}
	v, err := e.View(ctx, b.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if b.FocusedNodeID != "" {
		if _, err := v.Known(b.FocusedNodeID); err != nil {
			return nil, err
		}
		if err := e.name(ctx, b.WorkspaceID, act, b.FocusedNodeID); err != nil {
			return nil, err
		}
	}
	now := e.opt.Now()
	b.BoundAt = now.UnixMilli()
	out, err := e.editBindings(ctx, act, view.Change{ID: mdstore.ID(b.SessionID), Do: "bound to " + string(b.WorkspaceID)}, func(s *sessions.Bindings) ([]mdstore.Change, error) {
		return s.Set(b, now)
	})
	if err == nil && !act.DryRun {
		e.Touched(ctx, b.WorkspaceID)
	}
	return out, err
}

// Unbind ends a session's binding, releases its claims and forgets what it has seen. Without a binding the error is
// SESSION_NOT_FOUND.
func (e *Engine) Unbind(ctx context.Context, session string, act plan.Act) (*plan.Outcome, error) {
	if err := sessions.ValidID(session); err != nil {
		return nil, err
	}
	out, err := e.editBindings(ctx, act, view.Change{ID: mdstore.ID(session), Do: "unbound"}, func(s *sessions.Bindings) ([]mdstore.Change, error) {
		return s.Unset(session, e.opt.Now())
	})
	if err != nil || act.DryRun {
		return out, err
	}
	e.Leave(ctx, session, act.Who)
	return out, nil
}

// Leave releases the claims of a session whose binding has ended, and forgets what it has seen. who is the caller: see
// GiveBackClaims.
func (e *Engine) Leave(ctx context.Context, session, who string) {
	if err := e.GiveBackClaims(ctx, session, who); err != nil {
		e.opt.Log.Warn("claims end with their lease only", "session", session, "error", err)
	}
	if err := e.seen.Forget(ctx, session); err != nil {
		e.opt.Log.Warn("what a session has seen stays", "session", session, "error", err)
	}
}

// editBindings commits the changes that edit returns for sessions.json.
func (e *Engine) editBindings(ctx context.Context, act plan.Act, what view.Change, edit func(*sessions.Bindings) ([]mdstore.Change, error)) (*plan.Outcome, error) {
	out := &plan.Outcome{DryRun: act.DryRun}
	return e.write(ctx, out, func() ([]mdstore.Change, error) {
		s, err := e.bindings(ctx)
		if err != nil {
			return nil, err
		}
		changes, err := edit(s)
		out.Files = nil
		addBindings(out, s, changes, what)
		return changes, err
	})
}

// addBindings adds changes of bindings to an outcome.
func addBindings(out *plan.Outcome, s *sessions.Bindings, changes []mdstore.Change, what view.Change) {
	for _, c := range changes {
		out.Add(c, what)
		if c.Path == mdstore.SessionsFile && !c.Base.IsZero() {
			out.Files[len(out.Files)-1].Old = s.Raw()
		}
	}
}

// Attend keeps what a session has seen in memory only. It is for the session of a connection, which ends with the
// connection. leave forgets the session and releases its claims.
func (e *Engine) Attend(session string) (leave func()) {
	forget := e.seen.Attend(session)
	return func() {
		forget()
		_ = e.GiveBackClaims(context.Background(), session, "") // if it fails, they end with their lease
	}
}

// GiveBackClaims gives back all that a session has claimed, but for claims of another person than who, if it is not "".
func (e *Engine) GiveBackClaims(ctx context.Context, session, who string) error {
	drop := func(l *claims.Ledger, session string) { l.Drop(session, who) }
	return claims.EditOf(ctx, e.st, e.opt.Now, session, drop)
}

// HandOver gives all that a session has claimed, and what it knows of texts, to another session. A connection that
// changes its session calls it.
func (e *Engine) HandOver(ctx context.Context, session, to string) error {
	handOver := func(l *claims.Ledger, session string) { l.HandOver(session, to) }
	return errors.Join(claims.EditOf(ctx, e.st, e.opt.Now, session, handOver), e.seen.HandOver(ctx, session, to))
}

// RenewClaims lets the leases of all claims of a session begin anew. A server calls it for its connections every
// claims.RenewEvery.
func (e *Engine) RenewClaims(ctx context.Context, session string) error {
	return claims.EditOf(ctx, e.st, e.opt.Now, session, (*claims.Ledger).Renew)
}

// Next returns at most count nodes that can be worked on: see claims.Ledger.Offer. With a lease above zero it claims
// them, so that no two sessions get the same node.
func (e *Engine) Next(ctx context.Context, ws mdstore.ID, act plan.Act, count int, lease time.Duration) (out *claims.Offer, err error) {
	if act.Session != "" {
		if err := sessions.ValidID(act.Session); err != nil {
			return nil, err
		}
	}
	if lease > claims.MaxLease || count < 0 {
		return nil, errs.New(errs.InvalidParams, "%d nodes for %v: a claim lasts at most %v, and no fewer than 0 nodes can be taken", count, lease, claims.MaxLease)
	}
	if lease <= 0 {
		v, err := e.View(ctx, ws)
		if err != nil {
			return nil, err
		}
		l, err := claims.Read(ctx, e.st, e.opt.Now())
		if err != nil {
			return nil, err
		}
		return l.Shown(l.Offer(v, act, count)), nil
	}
	err = e.editClaimsIn(ctx, ws, func(v *view.View, l *claims.Ledger) error {
		if err := plan.New(v, act, plan.Options{Now: e.opt.Now()}).Writable(); err != nil {
			return err
		}
		out = l.Offer(v, act, count)
		l.Take(ws, out, act, lease)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var ids plan.Name
	for _, r := range out.Nodes {
		ids = append(ids, r.Node.ID)
	}
	return out, e.name(ctx, ws, act, ids...)
}

// name writes the ids of nodes whose files state none, before a claim or a focus names them: otherwise it would be lost
// when a folder is renamed.
func (e *Engine) name(ctx context.Context, ws mdstore.ID, act plan.Act, ids ...mdstore.ID) error {
	v, err := e.View(ctx, ws)
	stated := func(id mdstore.ID) bool { n, ok := v.Node(id); return !ok || !n.Gaps().ID }
	if err != nil || !slices.ContainsFunc(ids, func(id mdstore.ID) bool { return !stated(id) }) {
		return err
	}
	act.IfMatch, act.Trace = "", ""
	_, _, err = Apply(ctx, e, ws, act, plan.Name(ids))
	return err
}

// editClaimsIn changes the claims of one workspace under the lock, and drops the claims of nodes that are done or gone.
func (e *Engine) editClaimsIn(ctx context.Context, ws mdstore.ID, edit func(*view.View, *claims.Ledger) error) error {
	return claims.Edit(ctx, e.st, e.opt.Now, func(l *claims.Ledger) error {
		v, err := e.View(ctx, ws)
		if err != nil {
			return err
		}
		if err := edit(v, l); err != nil {
			return err
		}
		all, err := e.Workspaces(ctx)
		if err != nil {
			return err
		}
		l.Prune(v, all)
		return nil
	})
}

// Release gives a claimed node back, so that other sessions may get it. Only the session that claimed the node may do
// so, or a person. The bool is false if the node was not claimed any more.
func (e *Engine) Release(ctx context.Context, ws, id mdstore.ID, act plan.Act) (given bool, err error) {
	err = e.editClaimsIn(ctx, ws, func(v *view.View, l *claims.Ledger) error {
		n, err := v.Known(id)
		if err != nil {
			return err
		}
		given, err = l.Release(ws, n, act)
		return err
	})
	return given && err == nil, err
}

// Claims returns the claims as they are now. With an error it is empty.
func (e *Engine) Claims(ctx context.Context) (*claims.Ledger, error) {
	return claims.Read(ctx, e.st, e.opt.Now())
}

// Seen is what changed in a workspace since a session last looked.
type Seen struct {
	Differences []view.Difference // in the order of paths
	First       bool              // the session looks for the first time: there is nothing to compare with
	Unnoted     error             // why it could not be noted that the session has looked; nil if it was
}

// Changes returns what changed in a workspace since the session last looked. take gets the differences, and returns how
// many of them, from the first one on, the session has seen now; nil: none.
func (e *Engine) Changes(ctx context.Context, ws mdstore.ID, session string, take func([]view.Difference) int) (*Seen, error) {
	if err := sessions.ValidID(session); err != nil {
		return nil, err
	}
	if take != nil && !e.live.Following() {
		e.live.Stale() // find the saves by people, too
	}
	v, err := e.live.Current(ctx, ws)
	if err != nil {
		return nil, err
	}
	out := &Seen{}
	out.Differences, out.First, out.Unnoted = e.seen.Changes(ctx, session, v, take)
	return out, ctx.Err()
}

// Untold returns those of all, which are texts removed from files, that were not yet reported to the session: see
// sessions.Seen.Untold.
func (e *Engine) Untold(ctx context.Context, session string, all []mdstore.Collision, note bool) []mdstore.Collision {
	return e.seen.Untold(ctx, session, all, note)
}

// NoteOwn notes that a session made these changes itself. They are then not reported to it as changes by others, and
// the session knows the texts that it wrote.
func (e *Engine) NoteOwn(ctx context.Context, ws mdstore.ID, session string, o *plan.Outcome) error {
	if session == "" || o.DryRun || !o.Changed() {
		return nil
	}
	var wrote []plan.Text
	for _, f := range o.Files {
		_, now := f.Texts()
		wrote = append(wrote, now...)
	}
	return errors.Join(e.seen.Own(ctx, session, ws, o.Files), e.seen.NoteTexts(ctx, session, ws, wrote, true))
}

// NoteSent notes that a session was sent these texts whole.
func (e *Engine) NoteSent(ctx context.Context, ws mdstore.ID, session string, texts []plan.Text) error {
	return e.seen.NoteTexts(ctx, session, ws, texts, false)
}
