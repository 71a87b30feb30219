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
	l.Workspace, l.volatile = ws, true
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
