package mcpserv

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/claims"
	"arbor/engine/internal/say"
	"arbor/engine/ops"
	"arbor/mdstore"
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
	name string // under which it holds sessions, and its own session as long as it has no other
	mu   sync.Mutex

	given   string // the session that the connection was made with; "" for none
	session string // of calls that name none
	bound   string // the session that session_bind bound on this connection; "" for none
	alias   string // another name that the client gave to the session given

	identifier string // calls that name no workspace use the workspace of this identifier; "" for none
	client     string // the program, as it calls itself; "" if unknown
	who        string // the person and assistant by whose token it was made; "" for none

	loaded mdstore.ID // the workspace that calls mean since workspace_load; "" for none

	enabled []string // tool sets that tools_enable turned on

	called time.Time // when its last request came
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
	env := &ops.Env{Engine: s.engine, Session: header.Get(HeaderSession),
		Operator: s.opt.Operator, MaxBytes: s.room(), Patience: minuteAtMost, Detail: ops.DetailBrief, Names: ops.NamesLoose,
		Home: s.opt.Home, CallLog: &s.memory, Clients: s.opt.Clients, Voice: say.Voice{Op: s.offer(session, header).called},
		Where: ops.Where{Workspace: header.Get(HeaderWorkspace), Identifier: header.Get(HeaderIdentifier),
			Own: header.Get(HeaderIdentifier), All: s.opt.AllIdentifiers,
			Default: s.opt.Personal, Focus: true}}
	if s.opt.ReadOnly {
		env.May = ops.MayLook
	}
	as(env, whoOf(header))
	if header != nil {
		env.Where.MayMake = func() error { return s.made.another(s.engine.Now()) }
	}
	if c := s.connection(session, header); c != nil {
		env.Lease = claims.ConnectionLease // renew renews it
		c.mu.Lock()
		defer c.mu.Unlock()
		env.Follows, env.Connection, c.called = c.given == "" && env.Session == "", c.name, s.engine.Now()
		env.Session, env.Where.Identifier = cmp.Or(env.Session, c.session), c.identifier
		env.Client, env.Where.Own, env.Where.Loaded = c.client, c.identifier, c.loaded
		if env.Follows {
			env.Begun = new(ops.Bound)
		}
		if c.bound != "" {
			env.Where.Identifier = ""
			return env // the binding says which workspace
		}
	}
	env.Session = cmp.Or(env.Session, s.opt.Session)
	if env.Where.Identifier == "" {
		env.Where.Workspace = cmp.Or(env.Where.Workspace, s.opt.Workspace)
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
	c := &connection{name: ownSession + strings.ToLower(rand.Text()[:16]), called: s.engine.Now(),
		who:   whoOf(header).String(),
		given: cmp.Or(header.Get(HeaderSession), s.opt.Session), identifier: header.Get(HeaderIdentifier)}
	if p := session.InitializeParams(); p != nil {
		for _, key := range []string{"device_id", "sessionId"} { // the first is the deprecated name
			if id, ok := p.Meta[key].(string); ok && id != "" {
				c.identifier = id
			}
		}
		if p.ClientInfo != nil {
			c.client = p.ClientInfo.Name
		}
	}
	c.session = cmp.Or(c.given, c.name)
	leave := func() {}
	if c.given == "" {
		leave = s.engine.Attend(c.name)
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
		s.letGo(c)
	})
	return c
}

// A connection that was given its session, by the command line or by the program that runs the assistant, keeps it:
// hooks and other programs know the connection by it. A model that does not know the session and binds one of its own
// gives the connection's session another name.

// realNames puts the connection's session into the arguments of a call that uses another name for it.
func (c *connection) realNames(o ops.Operation, given map[string]any) {
	id := sessionOf(given)
	if c.given == "" || id == "" {
		return
	}
	c.mu.Lock()
	known := id == c.alias
	c.mu.Unlock()
	if known || o.Name == "session_bind" {
		given["sessionId"] = c.given
	}
}

// sessionOf returns the session that the arguments of a call name, "" for none.
func sessionOf(given map[string]any) string {
	if n, ok := given["sessionId"].(json.Number); ok { // also of tools that have no such parameter
		return n.String()
	}
	id, _ := given["sessionId"].(string)
	return id
}

// follow updates the connection after a call that bound, loaded, ended or unbound something. If this changes the
// session of its calls, follow returns the previous session and the new one; otherwise both are "". named is the
// session that the client named in the call; looks says that the server only reads.
func (c *connection) follow(named string, out any, looks bool) (left, to string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	take := func(session, alias string) {
		c.bound, c.loaded = session, ""
		if c.given != "" {
			c.alias = cmp.Or(alias, c.alias)
			return
		}
		if c.session != session {
			left, to = c.session, session
		}
		c.session = session
	}
	switch out := out.(type) {
	case *ops.SessionBindOut:
		if !out.DryRun {
			take(out.Session, named)
		}
	case ops.Bound:
		take(out.Caller, out.Session)
	case interface{ BoundTo() ops.Bound }:
		if b, wrote := out.BoundTo(), out.(interface{ Written() ops.Wrote }).Written(); b.Caller != "" && !wrote.DryRun {
			take(b.Caller, b.Session)
		}
	case *ops.WorkspaceLoadOut:
		if !looks {
			c.loaded = mdstore.ID(out.WorkspaceContext.WorkspaceID)
		}
	case *ops.SessionEndOut:
		if !out.DryRun && slices.Contains(out.Callers, c.bound) {
			c.bound = ""
		}
	case *ops.SessionUnbindOut:
		if !out.DryRun && c.bound == out.Session { // any connection may bind it now
			c.bound, c.session = "", cmp.Or(c.given, c.name)
		}
	}
	return left, to
}

// minuteAtMost limits how long a call waits for a running program.
func minuteAtMost(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, DefaultPatience)
}
