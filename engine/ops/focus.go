package ops

import (
	"cmp"
	"context"
	"fmt"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
)

// Focus returns the node that the caller's work is about when it names none; "" where nothing has the focus, which means
// the root. Where the nearest focus is gone, lost says so and what is used instead.
func (env *Env) Focus(ctx context.Context, s *view.View) (id mdstore.ID, lost string) {
	return focusIn(s, engine.FocusOf(ctx, env.Engine, s, env.Session, env.host))
}

func focusIn(s *view.View, f engine.Focus) (id mdstore.ID, lost string) {
	if f.Lost == "" {
		return f.Node, ""
	}
	form := "the node in focus, %s, %s, so this is about %s: context_focus gives the focus to another"
	if f.Own {
		form = "the session's node %s %s, so this is about %s: context_focus, or session_bind with nodeId, gives the session another"
	}
	return f.Node, fmt.Sprintf(form, f.Lost, missing(s, f.Lost), cmp.Or(f.Node, mdstore.Root))
}

// missing says why a node is not found.
func missing(s *view.View, id mdstore.ID) string {
	if _, err := s.Known(id); errs.As(err).Code == errs.FileUnreadable {
		return "cannot be read"
	}
	return "is gone"
}

// refocus moves the focus of the session, or of this machine, after a write, and returns the hint of the write, or that
// the focus stayed.
func (env *Env) refocus(ctx context.Context, ws, id mdstore.ID, w Write, hint string) string {
	if w.DryRun {
		return hint
	}
	if _, _, err := engine.SetFocus(ctx, env.Engine, env.Session, ws, id, env.act(w, Match{})); err != nil {
		return "done; but the session's own focus could not follow: " + err.Error()
	}
	return hint
}

// FocusedOut names the node that is focused.
type FocusedOut struct {
	WorkspaceID, Name string // of the workspace
	NodeID            string // "" where nothing has the focus
	Lost              string // of a nearer focus that is gone, in words
}

// Focused returns the node that has the caller's focus in a workspace.
func Focused(ctx context.Context, env *Env, in In) (*FocusedOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	id, lost := env.Focus(ctx, s)
	return &FocusedOut{string(s.Workspace().ID), s.Workspace().Name, string(id), lost}, nil
}
