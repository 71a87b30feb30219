package engine

import (
	"context"
	"errors"

	"arbor/mdstore"
)

// News says what may have changed, whoever changed it. It is a hint: what is named may be as it was.
type News struct {
	Paths []mdstore.Path // files and folders; nil with All
	All   bool           // anything may have changed
}

// Follow keeps snapshots current with what people and other programs save, for as long as ctx lasts: a Snapshot that is asked for after a save shows it.
// ready is called once when changes from now on are seen; news then gets what changed once it has settled, one call at a time. Both may be nil. The error is
// ctx's, or why the store cannot be followed: errors.ErrUnsupported where it has no news to give.
func (e *Engine) Follow(ctx context.Context, ready func(), news func(News)) error {
	w, ok := mdstore.AsStore[mdstore.Watcher](e.st)
	if !ok {
		return errors.ErrUnsupported
	}
	defer func() {
		e.following.Store(false)
		e.forgetAll() // what was current is not followed any more
	}()
	return w.Watch(ctx, mdstore.Watching{
		Ready: func() {
			e.forgetAll() // what was read before may have changed unseen
			e.following.Store(true)
			if ready != nil {
				ready()
			}
		},
		Early: func(p mdstore.Path) {
			if p == "" {
				e.forgetAll()
			} else {
				e.heed(true, p)
			}
		},
		Settled: func(paths []mdstore.Path, all bool) {
			if all {
				e.forgetAll()
			} else {
				e.Heed(paths...)
				e.settle(paths)
			}
			if news != nil {
				news(News{Paths: paths, All: all})
			}
		},
	})
}

// Heed tells the engine that files may have changed: those at the paths, and what lies below those that are folders. The next Snapshot looks at them again.
func (e *Engine) Heed(paths ...mdstore.Path) { e.heed(false, paths...) }

// heed is Heed; open says that whoever saves may still be at it.
func (e *Engine) heed(open bool, paths ...mdstore.Path) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hear(open, paths...)
}

// hear is heed; e.mu must be held.
func (e *Engine) hear(open bool, paths ...mdstore.Path) {
	for _, p := range paths {
		if e.holds(p) {
			e.told++
			e.stale[p] = mark{e.told, open}
			continue
		}
		// It is of a workspace that nobody has read, or that comes or goes: what is being read now may be elsewhere already, and two may have one id.
		e.epoch++
		if p.Dir() == "" || p.Base() == mdstore.WorkspaceFile || p.Dir() == mdstore.ArchiveDir {
			e.outdateAll()
		}
	}
}

// suspect is told of a file that is not as a node states it. Where somebody may still be saving it, that stays so; and who follows the files and was not told of a save
// is about to be.
func (e *Engine) suspect(p mdstore.Path) {
	e.mu.Lock()
	defer e.mu.Unlock()
	k, told := e.stale[p]
	for _, l := range e.snaps {
		if _, has := l.snap.file(p); has && !told {
			k.open = e.following.Load()
		}
	}
	e.hear(k.open, p)
}

// settle says that nobody is saving those files any more, or what lies below those that are folders.
func (e *Engine) settle(paths []mdstore.Path) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.saving) == 0 {
		return
	}
	named := make(map[mdstore.Path]bool, len(paths))
	for _, p := range paths {
		named[p] = true
	}
	for p := range e.saving {
		for q := p; q != ""; q = q.Dir() {
			if named[q] {
				delete(e.saving, p)
			}
		}
	}
}

// holds reports whether a path is below the folder of a workspace that was read. e.mu must be held.
func (e *Engine) holds(p mdstore.Path) bool {
	for _, l := range e.snaps {
		if p != l.snap.ws.Dir && p.Under(l.snap.ws.Dir) {
			return true
		}
	}
	return false
}

// Refresh makes the next Snapshot read what people may have saved meanwhile, unless the engine follows the store and knows.
func (e *Engine) Refresh() {
	if !e.following.Load() {
		e.forgetAll()
	}
}

