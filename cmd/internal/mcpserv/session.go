package mcpserv

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
	"arbor/engine/ops"
)

// Headers of HTTP requests that say whose session and which workspace is meant. A client of the stateless protocol has no connection that
// could be bound; its configuration names them once.
const (
	HeaderSession   = "Arbor-Session"
	HeaderWorkspace = "Arbor-Workspace"
)

// A connection is a client that stays: over standard input and output, or in a session over HTTP.
type connection struct {
	presence *engine.Presence // ends with it, and so does what is claimed through it

	mu      sync.Mutex
	given   string // the session that the connection was made with; "" for none
	session string // of calls that name none
	bound   string // the session that session_bind bound on this connection; "" for none
	alias   string // what the client calls the session that was given
}

// connections are those that are open.
type connections struct {
	mu  sync.Mutex
	all map[*mcp.ServerSession]*connection // guarded by mu
}

// env returns who calls: the session and the workspace that a call means when it names none.
func (s *Server) env(session *mcp.ServerSession, header http.Header) *ops.Env {
	env := &ops.Env{Engine: s.engine, Session: header.Get(HeaderSession), Workspace: header.Get(HeaderWorkspace), Operator: s.opt.Operator, MaxBytes: s.room()}
	if c := s.connection(session, header); c != nil {
		env.Presence = c.presence
		c.mu.Lock()
		defer c.mu.Unlock()
		if env.Session == "" {
			env.Session = c.session
		}
		if c.bound != "" {
			return env
		}
	}
	if env.Session == "" {
		env.Session = s.opt.Session
	}
	if env.Workspace == "" {
		env.Workspace = s.opt.Workspace
	}
	return env
}

// connection returns the connection of a call, nil for a call that stands alone.
func (s *Server) connection(session *mcp.ServerSession, header http.Header) *connection {
	if session == nil || header != nil && session.ID() == "" {
		return nil
	}
	s.open.mu.Lock()
	defer s.open.mu.Unlock()
	if c, ok := s.open.all[session]; ok {
		return c
	}
	c := &connection{presence: s.engine.Presence(), given: cmp.Or(header.Get(HeaderSession), s.opt.Session)}
	c.session = c.given
	leave := func() {}
	if c.session == "" {
		c.session = "mcp-" + strings.ToLower(rand.Text()[:16])
		leave = s.engine.Attend(c.session)
	}
	s.open.all[session] = c
	s.running.Go(func() {
		_ = session.Wait() // how it ends does not matter
		s.open.mu.Lock()
		delete(s.open.all, session)
		s.open.mu.Unlock()
		leave()
		c.presence.End()
	})
	return c
}

// A connection whose session was given, by the command line or by the program that runs the assistant, keeps it: what its hooks and other programs know of
// the session has to be true of the connection. A model that does not know it and binds a session of its own gets another name for it.

// named returns the arguments of a call with the connection's session in place of the other name that a call gave it, or is giving it.
func (c *connection) named(o ops.Operation, args json.RawMessage) json.RawMessage {
	var in struct {
		SessionID string `json:"sessionId"`
	}
	if c.given == "" || json.Unmarshal(args, &in) != nil || in.SessionID == "" {
		return args
	}
	c.mu.Lock()
	known := in.SessionID == c.alias
	c.mu.Unlock()
	if !known && o.Name != "session_bind" {
		return args
	}
	var all map[string]json.RawMessage
	id, err := json.Marshal(c.given)
	if err != nil || json.Unmarshal(args, &all) != nil {
		return args
	}
	all["sessionId"] = id
	if args, err := json.Marshal(all); err == nil {
		return args
	}
	return args
}

// follow lets a connection go with what a call bound. args are as the client gave them.
func (c *connection) follow(args json.RawMessage, out any) {
	var in struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(args, &in) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch out := out.(type) {
	case *ops.SessionBindOut:
		if out.DryRun {
			return
		}
		if c.bound = in.SessionID; c.given == "" {
			c.session = in.SessionID
		} else {
			c.alias = in.SessionID
		}
	case *ops.SessionUnbindOut:
		if !out.DryRun && c.bound == in.SessionID { // calls are the session's still, as its last look is
			c.bound = ""
		}
	}
}
