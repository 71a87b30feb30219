// Package live keeps the views of a vault current: it scans a workspace when it is first asked for, reloads the files
// that may have changed since, loads the documents that an operation uses, and publishes the views after commits. No
// other package decides whether a view is current.
package live

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
)

// Options are the dependencies of a Vault.
type Options struct {
	After func(time.Duration) <-chan time.Time // the timer for pauses while another program saves
}

// A Vault has the current views of a store's workspaces. It is safe for concurrent use, and holds nothing but memory.
type Vault struct {
	st  mdstore.Store
	opt Options

	docs

	refresh sync.Mutex // held while files are read for the next view

	mu     sync.Mutex
	states map[mdstore.ID]state                // guarded by mu
	heads  map[mdstore.Path]*mdstore.Workspace // guarded by mu: the workspaces' own files, as last read
	dirty  map[mdstore.Path]mark               // guarded by mu: paths that may have changed since the last read
	// guarded by mu: as last listed; nil if a workspace may have come, gone or moved since
	all       []*mdstore.Workspace
	allGen    uint64              // guarded by mu: the generation that the store had before
	marks     uint64              // guarded by mu: counts marks
	epoch     uint64              // guarded by mu: counts calls of Stale
	following bool                // guarded by mu: the store reports changes
	met       []mdstore.Collision // guarded by mu: saves that collided with commits, not yet in a reply
}

// A state is a view with the generation that the store had before it was read.
type state struct {
	view  *view.View
	gen   uint64
	stale bool // the next view must look at every file again
}

// A mark says that a path may have changed.
type mark struct {
	n       uint64 // another number each time
	settled bool   // no program is in the middle of saving it
	shown   bool   // not settled, and the view has the file as it is: its text may be half of a save
	commit  bool   // a commit names it: of a folder that it moved, it names nothing below
}

// Open returns the vault of a store. It reads nothing yet.
func Open(st mdstore.Store, opt Options) (*Vault, error) {
	if _, ok := mdstore.AsStore[mdstore.Scanner](st); !ok {
		return nil, errors.New("the store cannot scan a workspace")
	}
	return &Vault{st: st, opt: opt, states: map[mdstore.ID]state{},
		heads: map[mdstore.Path]*mdstore.Workspace{}, dirty: map[mdstore.Path]mark{}}, nil
}

// Generation returns the store's generation, 0 if it has none.
func (l *Vault) Generation(ctx context.Context) (uint64, error) {
	return l.asked(mdstore.Now(ctx))
}

// asked is Generation as the operation of the context may take it: see mdstore.WithMoment.
func (l *Vault) asked(ctx context.Context) (uint64, error) {
	if h, ok := mdstore.AsStore[mdstore.History](l.st); ok {
		return h.Generation(ctx)
	}
	return 0, ctx.Err()
}

// rounds is how often a view is brought up to date while other processes commit.
const rounds = 100

// View returns the workspace as it is now. It is read again if another process has committed since, or if files are
// known to have changed. With the ctx of Read it is the view over which the operation runs. Otherwise it may have no
// pages.
func (l *Vault) View(ctx context.Context, id mdstore.ID) (*view.View, error) {
	if g := gatherOf(ctx, l); g != nil {
		return g.view(ctx, id)
	}
	return l.current(ctx, id, false)
}

// WithPages is View that has pages, also outside of Read.
func (l *Vault) WithPages(ctx context.Context, id mdstore.ID) (*view.View, error) {
	if g := gatherOf(ctx, l); g != nil {
		return g.view(ctx, id)
	}
	return l.Current(ctx, id)
}

// Last returns the view that was read last, or nil. It looks at no file.
func (l *Vault) Last(id mdstore.ID) *view.View {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.states[id].view
}

// Twin returns the view of a workspace that shares its id with another one. It is read each time.
func (l *Vault) Twin(ctx context.Context, w *mdstore.Workspace) (*view.View, error) {
	r := reloader{vault: l, left: map[mdstore.Path]bool{}}
	return r.scan(ctx, w)
}

// Current is View outside of Read, with pages.
func (l *Vault) Current(ctx context.Context, id mdstore.ID) (*view.View, error) {
	return l.current(ctx, id, true)
}

// current is Current. With pages false it may return a view without pages, if none were needed yet.
func (l *Vault) current(ctx context.Context, id mdstore.ID, pages bool) (*view.View, error) {
	l.refresh.Lock()
	defer l.refresh.Unlock()
	l.mu.Lock()
	s, epoch := l.states[id], l.epoch
	l.mu.Unlock()
	was := s.view
	for range rounds {
		gen, err := l.asked(ctx)
		if err != nil {
			return nil, err
		}
		dirty, whole := map[mdstore.Path]mark{}, s.view == nil || s.stale
		if !whole {
			dirty, whole = l.suspects(ctx, s, gen)
		}
		lacking := s.view == nil || !s.view.HasPages()
		if !whole && len(dirty) == 0 && gen == s.gen && !(pages && lacking) {
			return s.view, nil
		}
		r := reloader{vault: l, was: s.view, dirty: dirty, left: map[mdstore.Path]bool{}, saving: map[mdstore.Path]bool{},
			pageless: lacking && !pages}
		next, err := r.reload(ctx, id, whole)
		if err != nil {
			l.drop(id, err)
			return nil, err
		}
		s = state{view: next, gen: gen}
		if now, err := l.Generation(ctx); err != nil {
			return nil, err
		} else if now == gen {
			s.stale = r.unsure
			l.publish(id, was, s, epoch, dirty, &r, whole)
			return next, nil
		}
	}
	if was != nil {
		return was, nil // the last consistent one
	}
	return nil, errs.New(errs.Conflicting, "%s: the files keep changing while they are read; try again", id)
}