// Current returns the workspace as the files have it now, read again unless the engine follows the store.
func (e *Engine) Current(ctx context.Context, id mdstore.ID) (*Snapshot, error) {
	if e.following.Load() {
		return e.Snapshot(ctx, id)
	}
	return e.Reload(ctx, id)
}

// hold has documents stay in memory as they were read, for who compares what files said with what they say.
func (e *Engine) hold() {
	if !e.whole.Swap(true) {
		e.mu.Lock()
		defer e.mu.Unlock()
		clear(e.snaps)
		e.epoch++
	}
}

func (e *Engine) forgetAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.outdateAll()
	clear(e.stale)
	clear(e.saving)
	e.epoch++
}

// outdateAll has every workspace read anew. e.mu must be held.
func (e *Engine) outdateAll() {
	for id := range e.snaps {
		e.outdate(id)
	}
}

// heard are files that may have changed.
type heard map[mdstore.Path]mark

// A mark is what the engine was last told of a file.
type mark struct {
	n    uint64 // another number each time
	open bool   // whoever saves the file may still be at it: what is missing or damaged may be whole in a moment
}

// below returns those of a workspace's folder.
func (h heard) below(dir mdstore.Path) heard {
	if len(h) == 0 {
		return nil
	}
	out := heard{}
	for p, n := range h {
		if p.Under(dir) {
			out[p] = n
		}
	}
	return out
}

// A moment is what the engine knows of a workspace when somebody begins to read: the snapshot, nil for none, and what may have changed since it was read.
type moment struct {
	id mdstore.ID
	loaded
	stale heard
	epoch uint64
}

func (e *Engine) now(id mdstore.ID) moment {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := moment{id: id, loaded: e.snaps[id], epoch: e.epoch}
	if m.snap != nil {
		m.stale = e.stale.below(m.snap.ws.Dir)
	}
	return m
}

// doubt adds files that were seen to have changed, which the engine was not told of. open says that they may be in the middle of a save.
func (m *moment) doubt(paths []mdstore.Path, open bool) {
	for _, p := range paths {
		if _, told := m.stale[p]; !told && m.snap != nil && p.Under(m.snap.ws.Dir) {
			m.add(p, mark{open: open})
		}
	}
}

func (m *moment) add(p mdstore.Path, k mark) {
	if m.stale == nil {
		m.stale = heard{}
	}
	m.stale[p] = k
}

func (e *Engine) heardOf(dir mdstore.Path) heard {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stale.below(dir)
}

// publish makes a snapshot that was read since a moment the newest one, and what was stale then fresh. It does nothing and reports false if somebody else
// was faster, or if what was read may have gone elsewhere meanwhile: the snapshot is good for its reader, but not for others.
func (e *Engine) publish(since moment, s *Snapshot, seq uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.epoch != since.epoch || e.snaps[since.id].snap != since.snap || s.ws.ID != since.id {
		return false
	}
	e.snaps[since.id] = loaded{snap: s, seq: seq}
	for p, m := range since.stale {
		now, told := e.stale[p]
		if m.open && (now.open || !told) && since.snap != nil {
			if file := s.fileOf(p); s.shows(file, since.snap) {
				e.saving[file] = true
			}
		}
		if now.n == m.n { // nobody has told of it again
			delete(e.stale, p)
		}
	}
	return true
}

// fileOf returns the file that is meant where p was told of, which may be a node's folder.
func (s *Snapshot) fileOf(p mdstore.Path) mdstore.Path {
	if p == s.ws.Path || p.Base() == mdstore.NodeFile {
		return p
	}
	return p.Join(mdstore.NodeFile)
}

// shows reports whether the snapshot has a file, and in another state than an older one has it.
func (s *Snapshot) shows(p mdstore.Path, older *Snapshot) bool {
	if p == s.ws.Path {
		return s.ws.Version != older.ws.Version
	}
	n, has := s.file(p)
	was, had := older.file(p)
	return has && !(had && n.Is(was))
}
