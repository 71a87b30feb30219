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
	s.news.mu.Lock()
	wanted := map[string]ref{}
	for _, all := range s.news.wanted {
		for uri, r := range all {
			wanted[uri] = r
		}
	}
	s.news.mu.Unlock()
	changed := s.whatChanged(wanted)
	for uri, r := range wanted {
		if c, ok := changed[r.workspace]; ok && c.concerns(r) {
			if err := s.mcp.ResourceUpdated(s.ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
				s.opt.Log.Warn("a client cannot be told of a change", "uri", uri, "error", err)
			}
		}
	}
	s.tellList()
}

// A change is what became of a workspace between two pieces of news.
type change struct {
	was, is *engine.Snapshot // is is nil where it is gone
	nodes   map[mdstore.ID]bool
}

func (c change) concerns(r ref) bool {
	return r.concernedBy(r.workspace, c.nodes, false, c.was) || r.concernedBy(r.workspace, c.nodes, false, c.is)
}

// whatChanged compares the workspaces that are wanted with what their clients know.
func (s *Server) whatChanged(wanted map[string]ref) map[mdstore.ID]change {
	out := map[mdstore.ID]change{}
	s.news.mu.Lock()
	defer s.news.mu.Unlock()
	still := map[mdstore.ID]*engine.Snapshot{}
	for _, r := range wanted {
		ws := r.workspace
		if _, done := still[ws]; done {
			continue
		}
		was := s.news.known[ws]
		is, err := s.engine.Snapshot(s.ctx, ws)
		if err != nil {
			if still[ws] = was; engine.AsError(err).Code == engine.WorkspaceNotFound {
				out[ws] = change{was: was, nodes: map[mdstore.ID]bool{"": true, r.node: true}}
			}
			continue
		}
		if still[ws] = is; was == nil {
			continue
		}
		if nodes := is.Altered(was); len(nodes) > 0 {
			out[ws] = change{was, is, nodes}
		}
	}
	s.news.known = still
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
