package mcpserv

import (
	"context"
	"errors"

	"arbor/engine/live"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// follow begins to follow the vault, once. From then on the engine knows which files changed, and need not look at all
// of them at each call; clients are notified of changes.
func (s *Server) follow() {
	s.following.Do(func() {
		s.running.Go(func() {
			hear := s.opt.Hear
			if hear == nil {
				hear = func(live.News) {}
			}
			ready := func() {
				s.running.Go(s.notify)
				hear(live.News{})
			}
			err := s.engine.Follow(s.ctx, ready, func(n live.News) {
				s.engine.Live().Late(s.ctx, true)
				s.notify()
				hear(n)
			})
			if err != nil && s.ctx.Err() == nil && !errors.Is(err, errors.ErrUnsupported) {
				s.opt.Log.Warn("the vault is not followed: changes of files show with the next call", "error", err)
			}
		})
	})
}

// changedSince returns what others changed in a workspace since the caller's session last looked, without counting as a
// look. first says that the session has not looked before.
func changedSince(ctx context.Context, env *ops.Env, ws mdstore.ID) (all []view.Difference, first bool, err error) {
	if env.Session == "" {
		return nil, true, nil
	}
	seen, err := env.Engine.Changes(ctx, ws, env.Session, nil)
	if err != nil {
		return nil, false, err
	}
	return seen.Differences, seen.First, nil
}

// focusOf returns the node that the caller's session works on, or else the focus of the workspace; nil for none.
func focusOf(ctx context.Context, env *ops.Env, snap *view.View) *mdstore.Node {
	if id, _ := env.Focus(ctx, snap); id.Valid() {
		n, _ := snap.Node(id)
		return n
	}
	return nil
}
