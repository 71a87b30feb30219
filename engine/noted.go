package engine

import (
	"context"
	"slices"

	"arbor/mdstore"
)

// What a session has seen is kept in the store, and to read it costs what the workspace holds. So a process that has read it keeps it in memory as well, for as long as the store says that
// nobody has written another one: then only the files that may have changed are compared, as it is done for attended sessions.

// notedMost is how many of the looks that the store keeps are in memory too: a server has one session, or few.
const notedMost = 4

// A noted look is what the store keeps of one, as it was after a commit.
type noted struct {
	look
	seq uint64 // the number of that commit
}

// seen returns what sessions are known to have seen: an attended one, or one whose look is in the store. e.mu must be held.
func (e *Engine) seen(session string, ws mdstore.ID) (look, bool) {
	if seen, attended := e.looks[session]; attended {
		return seen[ws], true
	}
	n, ok := e.noted[lookDir(session, ws)]
	return n.look, ok
}

// keepSeen keeps what is known of what a session has seen of a snapshot. e.mu must be held.
func (e *Engine) keepSeen(session string, l look) {
	if seen, attended := e.looks[session]; attended {
		seen[l.Workspace] = l
		return
	}
	dir := lookDir(session, l.Workspace)
	if n, ok := e.noted[dir]; ok {
		n.look = l
		e.noted[dir] = n
	}
}

// recall forgets what is in memory of a session's look where the store's may be another one by now, or is to be written again.
func (e *Engine) recall(ctx context.Context, session string, ws mdstore.ID) {
	dir := lookDir(session, ws)
	e.mu.Lock()
	n, ok := e.noted[dir]
	e.mu.Unlock()
	if !ok {
		return
	}
	seq, err := sequence(ctx, e.st)
	same := err == nil && n.current(e.opt.Now().UnixMilli()) && e.untouched(ctx, dir, n.seq, seq) && e.there(ctx, lookPath(session, ws, 0))
	e.mu.Lock()
	defer e.mu.Unlock()
	switch now, ok := e.noted[dir]; {
	case !ok || now.seq != n.seq: // somebody else knows better
	case same:
		now.seq = seq
		e.noted[dir] = now
	default:
		delete(e.noted, dir)
	}
}

// there reports whether a file is: one that another process has removed, as that of a session that is unbound, no commit tells of.
func (e *Engine) there(ctx context.Context, p mdstore.Path) bool {
	s, ok := mdstore.AsStore[mdstore.Stamper](e.st)
	if !ok {
		return false
	}
	_, err := s.Stat(ctx, p)
	return err == nil
}

// untouched reports whether no commit has changed anything in a folder while the sequence went from one number to another.
func (e *Engine) untouched(ctx context.Context, dir mdstore.Path, from, to uint64) bool {
	if from == to {
		return from != 0 // of a store that has no numbers
	}
	h, ok := mdstore.AsStore[mdstore.History](e.st)
	if !ok {
		return false
	}
	paths, ok := h.ChangedSince(ctx, from, to)
	return ok && !slices.ContainsFunc(paths, func(p mdstore.Path) bool { return p.Under(dir) || dir.Under(p) })
}

// note keeps in memory what was read of a session's look in the store, at the earliest after the commit of that number.
func (e *Engine) note(session string, l look, seq uint64) {
	if seq == 0 || !l.known() {
		return
	}
	l.versions = nil // which are for who writes it
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, attended := e.looks[session]; attended {
		return
	}
	dir := lookDir(session, l.Workspace)
	if _, ok := e.noted[dir]; !ok && len(e.noted) >= notedMost {
		for other := range e.noted {
			delete(e.noted, other) // any: it costs who asks for it a reading
			break
		}
	}
	e.noted[dir] = noted{look: l, seq: seq}
}

// unnote forgets what is in memory of a session's look: the store's is about to be another one.
func (e *Engine) unnote(session string, ws mdstore.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.noted, lookDir(session, ws))
}

// ownNoted takes a session's own changes over into what is in memory of its look, which the commit from one number to another has written to the store.
func (e *Engine) ownNoted(ctx context.Context, session string, ws mdstore.ID, files []FileChange, before, after uint64) {
	dir := lookDir(session, ws)
	e.mu.Lock()
	n, ok := e.noted[dir]
	e.mu.Unlock()
	same := ok && e.untouched(ctx, dir, n.seq, before)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch now, ok := e.noted[dir]; {
	case !ok:
	case !same || now.seq < n.seq || now.seq > before:
		delete(e.noted, dir)
	default:
		now.ownAll(files)
		now.all, now.seq = nil, after
		e.noted[dir] = now
	}
}
