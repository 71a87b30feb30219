package ops

import (
	"context"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// resume continues the last session of the caller's identifier or program that no other open connection holds, in the
// workspace that the call names or in any. It returns nil if there is none.
func resume(ctx context.Context, env *Env, in SessionStartIn) (*SessionStartOut, error) {
	if in.SessionID != "" && in.SessionID != env.Session || in.Previous != "" {
		return nil, badParam("resume", "resume chooses the session; leave out {.sessionId} and {.previous}")
	}
	var ws mdstore.ID
	if in.WorkspaceID != "" {
		id, err := env.workspace(ctx, in.WorkspaceID)
		if err != nil {
			return nil, err
		}
		ws = id
	}
	for _, b := range env.Engine.BegunBy(ctx, env.whose()) {
		free := b.Caller == "" || b.Caller == env.Session || env.Engine.MayUse(ctx, b.Caller, env.Connection) == nil
		if !free || ws != "" && b.Workspace != ws {
			continue
		}
		v, err := env.Engine.WithPages(ctx, b.Workspace)
		if err != nil {
			continue // the workspace is gone
		}
		if p, ok := v.Pages().Get(mdstore.SessionKind, b.Session); !ok || p.Editable() != nil {
			continue
		}
		s, w, to, err := begin(ctx, env, b.Workspace, in.Write, plan.ResumeSession{ID: b.Session}, "",
			"{session_load} with {.continue: false} tells where it stands")
		if err != nil {
			return nil, err
		}
		return &SessionStartOut{SessionID: string(s.ID), Name: s.Name, Wrote: w, Bound: to}, nil
	}
	return nil, nil
}
