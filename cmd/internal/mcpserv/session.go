package mcpserv

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/claims"
	"arbor/engine/ops"
)

// Headers of HTTP requests that name the session and the workspace of a call that names none. A client of the stateless
// protocol has no connection that could be bound; its configuration sets them once.
const (
	HeaderSession   = "Arbor-Session"
	HeaderWorkspace = "Arbor-Workspace"

	// HeaderIdentifier names a device or session that has a workspace of its own: see workspace_resolve.
	HeaderIdentifier = "Arbor-Identifier"
)

// ownSession begins the names of sessions that connections make for themselves, and that end with them.
const ownSession = "mcp-"

// A connection is a client that stays: over stdin and stdout, or in a session over HTTP.
type connection struct {
	mu      sync.Mutex
	given   string // the session that the connection was made with; "" for none
	session string // of calls that name none
	bound   string // the session that session_bind bound on this connection; "" for none
	alias   string // another name that the client gave to the session given

	identifier string // whose workspace is that of calls that name none; "" for none
}

// connections are the open ones.
type connections struct {
	mu  sync.Mutex
	all map[*mcp.ServerSession]*connection // guarded by mu
}

// headers returns the headers of a request that came over HTTP, nil for others.
func headers(extra *mcp.RequestExtra) http.Header {
	if extra == nil {
		return nil
	}
	return extra.Header
}

// env returns the caller of a request, with the session and the workspace of a call that names none.
func (s *Server) env(session *mcp.ServerSession, header http.Header) *ops.Env {
	env := &ops.Env{Engine: s.engine, Session: header.Get(HeaderSession), Workspace: header.Get(HeaderWorkspace),
		Operator: s.opt.Operator, MaxBytes: s.room(), Brief: true, Sparse: true, Loose: true,
		Focused: true, ReadOnly: s.opt.ReadOnly, Home: s.opt.Home, Memory: &s.memory, Clients: s.opt.Clients, Identifier: header.Get(HeaderIdentifier)}
	if header != nil {
		env.MayMake = func() error { return s.made.another(s.engine.Now()) }
	}
	if c := s.connection(session, header); c != nil {
		env.Lease = claims.ConnectionLease // which renewClaims renews
		c.mu.Lock()
		defer c.mu.Unlock()
		env.Follows = c.given == "" && env.Session == ""
		env.Session, env.Identifier = cmp.Or(env.Session, c.session), c.identifier
		if c.bound != "" {
			env.Identifier = ""
			return env // the binding says which workspace
		}
	}
	env.Session = cmp.Or(env.Session, s.opt.Session)
	if env.Identifier == "" {
		env.Workspace = cmp.Or(env.Workspace, s.opt.Workspace)
	}
	return env
}

// connection returns the connection of a request, nil for a request that stands alone.
func (s *Server) connection(session *mcp.ServerSession, header http.Header) *connection {
	if session == nil || header != nil && session.ID() == "" {
		return nil
	}
	s.connections.mu.Lock()
	defer s.connections.mu.Unlock()
	if c, ok := s.connections.all[session]; ok {
		return c
	}
	c := &connection{given: cmp.Or(header.Get(HeaderSession), s.opt.Session), identifier: header.Get(HeaderIdentifier)}
	if p := session.InitializeParams(); p != nil {
		if id, ok := p.Meta["sessionId"].(string); ok && id != "" {
			c.identifier = id
		}
	}
	c.session = c.given
	leave, own := func() {}, ""
	if c.session == "" {
		c.session = ownSession + strings.ToLower(rand.Text()[:16])
		leave, own = s.engine.Attend(c.session), c.session
	}
	if s.connections.all == nil {
		s.connections.all = map[*mcp.ServerSession]*connection{}
	}
	s.connections.all[session] = c
	s.running.Go(func() {
		_ = session.Wait() // how it ends does not matter
		s.connections.mu.Lock()
		delete(s.connections.all, session)
		s.connections.mu.Unlock()
		leave()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.given == "" && c.session != own {
			_ = s.engine.GiveBackClaims(context.Background(), c.session) // else they end with their lease
		}
	})
	return c
}

// renewClaims renews what the open connections have claimed, until the server ends. So a claim outlives its connection,
// or a server that was killed, by its short lease and no longer.
func (s *Server) renewClaims() {
	tick := time.NewTicker(claims.RenewEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		s.connections.mu.Lock()
		open := slices.Collect(maps.Values(s.connections.all))
		s.connections.mu.Unlock()
		for _, c := range open {
			c.mu.Lock()
			session := c.session
			c.mu.Unlock()
			if err := s.engine.RenewClaims(s.ctx, session); err != nil && s.ctx.Err() == nil {
				s.opt.Log.Warn("claims cannot be renewed", "session", session, "error", err)
			}
		}
	}
}

// A connection that was given its session, by the command line or by the program that runs the assistant, keeps it:
// what hooks and other programs know of the session must hold for the connection. A model that does not know the
// session and binds one of its own gives the connection's session another name.

// realNames returns the arguments of a call with the connection's session in place of another name for it.
func (c *connection) realNames(o ops.Operation, args json.RawMessage) json.RawMessage {
	id := sessionOf(args)
	if c.given == "" || id == "" {
		return args
	}
	c.mu.Lock()
	known := id == c.alias
	c.mu.Unlock()
	var all map[string]json.RawMessage
	if !known && o.Name != "session_bind" || json.Unmarshal(args, &all) != nil {
		return args
	}
	all["sessionId"], _ = json.Marshal(c.given) // a string
	out, _ := json.Marshal(all)                 // members of an object that was read
	return out
}

// sessionOf returns the session that the arguments of a call name, "" for none.
func sessionOf(args json.RawMessage) string {
	var in struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(args, &in) // the operation refuses what is no object
	return in.SessionID
}

// follow binds the connection to what a call bound, and returns the session that the connection's calls had before and
// have no more, "" for none, with the one that they have now. args are as the client gave them.
func (c *connection) follow(args json.RawMessage, out any) (left, to string) {
	id := sessionOf(args)
	c.mu.Lock()
	defer c.mu.Unlock()
	take := func(session, alias string) {
		c.bound = session
		if c.given != "" {
			c.alias = alias
			return
		}
		if c.session != session {
			left, to = c.session, session
		}
		c.session = session
	}
	switch out := out.(type) {
	case *ops.SessionBindOut:
		if !out.DryRun && id != "" {
			take(id, id)
		}
	case interface{ BoundTo() ops.Bound }:
		if b, wrote := out.BoundTo(), out.(interface{ Written() ops.Wrote }).Written(); b.Caller != "" && !wrote.DryRun {
			take(b.Caller, b.Session)
		}
	case *ops.SessionEndOut:
		if !out.DryRun && slices.Contains(out.Callers, c.bound) {
			c.bound = ""
		}
	case *ops.SessionUnbindOut:
		if !out.DryRun && c.bound == id { // later calls are still the session's, as is what it has seen
			c.bound = ""
		}
	}
	return left, to
}
