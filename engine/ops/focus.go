package ops

import (
	"context"
	"fmt"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
)

// focus returns the focused node: that of the session, or else that of the workspace; "" where neither exists, which
// means the root. Where the nearer one is gone, lost says so and what is used instead.
func focus(s *view.View, own mdstore.ID) (id mdstore.ID, lost string) {
	w := s.Workspace()
	if _, there := s.Node(own); there {
		return own, ""
	}
	if _, there := s.Node(w.Focus); there {
		id = w.Focus
	}
	instead := mdstore.Root
	if id != "" {
		instead = id
	}
	switch {
	case own != "":
		return id, fmt.Sprintf("the session's node %s %s, so this is about %s: context_focus, or session_bind with nodeId, gives the session another", own, missing(s, own), instead)
	case w.Focus != "" && id == "":
		return id, fmt.Sprintf("the node in focus, %s, %s, so this is about %s: context_focus gives the focus to another", w.Focus, missing(s, w.Focus), instead)
	}
	return id, ""
}

// missing says why a node is not found.
func missing(s *view.View, id mdstore.ID) string {
	if _, err := s.Known(id); errs.As(err).Code == errs.FileUnreadable {
		return "cannot be read"
	}
	return "is gone"
}

// OwnFocus returns the focus that the calling session has of its own in a workspace, "" for none. Without its
// bindings the workspace's counts.
func (env *Env) OwnFocus(ctx context.Context, ws mdstore.ID) mdstore.ID {
	if env.Session == "" {
		return ""
	}
	if b, ok, err := env.Engine.Binding(ctx, env.Session); err == nil && ok && b.WorkspaceID == ws {
		return b.FocusedNodeID
	}
	return ""
}

// refocus moves the session's own focus after a write, and returns the hint of the write, or that the focus stayed.
func (env *Env) refocus(ctx context.Context, ws, id mdstore.ID, w Write, hint string) string {
	if env.Session == "" || w.DryRun {
		return hint
	}
	if err := env.Engine.Refocus(ctx, env.Session, ws, id); err != nil {
		return "done; but the session's own focus could not follow: " + err.Error()
	}
	return hint
}
