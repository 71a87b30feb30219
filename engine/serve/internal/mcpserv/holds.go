package mcpserv

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/claims"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/sessions"
)

// caller returns env with the session that the call names as its caller, and removes sessionId from the arguments if
// the operation has no such parameter. It refuses a session that another open connection holds: two clients under one
// session would share its claims and what it has read. Calls of node_next may name any session, because they divide
// work among sessions.
func (s *Server) caller(ctx context.Context, o ops.Operation, c *connection, env *ops.Env, given map[string]any) (*ops.Env, error) {
	id := sessionOf(given)
	i := slices.IndexFunc(o.Params(), func(p ops.Param) bool { return p.Name == "sessionId" })
	about := i >= 0 && o.Params()[i].Field.Tag.Get("is") == "session" // the call is about a session, and not made by it
	switch {
	case o.Name == "session_bind" || o.Name == "session_status":
		return env, nil
	case id == "" || id == env.Session || about && o.Name != "session_unbind":
		if env.Follows && env.Session != env.Connection {
			if err := s.engine.Holding(ctx, env.Session, env.Connection); err != nil {
				return nil, err
			}
		}
	case o.Name != "node_next" && (c == nil || id != c.given):
		err := sessions.ValidID(id)
		if err == nil && strings.HasPrefix(id, ownSession) && id != env.Connection {
			err = ops.BadParam(errs.InvalidParams, "sessionId", "%s is another connection's own session; name yourself otherwise", id)
		}
		if err = cmp.Or(err, s.engine.MayUse(ctx, id, env.Connection)); err != nil {
			return nil, err
		}
	}
	if i < 0 && id != "" {
		delete(given, "sessionId")
	}
	if !about {
		env = env.As(id)
	}
	return env, nil
}

// renew notes signs of life of the open connections, and renews their claims, until the server ends. So a claim
// outlives its connection, or a server that was killed, only by its short lease.
func (s *Server) renew() {
	tick := time.NewTicker(sessions.HoldRenew)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
			s.renewNow(n%int(claims.RenewEvery/sessions.HoldRenew) == 0)
		}
	}
}

// renewNow is one round of renew. With claimed it also renews claims.
func (s *Server) renewNow(claimed bool) {
	seen := map[string]time.Time{}
	var live []string // sessions
	s.connections.mu.Lock()
	for session, c := range s.connections.all {
		c.mu.Lock()
		seen[c.name] = c.called
		c.mu.Unlock()
		if s.listens(session) {
			seen[c.name] = s.engine.Now()
		}
		live = append(live, cmp.Or(c.given, c.name))
	}
	s.connections.mu.Unlock()
	if err := s.engine.RenewHolds(s.ctx, seen); err != nil && s.ctx.Err() == nil {
		s.opt.Log.Warn("connections cannot hold their sessions", "error", err)
	}
	if !claimed {
		return
	}
	for connection := range seen {
		live = append(live, s.engine.Held(s.ctx, connection)...)
	}
	for _, session := range live {
		if err := s.engine.RenewClaims(s.ctx, session); err != nil && s.ctx.Err() == nil {
			s.opt.Log.Warn("claims cannot be renewed", "session", session, "error", err)
		}
	}
}

// listens reports whether a client is certainly connected: over stdin and stdout, or by a request over HTTP that is
// being answered.
func (s *Server) listens(session *mcp.ServerSession) bool {
	e := s.endpoint.Load()
	return session.ID() == "" || e != nil && e.sessions.busy(session.ID())
}

// letGo frees the sessions that an ended connection held, and gives back their claims, except for the session that the
// connection was given.
func (s *Server) letGo(c *connection) {
	ctx := context.Background()
	held := s.engine.Held(ctx, c.name)
	for _, session := range held {
		if session != c.given {
			_ = s.engine.GiveBackClaims(ctx, session, c.who) // if it fails, they end with their lease
		}
	}
	if err := s.engine.LetGo(ctx, c.name, held...); err != nil {
		s.opt.Log.Warn("sessions are free after a minute only", "error", err)
	}
}
