package engine

import (
	"maps"

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
	l.Workspace, l.volatile, l.all = ws, true, nil // what is done with it may make it another one
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

// abreast reports whether an attended session is known to have seen a snapshot, all of it.
func (e *Engine) abreast(session string, snap *Snapshot) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.looks[session][snap.ws.ID].all == snap
}

// keepAbreast notes that an attended session has seen a snapshot, all of it, so that asking again costs nothing.
func (e *Engine) keepAbreast(session string, snap *Snapshot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l, ok := e.looks[session][snap.ws.ID]; ok {
		l.all = snap
		e.looks[session][snap.ws.ID] = l
	}
}