// suspects returns the paths in a workspace that may differ from its view; whole says that only a scan can tell what
// differs.
func (l *Vault) suspects(ctx context.Context, s state, gen uint64) (dirty map[mdstore.Path]mark, whole bool) {
	dir := s.view.Workspace().Dir
	dirty = map[mdstore.Path]mark{}
	l.mu.Lock()
	for p, m := range l.dirty {
		if p.Under(dir) {
			dirty[p] = m
		}
	}
	l.mu.Unlock()
	if gen != s.gen {
		h, ok := mdstore.AsStore[mdstore.History](l.st)
		if !ok {
			return nil, true
		}
		paths, ok := h.ChangedSince(ctx, s.gen, gen)
		if !ok {
			return nil, true
		}
		for _, p := range paths {
			switch {
			case dir.Under(p): // the workspace's folder came, went or moved
				return nil, true
			case p.Under(dir):
				dirty[p] = mark{n: dirty[p].n, settled: true, commit: true}
			}
		}
	}
	for p := range dirty {
		if p == dir {
			return nil, true
		}
	}
	return dirty, len(dirty) > 64 && len(dirty) > s.view.Len()/4
}

// publish makes what was read the state that other callers get, unless something else was published or everything
// became stale meanwhile. The paths that the reloader left as they were stay dirty, and those that are being saved.
func (l *Vault) publish(id mdstore.ID, was *view.View, s state, epoch uint64, read map[mdstore.Path]mark, r *reloader, whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.states[id].view != was || s.view.Workspace().ID != id {
		return
	}
	s.stale = s.stale || l.epoch != epoch
	l.states[id] = s
	for p, m := range read {
		if !r.left[p] && !r.saving[p] && l.dirty[p].n == m.n {
			delete(l.dirty, p)
		}
	}
	for p, m := range l.dirty {
		if m.shown = m.shown || !m.settled && (whole || r.saving[p]); m.shown {
			l.dirty[p] = m
		}
	}
}

func (l *Vault) drop(id mdstore.ID, err error) {
	if errs.As(err).Code != errs.WorkspaceNotFound {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.states, id)
}

// Committed publishes the view after a commit of this process: next, or none if the files must be read again. before is
// the generation from which the plan was made. A view that another call has read since then keeps its generation; the
// history tells which of its files must be read again.
func (l *Vault) Committed(planned, next *view.View, before, after uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, s := range l.states {
		switch {
		case s.gen != before:
		case id != planned.Workspace().ID:
			s.gen = after
		case next != nil && s.view == planned:
			s = state{view: next, gen: after, stale: s.stale}
		case before == after: // the store counts no commits
			s.stale = true
		}
		l.states[id] = s
	}
}

// Heed notes that files may have changed: those at the paths, or below them if they are folders.
func (l *Vault) Heed(settled bool, paths ...mdstore.Path) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range paths {
		l.marks++
		l.dirty[p] = mark{n: l.marks, settled: settled, shown: l.dirty[p].shown && !settled}
		if !l.holds(p) { // a workspace may come, go or move
			l.staleAll()
		}
	}
}

// holds reports whether a path lies below the folder of a workspace that was read. l.mu must be held.
func (l *Vault) holds(p mdstore.Path) bool {
	for _, s := range l.states {
		if dir := s.view.Workspace().Dir; p != dir && p.Under(dir) {
			return true
		}
	}
	return false
}

// Stale notes that any file may have changed. It keeps the notes about files that are being saved.
func (l *Vault) Stale() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.staleAll()
	maps.DeleteFunc(l.dirty, func(_ mdstore.Path, m mark) bool { return m.settled })
}

// StaleIn notes that any file of a workspace may have changed.
func (l *Vault) StaleIn(id mdstore.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch++ // a read that is under way is stale too
	if s, ok := l.states[id]; ok {
		s.stale = true
		l.states[id] = s
		dir := s.view.Workspace().Dir
		maps.DeleteFunc(l.dirty, func(p mdstore.Path, m mark) bool { return m.settled && p.Under(dir) })
	}
}

func (l *Vault) staleAll() {
	l.epoch++
	l.all = nil
	for id, s := range l.states {
		s.stale = true
		l.states[id] = s
	}
}

// Following reports whether the store reports changes, so that views need not look for them.
func (l *Vault) Following() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.following
}
