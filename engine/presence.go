package engine

import (
	"context"
	"sync"

	"arbor/mdstore"
)

// A Presence is a caller that lives on between its calls: a connection, or a program. What is claimed with it is free as soon as it ends or its process dies,
// whatever is left of the lease. It is safe for concurrent use.
type Presence struct {
	e *Engine

	mu    sync.Mutex
	token string // guarded by mu: "" before the first claim, and where the store knows nobody's presence
	leave func() // guarded by mu: nil without a token
	over  bool   // guarded by mu
}

// Presence returns a new one. It takes nothing of the system before something is claimed with it. Whoever gets it ends it.
func (e *Engine) Presence() *Presence { return &Presence{e: e} }

// End gives back what is claimed with the presence. A call that claims with it afterwards is refused. It may be called again.
func (p *Presence) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.gone()
}

// is reports whether claims with that token are the presence's.
func (p *Presence) is(token string) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token == token
}

// gone forgets the token. p.mu must be held.
func (p *Presence) gone() {
	if p.leave != nil {
		p.leave()
	}
	p.token, p.leave = "", nil
}

// appear returns the token that claims are to carry, "" for claims that nothing but their lease ends: those of a nil Presence, and all where the store cannot
// tell who is there. Somebody may have deleted what stands for the token; then there is a new one.
func (p *Presence) appear(ctx context.Context) (string, error) {
	if p == nil {
		return "", nil
	}
	st, ok := mdstore.AsStore[mdstore.Presence](p.e.st)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return "", Fail(Conflicting, "whoever claims has left meanwhile; nothing is claimed")
	}
	if !ok {
		return "", nil
	}
	if p.token != "" {
		if there, err := st.Present(ctx, p.token); there || err != nil {
			return p.token, ctx.Err()
		}
		p.gone()
	}
	token, leave, err := st.Appear(ctx)
	if err != nil {
		if ctx.Err() == nil {
			p.e.opt.Log.Warn("a claim ends with its lease alone, as it cannot be noted who is there", "error", err)
		}
		return "", ctx.Err()
	}
	p.token, p.leave = token, leave
	return token, nil
}
