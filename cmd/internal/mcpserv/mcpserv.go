// Package mcpserv offers an open vault to AI assistants over the Model Context Protocol: the operations of the catalogue as tools, workspaces and
// nodes as resources, ways of working as prompts.
//
// It holds no rule of its own: what a call does, engine/ops does. What it adds is what assistants need: schemas in few bytes, replies
// that fit into a model's attention, a question before something is taken away, and news of what people changed.
package mcpserv

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

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

// The largest reply, in tokens: unless told otherwise, and at the least.
const (
	DefaultMaxTokens = 8000
	LeastMaxTokens   = 500
)

// A Server offers one open vault. It serves any number of connections at once, one after another and side by side.
type Server struct {
	engine *engine.Engine
	opt    Options
	mcp    *mcp.Server
	open   connections
	news   news

	ctx     context.Context // ends with Close
	end     context.CancelFunc
	running sync.WaitGroup // what Close waits for
}

// New returns a server over the engine's vault. Close ends it. The error says which option does not work.
func New(e *engine.Engine, opt Options) (*Server, error) {
	if opt.Profile == "" {
		opt.Profile = ProfileAll
	}
	if err := CheckProfile(opt.Profile); err != nil {
		return nil, err
	}
	if opt.Operator == "" {
		opt.Operator = mdstore.OperatorAI
	}
	if opt.MaxTokens == 0 {
		opt.MaxTokens = DefaultMaxTokens
	}
	if opt.MaxTokens < LeastMaxTokens {
		return nil, engine.Fail(engine.InvalidParams, "a reply of at most %d tokens is too small for one; %d is the least", opt.MaxTokens, LeastMaxTokens)
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{engine: e, opt: opt, open: connections{all: map[*mcp.ServerSession]*connection{}},
		news: news{wanted: map[*mcp.ServerSession]map[string]ref{}, known: map[mdstore.ID]*engine.Snapshot{}}}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "arbor", Title: "Arbor", Version: opt.Version}, &mcp.ServerOptions{
		Instructions:       instructions,
		Logger:             opt.Log,
		Capabilities:       &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}}, // neither list changes
		SetCacheable:       cacheable,
		CompletionHandler:  s.complete,
		SubscribeHandler:   s.subscribe,
		UnsubscribeHandler: s.unsubscribe,
	})
	if err := s.addTools(); err != nil {
		return nil, err
	}
	s.mcp.AddReceivingMiddleware(s.answerTools)
	s.addResources()
	s.addPrompts()
	return s, nil
}

// cacheable says how long clients may keep what does not change while a server runs.
func cacheable(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	switch req.(type) {
	case *mcp.ListToolsRequest, *mcp.ListPromptsRequest, *mcp.ListResourceTemplatesRequest:
		c.TTLMs = int(listsKept / time.Millisecond)
	}
}

// listsKept is short enough for a newer program in place of this one to be noticed.
const listsKept = 5 * time.Minute

// Close ends what the server does in the background and waits for it. Connections must have ended.
func (s *Server) Close() {
	s.end()
	s.running.Wait()
}

// Endpoint returns the handler of the vault over HTTP, for clients of every version. Its Shutdown comes before Close.
func (s *Server) Endpoint() *Endpoint {
	return HTTP(func(*http.Request) *mcp.Server { return s.mcp }, s.opt.Log)
}
