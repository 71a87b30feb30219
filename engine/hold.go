package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"arbor/engine/errs"
	"arbor/engine/sessions"
)

// NewSessionID returns a new id for a session.
func (e *Engine) NewSessionID() (string, error) {
	id, err := e.opt.NewID(sessions.MadePrefix)
	return string(id), err
}

// Hold keeps the id of a session for a connection, until LetGo or until a minute after the connection's last sign of
// life. If another open connection holds the id, the error is CONFLICT, or with take that connection loses the id. With
// "" for the connection, no connection holds the id afterwards.
func (e *Engine) Hold(ctx context.Context, session, connection string, take bool) error {
	if connection == "" && !take {
		return e.MayUse(ctx, session, connection)
	}
	return sessions.EditHolds(ctx, e.st, e.opt.Now, func(h *sessions.Holds) error {
		if !take && h.Other(session, connection) {
			return boundElsewhere(session)
		}
		h.Set(session, connection)
		return nil
	})
}

// MayUse returns CONFLICT if another open connection holds the id of a session.
func (e *Engine) MayUse(ctx context.Context, session, connection string) error {
	if e.holds(ctx).Other(session, connection) {
		return boundElsewhere(session)
	}
	return nil
}

// holds returns the holds as they are now. If they cannot be read, there are none: work goes on.
func (e *Engine) holds(ctx context.Context) *sessions.Holds {
	h, err := sessions.ReadHolds(ctx, e.st, e.opt.Now())
	if err != nil {
		e.opt.Log.Warn("it cannot be read which connections hold sessions", "error", err)
	}
	return h
}

func boundElsewhere(session string) error {
	return errs.New(errs.Conflicting, "%s: another connection has bound this session, or had until a minute ago; "+
		"{session_bind} without "+
		"{.sessionId} makes you one of your own, and with {.take: true} it takes this one "+
		"over", session).With(errs.Details{Param: "sessionId"})
}

// Holding is MayUse for a session that the connection has bound. It also renews the hold: the call is a sign of life.
func (e *Engine) Holding(ctx context.Context, session, connection string) error {
	if e.holds(ctx).Fresh(session, connection) {
		return nil
	}
	return e.Hold(ctx, session, connection, false)
}

// Held returns the ids that a connection holds, sorted.
func (e *Engine) Held(ctx context.Context, connection string) []string {
	return e.holds(ctx).Of(connection)
}

// LetGo frees ids that a connection holds.
func (e *Engine) LetGo(ctx context.Context, connection string, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	return sessions.EditHolds(ctx, e.st, e.opt.Now, func(h *sessions.Holds) error {
		for _, id := range ids {
			h.Drop(id, connection)
		}
		return nil
	})
}

// RenewHolds notes the last signs of life of connections, by their names.
func (e *Engine) RenewHolds(ctx context.Context, seen map[string]time.Time) error {
	now := e.holds(ctx)
	if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(c string) bool { return now.Of(c) != nil }) {
		return nil
	}
	return sessions.EditHolds(ctx, e.st, e.opt.Now, func(h *sessions.Holds) error {
		for connection, at := range seen {
			h.Seen(connection, at)
		}
		return nil
	})
}
