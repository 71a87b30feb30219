package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// conversation is sessionOf for calls about transcripts. A caller with an identifier that names no session means the
// one conversation of its identifier, in the identifier's workspace, whatever session it is bound to. The page is nil
// if the conversation has not begun: in a workspace that was not created for the identifier.
func conversation(ctx context.Context, env *Env, in SessionRef) (*view.View, *mdstore.Page, error) {
	own := env.Where.Own
	if own == "" || in.SessionID != "" {
		return sessionOf(ctx, env, in)
	}
	of := *env
	of.Where = Where{Identifier: own, Own: own, MayMake: env.Where.MayMake, All: env.Where.All}
	v, err := of.WithPages(ctx, in.WorkspaceID)
	if err != nil {
		return nil, nil, err
	}
	p, _ := v.Pages().Session(own)
	return v, p, nil
}

// begun is conversation for calls that write: it begins the conversation of the caller's identifier.
func begun(ctx context.Context, env *Env, in SessionRef, w Write) (ws, session mdstore.ID, err error) {
	v, p, err := conversation(ctx, env, in)
	if err != nil {
		return "", "", err
	}
	ws = v.Workspace().ID
	if p != nil {
		return ws, p.ID, nil
	}
	if w.DryRun {
		return "", "", errs.New(errs.SessionNotFound, "%s: its conversation begins with the first {transcript_append} "+
			"without {.dryRun}", env.Where.Own)
	}
	c := plan.Conversation{Identifier: env.Where.Own}
	s, _, err := engine.Apply(ctx, env.Engine, ws, env.act(Write{}, Match{}), c)
	if err != nil {
		return "", "", fail(err)
	}
	return ws, s.ID, nil
}
