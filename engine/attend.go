package engine

import (
	"maps"
	"slices"

	"arbor/mdstore"
)

// Attend remembers what a session has seen in memory only, for as long as it lasts: the session of a connection that ends with it. leave forgets it.
func (e *Engine) Attend(session string) (leave func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.looks[session] = map[mdstore.ID]look{}
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.looks, session)
	}
}

// attended returns what a session that is attended has seen; a look that is not known where it looks for the first time. The look is the caller's own.
func (e *Engine) attended(session string, ws mdstore.ID) (look, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	seen, ok := e.looks[session]
	if !ok {
		return look{}, false
	}
	l := seen[ws]
	l.Workspace, l.all, l.near = ws, nil, nil // what is done with it may make it another one
	l.Files = maps.Clone(l.Files)
	return l, true
}

// attend keeps what an attended session has seen. It reports false for any other session.
func (e *Engine) attend(session string, l look) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	seen, ok := e.looks[session]
	if ok {
		seen[l.Workspace] = l
	}
	return ok
}

// abreast reports whether a session is known to have seen a snapshot, all of it.
func (e *Engine) abreast(session string, snap *Snapshot) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	l, _ := e.seen(session, snap.ws.ID)
	return l.all == snap
}

// keepAbreast notes that a session whose look is in memory has seen a snapshot, all of it, so that asking again costs nothing.
func (e *Engine) keepAbreast(session string, snap *Snapshot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l, ok := e.seen(session, snap.ws.ID); ok {
		l.all, l.near = snap, snap
		e.keepSeen(session, l)
	}
}

// nearby returns what changed since a session last looked, where all that may have is known: what came after the reading of the files that a snapshot has in common with the last one that the
// session had seen, all of it. It costs that, and not the workspace.
func (e *Engine) nearby(session string, snap *Snapshot) (ds []Difference, ok bool) {
	old, paths := e.since(session, snap)
	if paths == nil {
		return nil, false
	}
	var nodes []*mdstore.Node
	for p := range paths {
		if n, ok := snap.file(p); ok {
			nodes = append(nodes, n)
		}
	}
	now, _ := lookAmong(snap, slices.Values(nodes), len(nodes), old)
	return compareLooks(old, now), true
}

// since returns the files that may be other ones than a session has seen, and what it has seen of them; nil where it may be any.
func (e *Engine) since(session string, snap *Snapshot) (old look, paths map[mdstore.Path]bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l, _ := e.seen(session, snap.ws.ID)
	if l.near == nil || l.near.base != snap.base || l.near.ws.Dir != snap.ws.Dir {
		return look{}, nil
	}
	paths = map[mdstore.Path]bool{snap.ws.Path: true}
	for _, s := range []*Snapshot{l.near, snap} {
		for it := s.files.Iterator(); !it.Done(); {
			p, _, _ := it.Next()
			paths[p] = true
		}
		for it := s.broken.Iterator(); !it.Done(); {
			p, _, _ := it.Next()
			paths[p] = true
		}
	}
	old = look{Workspace: l.Workspace, Files: make(map[mdstore.Path]*fingerprint, len(paths))}
	for p := range paths {
		if f, ok := l.Files[p]; ok {
			old.Files[p] = f
		}
	}
	return old, paths
}
