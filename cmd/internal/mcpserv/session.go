package mcpserv

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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
	mu      sync.Mutex
	session string // of calls that name none
	bound   string // the session that session_bind bound on this connection; "" for none
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
	c := &connection{session: s.opt.Session}
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
	})
	return c
}

// bind makes a session that a call bound the session of the connection.
func (c *connection) bind(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.bound = session, session
}

// unbind ends what bind did, where it was that session. Calls are the session's still, as its last look is.
func (c *connection) unbind(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bound == session {
		c.bound = ""
	}
}
