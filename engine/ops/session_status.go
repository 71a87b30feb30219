package ops

import (
	"cmp"
	"context"
	"slices"

	"arbor/engine"
	"arbor/mdstore"
)

// SessionIn names a session.
type SessionIn struct {
	SessionID string `json:"sessionId,omitempty" flag:"-" is:"session" help:"the caller's unless given"`
}

// SessionStatusOut says what a session is bound to.
type SessionStatusOut struct {
	Bound               bool            `json:"bound"`
	WorkspaceID         string          `json:"workspaceId,omitempty"`
	WorkspaceName       string          `json:"workspaceName,omitempty"`
	FocusedNodeID       string          `json:"focusedNodeId,omitempty"`
	LostWorkspaceID     string          `json:"lostWorkspaceId,omitempty"` // the one that it is bound to where the vault does not have it
	Rules               []string        `json:"rules"`
	AvailableWorkspaces []WorkspaceHead `json:"availableWorkspaces"` // where nothing is bound
	Hidden              int             `json:"hidden,omitempty"`    // further workspaces, where results are bounded
	Out
}

var sessionStatus = op("session_status", reads|repeats, SessionStatus, Help{
	Summary: "show what a session is bound to",
	Use:     "session status",
	Text:    "When it is bound to nothing, the workspaces that it could be bound to are listed.",
	Example: "arbor session status --session alice",
})

// SessionStatus says what a session is bound to.
var SessionStatus = reading(func(ctx context.Context, env *Env, in SessionIn) (*SessionStatusOut, error) {
	id, err := env.sessionNamed(in.SessionID)
	if err != nil {
		return nil, err
	}
	b, ok, err := env.Engine.Binding(ctx, id)
	if err != nil {
		return nil, fail(err)
	}
	all, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	out := &SessionStatusOut{Rules: []string{}, AvailableWorkspaces: []WorkspaceHead{}}
	i := slices.IndexFunc(all, func(w *mdstore.Workspace) bool { return ok && w.ID == b.WorkspaceID })
	if i >= 0 {
		w := all[i]
		out.Bound, out.WorkspaceID, out.WorkspaceName, out.Rules = true, string(w.ID), w.Name, nonNil(w.Rules())
		out.FocusedNodeID, out.Hint = string(b.FocusedNodeID), "context_get brings the context of its focus"
		if s, err := env.Engine.View(ctx, w.ID); err == nil { // what else is wrong with the workspace is not asked here
			focus, lost := focusIn(s, engine.FocusOf(ctx, env.Engine, s, id))
			out.FocusedNodeID, out.Hint = string(focus), cmp.Or(lost, out.Hint)
		}
		return out, nil
	}
	out.Hint = "bind the session with session_bind"
	if ok {
		out.LostWorkspaceID = string(b.WorkspaceID)
		out.Hint = "the session was bound to " + string(b.WorkspaceID) + ", which is gone; " + out.Hint
	}
	for _, w := range all {
		if w.Status == mdstore.StatusActive {
			out.AvailableWorkspaces = append(out.AvailableWorkspaces, env.head(w))
		}
	}
	found := out.AvailableWorkspaces
	env.fit(out, len(found), func(n int) { out.AvailableWorkspaces, out.Hidden = found[:n], len(found)-n })
	return out, nil
})
