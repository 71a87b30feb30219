package mcpserv

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// subscriptions are the resources that clients want to be notified about.
type subscriptions struct {
	mu         sync.Mutex
	wanted     map[*mcp.ServerSession]map[string]ref // guarded by mu: by URI, as the client wrote it
	seen       map[mdstore.ID]*view.View             // guarded by mu: their workspaces as of the last notification
	workspaces string                                // guarded by mu: the list of resources as of the last notification
}

// subscribe notes that a client wants to be notified when a resource changes.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	r, err := s.parseURI(req.Params.URI)
	if err != nil {
		return err
	}
	s.engine.Refresh()
	var snap *view.View
	if r.part == partSlot {
		snap, _, err = ops.SlotOf(ctx, s.env(req.Session, headers(req.Extra)), ops.SlotRef{In: ops.In{WorkspaceID: string(r.workspace)}, Slot: r.slot})
		if err == nil {
			r.workspace = snap.Workspace().ID
		}
	} else if r.part.ofNode() {
		env := s.env(req.Session, headers(req.Extra))
		snap, r.node, err = env.At(ctx, string(r.workspace), string(r.node))
	} else {
		snap, err = s.env(req.Session, headers(req.Extra)).In(ctx, string(r.workspace))
	}
	if err != nil {
		return notFound(req.Params.URI, err)
	}
	sub := &s.subscriptions
	sub.mu.Lock()
	defer sub.mu.Unlock()
	if sub.wanted == nil {
		sub.wanted, sub.seen = map[*mcp.ServerSession]map[string]ref{}, map[mdstore.ID]*view.View{}
	}
	if sub.wanted[req.Session] == nil {
		sub.wanted[req.Session] = map[string]ref{}
		s.running.Go(func() {
			_ = req.Session.Wait() // how it ends does not matter
			sub.mu.Lock()
			defer sub.mu.Unlock()
			delete(sub.wanted, req.Session)
		})
	}
	sub.wanted[req.Session][req.Params.URI] = r
	if sub.seen[r.workspace] == nil {
		sub.seen[r.workspace] = snap
	}
	s.follow()
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.subscriptions.mu.Lock()
	defer s.subscriptions.mu.Unlock()
	delete(s.subscriptions.wanted[req.Session], req.Params.URI)
	return nil
}

// notify tells clients which of the resources that they subscribed to changed, and whether workspaces came or went.
func (s *Server) notify() {
	for _, uri := range s.changedResources() {
		if err := s.mcp.ResourceUpdated(s.ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			s.opt.Log.Warn("a client cannot be notified of a change", "uri", uri, "error", err)
		}
	}
	all, err := s.engine.Workspaces(s.ctx)
	if err != nil {
		return
	}
	list := ""
	for _, w := range all {
		list += string(w.ID) + " " + w.Name + " " + string(w.Status) + "\n"
	}
	s.subscriptions.mu.Lock()
	known := s.subscriptions.workspaces
	s.subscriptions.workspaces = list
	s.subscriptions.mu.Unlock()
	if known != "" && known != list {
		s.addTemplates()
	}
}

// changedResources returns the URIs of the wanted resources that changed since the last call.
func (s *Server) changedResources() []string {
	sub := &s.subscriptions
	sub.mu.Lock()
	defer sub.mu.Unlock()
	wanted := map[mdstore.ID]map[string]ref{}
	for _, all := range sub.wanted {
		for uri, r := range all {
			if wanted[r.workspace] == nil {
				wanted[r.workspace] = map[string]ref{}
			}
			wanted[r.workspace][uri] = r
		}
	}
	var uris []string
	for ws, was := range sub.seen {
		is, err := s.engine.View(s.ctx, ws)
		gone := err != nil && errs.As(err).Code == errs.WorkspaceNotFound
		if err != nil && !gone {
			continue
		}
		var changed map[mdstore.ID]bool
		if !gone {
			changed = is.Altered(was)
		}
		for uri, r := range wanted[ws] {
			if r.part == partSlot && !gone && slotAt(was, r.slot) == slotAt(is, r.slot) {
				continue
			}
			if gone || r.part == partSlot || r.shows(changed, was) || r.shows(changed, is) {
				uris = append(uris, uri)
			}
		}
		if sub.seen[ws] = is; gone || wanted[ws] == nil {
			delete(sub.seen, ws)
		}
	}
	return uris
}

// shows reports whether a resource may show one of the nodes that changed, in a view before or after the change: a
// caller asks about both. "" stands for the workspace's own file.
func (r ref) shows(changed map[mdstore.ID]bool, snap *view.View) bool {
	switch r.part {
	case partWorkspace:
		return changed[""]
	case partTree:
		return len(changed) > 0
	case partNode:
		return changed[r.node]
	}
	if changed[""] || changed[r.node] {
		return true
	}
	n, ok := snap.Node(r.node)
	if !ok {
		return false
	}
	for to := range n.Facts().References() {
		if target, ok := snap.Referred(n, to); ok && changed[target.ID] || changed[mdstore.ID(to)] {
			return true
		}
	}
	for id := range changed { // a child
		if child, ok := snap.Node(id); ok && child.Parent == r.node {
			return true
		}
	}
	visited := map[mdstore.ID]bool{} // parents in damaged files may form a circle
	for ok && !mdstore.ValueOf(n.Isolated) && n.ID != mdstore.Root && !visited[n.ID] {
		if changed[n.Parent] {
			return true
		}
		visited[n.ID] = true
		n, ok = snap.Node(n.Parent)
	}
	return false
}
