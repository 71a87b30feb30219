package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/sessions"
)

// SessionBindIn makes a workspace the default of a session.
type SessionBindIn struct {
	SessionID   string `json:"sessionId" req:"true" flag:"-"`
	WorkspaceID string `json:"workspaceId" req:"true" arg:"WS" flag:"-"`
	NodeID      string `json:"nodeId,omitempty" flag:"node" is:"node" help:"the focus of the session: a NODE"`
	Write
}

// SessionBindOut is the result of session_bind.
type SessionBindOut struct {
	WorkspaceID   string   `json:"workspaceId"`
	WorkspaceName string   `json:"workspaceName"`
	FocusedNodeID string   `json:"focusedNodeId"`
	Rules         []string `json:"rules"`
	RulesHash     string   `json:"rulesHash"`
	Wrote
}

var sessionBind = op("session_bind", writes|repeats, SessionBind, Help{
	Summary: "make a workspace the default of a session",
	Advice:  "And of this connection.",
	Use:     "session bind WS",
	Text:    "A session has one workspace; binding it again moves it.",
	Example: "arbor session bind Login --session alice",
})

// SessionBind makes a workspace the default of a session.
func SessionBind(ctx context.Context, env *Env, in SessionBindIn) (*SessionBindOut, error) {
	if in.WorkspaceID == "" {
		return nil, badParam("workspaceId", "workspaceId is empty; name the workspace that the session is to be bound to (workspace_list)")
	}
	in.SessionID = wholeIdentifier(env, in.SessionID)
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	w := s.Workspace()
	b := sessions.Binding{SessionID: in.SessionID, WorkspaceID: w.ID}
	if old, ok, err := env.Engine.Binding(ctx, in.SessionID); err == nil && ok && old.WorkspaceID == w.ID {
		b.Session = old.Session // a session that binds again continues where it was
		if _, there := s.Node(old.FocusedNodeID); there {
			b.FocusedNodeID = old.FocusedNodeID
		}
	}
	if in.NodeID != "" {
		if b.FocusedNodeID, err = env.resolve(s, in.NodeID, "nodeId"); err != nil {
			return nil, err
		}
	}
	o, err := env.Engine.Bind(ctx, b, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	out := &SessionBindOut{WorkspaceID: string(w.ID), WorkspaceName: w.Name, FocusedNodeID: string(b.FocusedNodeID), Rules: nonNil(w.Rules()), RulesHash: w.RulesHash(),
		Wrote: env.wrote(ctx, w.ID, o, "calls of this session may leave out workspaceId")}
	if out.FocusedNodeID == "" {
		out.FocusedNodeID = string(engine.FocusOf(ctx, env.Engine, s, in.SessionID).Node)
	}
	return out, nil
}
