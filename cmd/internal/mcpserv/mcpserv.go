// Package mcpserv offers an open vault to AI assistants over the Model Context Protocol: the operations of the catalogue as tools, workspaces and
// nodes as resources, ways of working as prompts.
//
// It holds no rule of its own: what a call does, engine/ops does. What it adds is what assistants need: schemas in few bytes, replies
// that fit into a model's attention, a question before something is taken away, and news of what people changed.
package mcpserv

import (
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
	"arbor/mdstore"
)

// Options are what a Server takes from outside. The zero Options work.
type Options struct {
	Version   string       // of the program, for clients that show it
	Profile   Profile      // which tools are offered; "" is ProfileAll
	Workspace string       // the workspace of calls that name none, until their session is bound; "" where none is the default
	Session   string       // the session of every connection that binds none itself; "" gives each connection one of its own
	Operator  string       // who acts, for log lines; "" is mdstore.OperatorAI
	MaxTokens int          // the largest reply, in tokens counted as bytes/4; 0 is DefaultMaxTokens
	Log       *slog.Logger // nil: nothing is logged
}

// DefaultMaxTokens is the largest reply unless told otherwise.
const DefaultMaxTokens = 8000

// A Server offers one open vault. It serves any number of connections at once, one after another and side by side.
type Server struct {
	engine *engine.Engine
	opt    Options
	mcp    *mcp.Server
	open   connections
}

// New returns a server over the engine's vault.
func New(e *engine.Engine, opt Options) (*Server, error) {
	if opt.Operator == "" {
		opt.Operator = mdstore.OperatorAI
	}
	if opt.MaxTokens == 0 {
		opt.MaxTokens = DefaultMaxTokens
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{engine: e, opt: opt, open: connections{all: map[*mcp.ServerSession]*connection{}}}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "arbor", Title: "Arbor", Version: opt.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Logger:       opt.Log,
		Capabilities: &mcp.ServerCapabilities{},
	})
	return s, nil
}

// A Profile is a choice of tools.
type Profile string

// The profiles.
const (
	ProfileAll    Profile = "all"
	ProfileWorker Profile = "worker" // what somebody needs who works on nodes that others planned
)

const instructions = ""

// room is the largest result of an operation, in bytes of JSON: a reply carries it twice, as data and as text in which every quote is escaped.
func (s *Server) room() int { return s.opt.MaxTokens * 4 * 2 / 5 }
