package mcpserv

import (
	"context"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
	"arbor/mdstore"
)

// news keeps what clients asked to be told about, and what they know.
type news struct {
	begin sync.Once // of following the vault: not before somebody asks for something in it

	mu         sync.Mutex
	wanted     map[*mcp.ServerSession]map[string]ref // guarded by mu: resources by URI, as the client wrote it
	known      map[mdstore.ID]*engine.Snapshot       // guarded by mu: of workspaces that are wanted, as of the last news
	workspaces string                                // guarded by mu: the list of resources that clients know
}

// follow begins to follow the vault, so that whatever people save is seen.
func (s *Server) follow() {
	s.news.begin.Do(func() {
		s.running.Go(func() {
			err := s.engine.Follow(s.ctx, func() { s.running.Go(s.spread) }, func(engine.News) { s.spread() })
			if err != nil && s.ctx.Err() == nil && !errors.Is(err, errors.ErrUnsupported) {
				s.opt.Log.Warn("changes in the vault are seen with the next call only", "error", err)
			}
		})
	})
}

// subscribe notes that a client wants to be told when a resource changes.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	r, err := parseURI(req.Params.URI)
	if err != nil {
		return notFound(req.Params.URI, engine.AsError(err))
	}
	s.follow()
	s.engine.Refresh()
	snap, err := s.engine.Snapshot(ctx, r.workspace)
	if err != nil {
		return notFound(req.Params.URI, engine.AsError(err))
	}
	if r.view.ofNode() {
		if _, err := snap.Known(r.node); err != nil {
			return notFound(req.Params.URI, engine.AsError(err))
		}
	}
	s.news.mu.Lock()
	defer s.news.mu.Unlock()
	if s.news.wanted[req.Session] == nil {
		s.news.wanted[req.Session] = map[string]ref{}
		s.running.Go(func() {
			_ = req.Session.Wait() // how it ends does not matter
			s.news.mu.Lock()
			defer s.news.mu.Unlock()
			delete(s.news.wanted, req.Session)
		})
	}
	s.news.wanted[req.Session][req.Params.URI] = r
	if s.news.known[r.workspace] == nil {
		s.news.known[r.workspace] = snap
	}
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.news.mu.Lock()
	defer s.news.mu.Unlock()
	delete(s.news.wanted[req.Session], req.Params.URI)
	return nil
}

// spread tells clients which of the resources that they asked about changed.
func (s *Server) spread() {
	for _, uri := range s.whatChanged() {
		if err := s.mcp.ResourceUpdated(s.ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			s.opt.Log.Warn("a client cannot be told of a change", "uri", uri, "error", err)
		}
	}
	s.tellList()
}

// A change is what became of a workspace between two pieces of news.
type change struct {
	was, is *engine.Snapshot
	nodes   map[mdstore.ID]bool
	gone    bool // there is no such workspace any more, or it cannot be told from another one
}

func (c change) concerns(r ref) bool {
	return c.gone || len(c.nodes) > 0 && (r.concernedBy(r.workspace, c.nodes, false, c.was) || r.concernedBy(r.workspace, c.nodes, false, c.is))
}

// whatChanged returns the resources that are wanted and changed since their clients were last told.
func (s *Server) whatChanged() []string {
	s.news.mu.Lock()
	defer s.news.mu.Unlock()
	wanted, workspaces := map[string]ref{}, map[mdstore.ID]bool{}
	for _, all := range s.news.wanted {
		for uri, r := range all {
			wanted[uri], workspaces[r.workspace] = r, true
		}
	}
	changes := map[mdstore.ID]change{}
	for ws, was := range s.news.known {
		if !workspaces[ws] {
			delete(s.news.known, ws)
			continue
		}
		is, err := s.engine.Snapshot(s.ctx, ws)
		switch {
		case err == nil:
			changes[ws] = change{was: was, is: is, nodes: is.Altered(was)}
			s.news.known[ws] = is
		case engine.AsError(err).Code == engine.WorkspaceNotFound:
			changes[ws] = change{was: was, gone: true}
			delete(s.news.known, ws)
		}
	}
	var out []string
	for uri, r := range wanted {
		if changes[r.workspace].concerns(r) {
			out = append(out, uri)
		}
	}
	return out
}

// tellList tells clients when workspaces came or went.
func (s *Server) tellList() {
	all, err := s.engine.Workspaces(s.ctx)
	if err != nil {
		return
	}
	list := ""
	for _, w := range all {
		list += string(w.ID) + " " + w.Name + " " + string(w.Status) + "\n"
	}
	s.news.mu.Lock()
	told := s.news.workspaces
	s.news.workspaces = list
	s.news.mu.Unlock()
	if told != "" && told != list {
		s.addTemplates()
	}
}
