// Package mcpserv offers an open vault to AI assistants over the Model Context Protocol: the operations of the
// catalogue as tools, workspaces and nodes as resources, ways of working as prompts.
//
// It has no rules of its own: engine/ops carries out every call. It adds schemas in few bytes, replies of bounded
// size, a question to a person before something is removed, and notifications of what people changed.
package mcpserv

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/errs"
	"arbor/engine/live"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// Options configure a Server. The zero Options work.
type Options struct {
	Version   string      // of the program, for clients that show it
	Profile   Profile     // which tools are offered; "" is ProfileAll
	ReadOnly  bool        // only tools that write nothing are offered; nothing is claimed, and nothing counts as seen
	Toolsets  []string    // the tool sets that are on, or allSets; nil: DefaultSet
	Offer     []string    // the tool sets that tools_enable turns on where DefaultSet is on; nil: DefaultOffer
	Tools     []string    // the only tools that are offered, of any set; nil: all of the profile
	Exclude   []string    // tools that are not offered
	Workspace string      // of calls that name none, until their session is bound; "" for no default
	Session   string      // of every connection that binds none itself; "" gives each connection one of its own
	Operator  string      // who acts, for log lines; "" is mdstore.OperatorAI
	Replies   Replies     // the form of replies; "" is RepliesBoth
	MaxTokens int         // the largest reply, in tokens counted by assemble.Tokens; 0 is DefaultMaxTokens
	Home      string      // the person's own folder, which no environment with full trust holds; "" if unknown
	Clients   act.Clients // the machines that serve folders; nil for none
	// Patience is how long a call waits for a person: to answer a question, and to approve a call if the client cannot
	// ask. 0 means DefaultPatience; below 0, calls do not wait.
	Patience time.Duration
	Log      *slog.Logger // nil: nothing is logged
	// Hear is called once the vault is followed, and then for each change; it may be nil. With Hear the server follows
	// the vault from the start, otherwise from the first call on.
	Hear func(live.News)

	// AllIdentifiers lets a connection with an identifier see the workspaces of other identifiers, which it names.
	AllIdentifiers bool
	// Personal says that the vault is a person's own: calls that mean no other workspace mean the one named default.
	Personal bool
}

// Replies is a form of replies.
type Replies string

const (
	RepliesBoth Replies = "both" // as data and as text
	RepliesText Replies = "text" // as text only, and tools have no output schemas: one copy in every client
)

const (
	DefaultMaxTokens = 8000             // the largest reply, in tokens
	DefaultPatience  = 50 * time.Second // clients give a call up after a minute
	LeastMaxTokens   = 500              // the smallest value of Options.MaxTokens
)

// A Server offers one open vault to any number of connections at once.
type Server struct {
	engine        *engine.Engine
	opt           Options
	mcp           *mcp.Server
	connections   connections
	subscriptions subscriptions
	made          made
	memory        places.CallLog           // of the calls of tools in environments
	endpoint      atomic.Pointer[Endpoint] // nil: not over HTTP

	following sync.Once       // see follow
	ctx       context.Context // ends with Close
	end       context.CancelFunc
	running   sync.WaitGroup // of goroutines that Close waits for
}

// New returns a server over the engine's vault. Close ends it. The error says which option does not work.
func New(e *engine.Engine, opt Options) (*Server, error) {
	opt.Profile = cmp.Or(opt.Profile, ProfileAll)
	opt.Operator = cmp.Or(opt.Operator, mdstore.OperatorAI)
	opt.Replies = cmp.Or(opt.Replies, RepliesBoth)
	opt.MaxTokens = cmp.Or(opt.MaxTokens, DefaultMaxTokens)
	opt.Patience = cmp.Or(opt.Patience, DefaultPatience)
	if opt.Offer == nil {
		opt.Offer = DefaultOffer()
	}
	opt.Log = cmp.Or(opt.Log, slog.New(slog.DiscardHandler))
	if err := CheckProfile(opt.Profile); err != nil {
		return nil, err
	}
	err := cmp.Or(CheckToolsets(opt.Toolsets), checkOffer(opt.Offer), checkTools("tools", opt.Tools),
		checkTools("exclude-tools", opt.Exclude))
	if err != nil {
		return nil, err
	}
	if opt.Replies != RepliesBoth && opt.Replies != RepliesText {
		return nil, ops.BadParam(errs.InvalidParams, "replies", "replies %q: %s and %s are the forms", opt.Replies,
			RepliesBoth, RepliesText)
	}
	if opt.MaxTokens < LeastMaxTokens {
		return nil, errs.New(errs.InvalidParams, "a reply of at most %d tokens is too small; %d is the least",
			opt.MaxTokens, LeastMaxTokens)
	}
	s := &Server{engine: e, opt: opt}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.running.Go(s.renew)
	about := &mcp.Implementation{Name: "arbor", Title: "Arbor", Version: opt.Version}
	s.mcp = mcp.NewServer(about, &mcp.ServerOptions{
		Instructions: s.standing().taught(),
		Logger:       opt.Log,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: s.standing().enables()},
			Prompts: &mcp.PromptCapabilities{ListChanged: s.standing().enables()}},
		CompletionHandler:  s.complete,
		SubscribeHandler:   s.subscribe,
		UnsubscribeHandler: s.unsubscribe,
	})
	s.addTools()
	s.addTemplates()
	s.addPrompts()
	s.mcp.AddReceivingMiddleware(s.receive)
	if opt.Hear != nil {
		s.follow()
	}
	return s, nil
}

// receive handles requests before the SDK does: it refuses names of tools and resources that it does not know, with a
// reason, and makes each request see what the files say now.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		switch req := req.(type) {
		case *mcp.ListResourcesRequest: // from the vault: resources are not registered
			list, err := s.listResources(ctx, s.reader(req.Session, req.Extra), req.Params)
			if err != nil {
				return nil, failed(err)
			}
			return list, nil
		case *mcp.ListToolsRequest:
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
				c := s.connection(req.Session, headers(req.Extra))
				list.Tools = s.offer(req.Session, headers(req.Extra)).list(list.Tools, c != nil)
				return leanTools{list}, nil
			}
			return res, err
		case *mcp.ListPromptsRequest:
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListPromptsResult); ok && err == nil {
				f := s.offer(req.Session, headers(req.Extra))
				list.Prompts = slices.DeleteFunc(list.Prompts, func(p *mcp.Prompt) bool { return !f.prompts(p.Name) })
			}
			return res, err
		case *mcp.CallToolRequest:
			if req.Params != nil {
				c := s.connection(req.Session, headers(req.Extra))
				err = s.offer(req.Session, headers(req.Extra)).checkTool(req.Params.Name, c != nil)
			}
		case *mcp.ReadResourceRequest:
			_, err = s.parseURI(req.Params.URI)
		case *mcp.GetPromptRequest:
			if err = s.offer(req.Session, headers(req.Extra)).prompt(req.Params.Name); err != nil {
				err = failed(err)
			}
		default:
			return next(ctx, method, req)
		}
		if err != nil {
			return nil, err
		}
		s.engine.Refresh()
		defer s.follow() // looks at every folder, so the first answer does not wait for it
		return next(ctx, method, req)
	}
}

// Close ends what the server does in the background and waits for it. Connections must have ended.
func (s *Server) Close() {
	s.end()
	s.running.Wait()
}

// Endpoint returns the handler of the vault over HTTP, for clients of every version. It is called once; the Shutdown of
// the endpoint comes before Close.
func (s *Server) Endpoint() *Endpoint {
	e := HTTP(s.mcp, s.opt.Log)
	s.endpoint.Store(e)
	return e
}
