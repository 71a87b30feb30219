package ops

import (
	"context"
	"strconv"
	"time"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// SessionBind makes a workspace the default of a session.
func SessionBind(ctx context.Context, env *Env, in SessionBindIn) (*SessionBindOut, error) {
	if in.WorkspaceID == "" {
		e := engine.Fail(engine.InvalidParams, "workspaceId is empty; name the workspace that the session is to be bound to (workspace_list)")
		e.Details = &engine.Details{Param: "workspaceId"}
		return nil, e
	}
	s, err := env.snapshot(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	w := s.Workspace()
	b := engine.Binding{SessionID: in.SessionID, WorkspaceID: w.ID}
	if in.NodeID != "" {
		if b.FocusedNodeID, err = env.resolve(s, in.NodeID, "nodeId"); err != nil {
			return nil, err
		}
	} else if old, ok, err := env.Engine.Binding(ctx, in.SessionID); err == nil && ok && old.WorkspaceID == w.ID {
		if _, there := s.Node(old.FocusedNodeID); there {
			b.FocusedNodeID = old.FocusedNodeID // who comes back goes on where the session was
		}
	}
	o, err := env.Engine.Bind(ctx, b, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	out := &SessionBindOut{WorkspaceID: string(w.ID), WorkspaceName: w.Name, FocusedNodeID: string(b.FocusedNodeID), Rules: w.Rules(), RulesHash: w.RulesHash(),
		Wrote: env.wrote(ctx, w.ID, o, "calls of this session may leave out workspaceId")}
	if out.FocusedNodeID == "" {
		out.FocusedNodeID = string(w.Focus)
	}
	if out.Rules == nil {
		out.Rules = []string{}
	}
	return out, nil
}

// SessionUnbind ends a session's binding.
func SessionUnbind(ctx context.Context, env *Env, in SessionUnbindIn) (*SessionUnbindOut, error) {
	o, err := env.Engine.Unbind(ctx, in.SessionID, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	return &SessionUnbindOut{env.wrote(ctx, "", o, "calls name their workspace again, where more than one is active")}, nil
}

// SessionStatus says what a session is bound to.
func SessionStatus(ctx context.Context, env *Env, in SessionIn) (*SessionStatusOut, error) {
	return touching(ctx, env, in, sessionStatus)
}

func sessionStatus(ctx context.Context, env *Env, in SessionIn) (*SessionStatusOut, error) {
	b, ok, err := env.Engine.Binding(ctx, in.SessionID)
	if err != nil {
		return nil, fail(err)
	}
	all, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	if ok {
		for _, w := range all {
			if w.ID != b.WorkspaceID {
				continue
			}
			out := &SessionStatusOut{Bound: true, WorkspaceID: string(w.ID), WorkspaceName: w.Name, FocusedNodeID: string(b.FocusedNodeID), Rules: append([]string{}, w.Rules()...),
				AvailableWorkspaces: []WorkspaceHead{}, Out: Out{Hint: "context_get brings the context of its focus"}}
			if out.FocusedNodeID == "" {
				out.FocusedNodeID = string(w.Focus)
			}
			if b.FocusedNodeID == "" {
				return out, nil
			}
			if s, err := env.Engine.Snapshot(ctx, w.ID); err == nil { // what else is wrong with the workspace is not asked here
				id, lost := focus(s, b.FocusedNodeID)
				if out.FocusedNodeID = string(id); lost != "" {
					out.Hint = lost
				}
			}
			return out, nil
		}
	}
	out := &SessionStatusOut{Rules: []string{}, AvailableWorkspaces: []WorkspaceHead{}, Out: Out{Hint: "bind the session with session_bind"}}
	if ok {
		out.LostWorkspaceID = string(b.WorkspaceID)
		out.Hint = "the session was bound to " + string(b.WorkspaceID) + ", which is gone; " + out.Hint
	}
	for _, w := range all {
		if w.Status == mdstore.StatusActive {
			out.AvailableWorkspaces = append(out.AvailableWorkspaces, env.head(w))
		}
	}
	shown := fitting(env, out.AvailableWorkspaces, besideList)
	out.AvailableWorkspaces, out.Hidden = out.AvailableWorkspaces[:shown], len(out.AvailableWorkspaces)-shown
	return out, nil
}

// ChangesGet lists what others changed.
func ChangesGet(ctx context.Context, env *Env, in ChangesGetIn) (*ChangesGetOut, error) {
	env = env.as(in.SessionID)
	ws, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	out := &ChangesGetOut{Changes: []FileChange{}}
	var diffs []engine.Difference
	if in.Since != "" {
		t, err := since(in.Since, env.Engine.Now())
		if err != nil {
			return nil, err
		}
		s, err := env.Engine.Snapshot(ctx, ws)
		if err != nil {
			return nil, fail(err)
		}
		diffs = s.Since(t)
		out.Hint = "by updatedAt; hand edits that leave it alone show only to a session"
	} else {
		if env.Session == "" {
			e := engine.Fail(engine.InvalidParams, "sessionId is missing; name a session (--session, ARBOR_SESSION), whose last look is remembered, or a time (since)")
			e.Details = &engine.Details{Param: "sessionId"}
			return nil, e
		}
		seen, err := env.Engine.Changes(ctx, ws, env.Session, func(all []engine.Difference) int { return env.shown(all) })
		if err != nil {
			return nil, fail(err)
		}
		diffs, out.First, out.Hint = seen.Differences, seen.First, "they count as seen now"
		if seen.Unnoted != nil {
			out.Hint = "that they were seen could not be noted, so they are named again next time: " + seen.Unnoted.Error()
		} else if out.First {
			out.Hint = "the session looks for the first time; changes from now on are named at the next call"
		}
	}
	shown := env.shown(diffs)
	for _, d := range diffs[:shown] {
		out.Changes = append(out.Changes, env.change(d))
	}
	if out.Hidden = len(diffs) - shown; out.Hidden > 0 && in.Since == "" {
		out.Hint = shownOf(shown, len(diffs), "changes", "those shown count as seen, the next call names the others")
	} else if out.Hidden > 0 {
		out.Hint = shownOf(shown, len(diffs), "changes", "a later time narrows it")
	}
	return out, nil
}

func (env *Env) change(d engine.Difference) FileChange {
	return FileChange{Path: env.path(d.Path), From: env.pathOrNone(d.From), NodeID: string(d.Node), Title: d.Title, Kind: d.Kind, Fields: d.Fields, Sections: d.Sections}
}

// shown returns how many of the changes have room in a result.
func (env *Env) shown(ds []engine.Difference) int {
	if !env.bounded() {
		return len(ds)
	}
	all := make([]FileChange, len(ds))
	for i, d := range ds {
		all[i] = env.change(d)
	}
	return fitting(env, all, besideList)
}

// since reads a point in time in any of the forms that people and programs write.
func since(s string, now time.Time) (time.Time, error) {
	if ms, err := strconv.ParseInt(s, 10, 64); err == nil {
		return time.UnixMilli(ms), nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, mdstore.TimeLayout, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	e := engine.Fail(engine.InvalidParams, "since %q: 2026-01-01 10:00:00 (UTC), RFC 3339, Unix milliseconds, or a duration such as 2h30m are expected", s)
	e.Details = &engine.Details{Param: "since"}
	return time.Time{}, e
}

// WorkspaceCheck returns every diagnostic, of one workspace or of all, and mends on request what can be mended.
func WorkspaceCheck(ctx context.Context, env *Env, in WorkspaceCheckIn) (*WorkspaceCheckOut, error) {
	var ids []mdstore.ID
	out := &WorkspaceCheckOut{Diagnostics: []mdoc.Diagnostic{}, Fixed: []mdoc.Diagnostic{}, Wrote: Wrote{Success: true}}
	if in.WorkspaceID != "" {
		id, err := env.workspace(ctx, in.WorkspaceID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	} else {
		if in.Fix {
			fixed, o, err := env.Engine.FixVault(ctx, env.act(in.Write, Match{}))
			if err != nil {
				return nil, fail(err)
			}
			env.mended(ctx, "", fixed, o, out)
		}
		found, err := env.Engine.CheckVault(ctx)
		if err != nil {
			return nil, fail(err)
		}
		out.Diagnostics = append(out.Diagnostics, found.Diagnostics...)
		ids, out.Checked = found.Workspaces, found.Files
	}
	for i, id := range ids {
		env.progress(i, len(ids), string(id))
		if in.Fix {
			if checked, err := env.fix(ctx, id, in.Write, out); checked || err != nil {
				if err != nil {
					return nil, err
				}
				continue
			}
		}
		snap, ds, err := env.Engine.Check(ctx, id)
		if err != nil {
			return nil, fail(err)
		}
		out.Checked += snap.Len() + 1
		out.Diagnostics = append(out.Diagnostics, ds...)
	}
	env.progress(len(ids), len(ids), "checked")
	fixed, files := share(env, out.Fixed, 4), share(env, out.Wrote.Files, 4)
	out.FixedHidden, out.More = len(out.Fixed)-fixed, out.More+len(out.Wrote.Files)-files
	out.Fixed, out.Wrote.Files = out.Fixed[:fixed], out.Wrote.Files[:files]
	fixable := 0
	for _, d := range out.Diagnostics {
		if d.Fix != "" {
			fixable++
		}
	}
	switch {
	case len(out.Diagnostics) == 0:
		out.Hint = "nothing is wrong"
	case fixable == 0:
		out.Hint = "each of these needs a person; its text says what would mend it"
	default:
		out.Hint = strconv.Itoa(fixable) + " of these can be mended without losing text: check with fix (arbor check --fix)"
	}
	beside := besideList + sizeOf(out.Fixed) + sizeOf(out.Wrote.Files) + min(sizeOf(out.Diff), env.MaxBytes/4)
	if shown := fitting(env, out.Diagnostics, beside); shown < len(out.Diagnostics) {
		out.Hint = shownOf(shown, len(out.Diagnostics), "diagnostics", "mend these, or name one workspace; "+out.Hint)
		out.Diagnostics, out.Hidden = out.Diagnostics[:shown], len(out.Diagnostics)-shown
	}
	return out, nil
}

// fix mends one workspace and adds what is left to the result. Where something stands against that it has not been checked: it is one more diagnostic, so that the other
// workspaces are mended all the same.
func (env *Env) fix(ctx context.Context, id mdstore.ID, w Write, out *WorkspaceCheckOut) (checked bool, err error) {
	m, err := env.Engine.Fix(ctx, id, env.act(w, Match{}))
	switch e := engine.AsError(err); {
	case err == nil:
	case e.Class() == engine.Unreadable && e.Details != nil && len(e.Details.Problems) > 0 && !everywhere(e.Details.Problems[0]):
		return false, nil
	default:
		return false, e
	}
	env.mended(ctx, id, m.Mended, m.Outcome, out)
	out.Checked += m.Checked
	out.Diagnostics = append(out.Diagnostics, m.Left...)
	return true, nil
}

// everywhere reports whether a problem is not of a workspace but of the vault, in which nothing can be written then.
func everywhere(d mdoc.Diagnostic) bool {
	p := mdstore.Path(d.File)
	return p == "" || p == "." || p.Under(mdstore.LocalDir)
}

// mended adds what was mended to a result. Who reads it in full is shown the diff as well.
func (env *Env) mended(ctx context.Context, id mdstore.ID, fixed []mdoc.Diagnostic, o *engine.Outcome, out *WorkspaceCheckOut) {
	done := env.wrote(ctx, id, o, "")
	if !env.bounded() {
		done.Diff = o.Diff()
	}
	out.Fixed = append(out.Fixed, fixed...)
	out.Wrote.Files, out.More, out.Diff = append(out.Wrote.Files, done.Files...), out.More+done.More, out.Diff+done.Diff
	out.Changed, out.DryRun = out.Changed || done.Changed, done.DryRun
}
