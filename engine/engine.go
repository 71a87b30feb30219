// Package engine is one open vault: immutable snapshots of its workspaces, plans over them, and commits.
//
// Every operation decides in a pure function over a snapshot what is to change (the plan_*.go files), and then commits
// it through the store, all or nothing. A dry run stops after the plan. Readers load a snapshot and never wait for writers.
package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Options are what an Engine takes from outside. The zero Options work.
type Options struct {
	Now     func() time.Time                        // nil: time.Now
	After   func(time.Duration) <-chan time.Time    // nil: time.After; for pauses between attempts
	NewID   func(prefix string) (mdstore.ID, error) // nil: by time and crypto/rand; prefix is "ws" or "node"
	Log     *slog.Logger                            // nil: nothing is logged
	Vault   string                                  // the vault's place, for messages and results; may be empty
	Project string                                  // the project's place, for results; may be empty

	// Served says that many calls follow, and the files are followed: no answer rests on what an earlier process has found, not even before they are.
	Served bool
}

// An Engine is an open vault. It is safe for concurrent use. It holds nothing but memory: the store is the caller's to close.
type Engine struct {
	st  mdstore.Store
	opt Options

	writing  turn  // held from the start of a plan to the end of its commit
	requests queue // of those who wait for it
	company  int   // guarded by writing: for so many commits others are to be expected

	mu    sync.Mutex
	snaps map[mdstore.ID]loaded          // guarded by mu
	stale heard                          // guarded by mu: files that may have changed since the snapshots were read
	told  uint64                         // guarded by mu: counts what the engine was told of stale files
	epoch uint64                         // guarded by mu: another one whenever what is being read may not be published any more
	looks map[string]map[mdstore.ID]look // guarded by mu: what sessions that are attended have seen, by session and workspace
	noted map[mdstore.Path]noted         // guarded by mu: what some others have seen, by the folders where the store keeps it

	// guarded by mu: files that a snapshot shows as they were while whoever saves them may have been at it, until that has settled
	saving map[mdstore.Path]bool

	untold []mdstore.Collision // guarded by mu: what commits have met whose outcomes could not name it

	shelf *shelf      // the documents of nodes that were skimmed
	whole atomic.Bool // files are read whole, and their documents stay in memory as they were

	following atomic.Bool // the store tells of changes, so that snapshots are current
}

// loaded is a snapshot with the number that the store's sequence had before it was read.
type loaded struct {
	snap     *Snapshot
	seq      uint64
	outdated bool // it says only what damaged files last said; everything is to be read again
}

// Open returns an engine over the store. It reads nothing yet: a workspace is read when it is first asked for.
func Open(ctx context.Context, st mdstore.Store, opt Options) (*Engine, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.After == nil {
		opt.After = time.After
	}
	if opt.NewID == nil {
		now := opt.Now
		opt.NewID = func(prefix string) (mdstore.ID, error) {
			return mdstore.NewID(prefix, now().UnixMilli(), rand.Reader)
		}
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{st: st, opt: opt, writing: newTurn(), snaps: map[mdstore.ID]loaded{}, stale: heard{}, looks: map[string]map[mdstore.ID]look{}, noted: map[mdstore.Path]noted{}, saving: map[mdstore.Path]bool{}}
	e.shelf = newShelf(st, e.suspect)
	return e, ctx.Err()
}

// Now returns the time by the engine's clock.
func (e *Engine) Now() time.Time { return e.opt.Now() }

// Vault returns the place of the vault, as the options have it.
func (e *Engine) Vault() string { return e.opt.Vault }

// Project returns the place of the project, as the options have it.
func (e *Engine) Project() string { return e.opt.Project }

// Workspaces returns every workspace of the vault in the order of their creation, active ones and archived ones. A Workspace.md that cannot be
// read is a workspace with a problem.
func (e *Engine) Workspaces(ctx context.Context) ([]*mdstore.Workspace, error) {
	return workspaces(ctx, e.st)
}

func workspaces(ctx context.Context, st mdstore.Store) ([]*mdstore.Workspace, error) {
	for round := 1; ; round++ {
		before, err := sequence(ctx, st)
		if stuck(err) { // it has been waited for once
			return nil, err
		}
		out, err := listed(ctx, st)
		if err != nil {
			return nil, err
		}
		after, err := sequence(ctx, st)
		if stuck(err) {
			return nil, err
		}
		if after != before && round < listings {
			continue // a workspace may have moved from where it was not looked for yet to where it was looked for before
		}
		if s, ok := mdstore.AsStore[mdstore.Watcher](st); ok && len(out) == 0 {
			if err := s.InPlace(); err != nil {
				return nil, err // there is nothing where the vault was
			}
		}
		return out, nil
	}
}

// stuck reports whether a number could not be had as who makes a commit does not get on. Every other error is told by who reads more than the number.
func stuck(err error) bool {
	_, busy := errors.AsType[*mdstore.BusyError](err)
	return busy
}

func listed(ctx context.Context, st mdstore.Store) ([]*mdstore.Workspace, error) {
	var out []*mdstore.Workspace
	for f, err := range st.List(ctx, "") {
		if err != nil && f.Path == "" {
			return nil, err
		}
		if w := workspaceOf(f, err); !foreign(ctx, st, w) {
			out = append(out, w)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b *mdstore.Workspace) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) })
	return out, nil
}

// foreign reports whether a folder is a workspace of TanmiWorkspace 1.x, which has a Workspace.md too, but without an id and with its graph beside
// it. It is there to be imported, not to be worked in.
func foreign(ctx context.Context, st mdstore.Store, w *mdstore.Workspace) bool {
	if _, ok := w.Doc.Field(mdstore.KeyID); ok {
		return false
	}
	_, err := st.Read(ctx, w.Dir.Join("graph.json"))
	return !errors.Is(err, fs.ErrNotExist)
}

// workspaceOf reads a listed Workspace.md; where it could not be read, the error is its problem.
func workspaceOf(f mdstore.File, err error) *mdstore.Workspace {
	if err == nil {
		return mdstore.ParseWorkspace(f)
	}
	doc, _ := mdoc.Parse(string(f.Path), nil, mdstore.WorkspaceForm)
	return mdstore.WorkspaceOf(f.Path, f.Version, doc, []mdoc.Diagnostic{problemOf(f.Path, err)})
}

// problemOf returns the diagnostic of a file that could not be read.
func problemOf(p mdstore.Path, err error) mdoc.Diagnostic {
	var u *mdoc.UnreadableError
	switch {
	case errors.As(err, &u):
		return u.Problem
	case errors.Is(err, fs.ErrNotExist):
		return mdoc.Diagnostic{File: string(p), Code: CodeFileMissing, Text: "the file is missing; restore it (git, the trash) or remove its folder"}
	}
	return mdoc.Diagnostic{File: string(p), Code: string(FileUnreadable), Text: err.Error()}
}

// Workspace returns what the own file of a workspace says now. It looks at no node.
func (e *Engine) Workspace(ctx context.Context, id mdstore.ID) (*mdstore.Workspace, error) {
	return e.workspace(ctx, e.st, id)
}

// workspace returns the one workspace with that id.
func (e *Engine) workspace(ctx context.Context, st mdstore.Store, id mdstore.ID) (*mdstore.Workspace, error) {
	all, err := workspaces(ctx, st)
	if err != nil {
		return nil, err
	}
	var hit *mdstore.Workspace
	for _, w := range all {
		switch {
		case w.ID != id:
		case hit != nil:
			return nil, twins(id, hit, w)
		default:
			hit = w
		}
	}
	if hit == nil {
		return nil, Fail(WorkspaceNotFound, "%s: no such workspace%s", id, known(all)).with(Details{Candidates: heads(all)})
	}
	return hit, nil
}

func twins(id mdstore.ID, a, b *mdstore.Workspace) *Error {
	return Fail(DuplicateID, "%s: two workspaces have this id, %s and %s; give one of them another id, or move the copy out of the vault", id, a.Path, b.Path).
		with(Details{Paths: []string{string(a.Path), string(b.Path)}})
}

func heads(all []*mdstore.Workspace) []Candidate {
	out := make([]Candidate, 0, min(len(all), candidatesShown))
	for _, w := range all[:cap(out)] {
		out = append(out, Candidate{string(w.ID), w.Name})
	}
	return out
}

func known(all []*mdstore.Workspace) string {
	if len(all) == 0 {
		return "; the vault has none yet: make one with workspace_init (arbor init)"
	}
	s := "; there are: "
	for i, w := range all {
		if i == 5 {
			return s + fmt.Sprintf(", … (%d in all)", len(all))
		}
		if i > 0 {
			s += ", "
		}
		s += string(w.ID) + " (" + w.Name + ")"
	}
	return s
}

// Snapshot returns the workspace as it is now. It is read again when another process has committed since. Changes that people made in the files show
// while the engine follows the store, and after Reload where it does not.
func (e *Engine) Snapshot(ctx context.Context, id mdstore.ID) (*Snapshot, error) {
	return e.snapshot(ctx, e.st, id)
}

// Reload reads a workspace again, so that what people have saved since shows.
func (e *Engine) Reload(ctx context.Context, id mdstore.ID) (*Snapshot, error) {
	e.forget(id)
	return e.snapshot(ctx, e.st, id)
}

func (e *Engine) snapshot(ctx context.Context, st mdstore.Store, id mdstore.ID) (*Snapshot, error) {
	t := traceOf(ctx)
	if t != nil && t.of != e {
		t = nil
	}
	s, err := e.newest(ctx, st, id, t)
	if err != nil || t == nil {
		return s, err
	}
	return t.view(s), nil
}

// newest is snapshot for somebody who may be traced.
func (e *Engine) newest(ctx context.Context, st mdstore.Store, id mdstore.ID, t *trace) (*Snapshot, error) {
	trusting := t != nil && t.trusting
	seq, err := sequence(ctx, st)
	if err != nil {
		return nil, err
	}
	for {
		at := e.now(id)
		if t != nil {
			at.doubt(t.stale, e.following.Load())
		}
		if at.snap != nil && !at.outdated && (trusting || !at.snap.unproven()) {
			if at.seq == seq && len(at.stale) == 0 {
				return at.snap, nil
			}
			if at.catchUp(ctx, st, seq) {
				if snap, err := e.freshen(ctx, st, at); err != nil || snap != nil {
					return snap, err
				}
			}
		}
		// What is known to have changed, and is more than a file with another text, only a look at everything tells.
		trusting = trusting && len(at.stale) == 0
		w, err := e.workspace(ctx, st, id)
		if err != nil {
			if at.snap != nil && at.stale[at.snap.ws.Path].open && AsError(err).Code == WorkspaceNotFound {
				return at.snap, nil // its own file is being saved
			}
			e.drop(id)
			return nil, err
		}
		at.stale = e.heardOf(w.Dir)
		var known *memory
		if paths, ok := at.committed(ctx, st, seq); ok {
			at.close(paths)
			known = remember(at)
		} else if at.snap != nil {
			known = &memory{last: at.snap}
		}
		snap, err := e.load(ctx, st, w, known, trusting)
		if err != nil {
			return nil, err
		}
		// What was read while somebody committed may be of two states; it is read again.
		upToDate, after, err := keepUp(ctx, st, snap, seq)
		if err != nil {
			return nil, err
		}
		if upToDate != nil && upToDate.ws.ID == id {
			if !snap.unsure {
				if known != nil {
					at.stale = at.stale.settled(known.left)
				}
				e.publish(at, upToDate, after)
			}
			return upToDate, nil
		}
		if seq, err = sequence(ctx, st); err != nil {
			return nil, err
		}
	}
}

// advance tells the snapshots that were of the moment before a commit that it did not concern them. The one that it did concern, if any, becomes
// next, which was made from base; nil: it has to be read anew.
func (e *Engine) advance(before, after uint64, base, next *Snapshot, epoch uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, l := range e.snaps {
		switch {
		case base == nil || id != base.ws.ID:
			if l.seq == before {
				l.seq = after
				e.snaps[id] = l
			}
		case next != nil && l.snap == base && e.epoch == epoch:
			e.snaps[id] = loaded{snap: next, seq: after}
		case l.seq != after || before == after: // not read since the commit, or nobody can tell
			e.outdate(id)
		}
	}
}

// aside commits changes that no snapshot holds: notes of this machine. It must be called with other writers kept out.
func (e *Engine) aside(ctx context.Context, st mdstore.Store, changes []mdstore.Change) error {
	before, err := sequence(ctx, st)
	if err != nil {
		return err
	}
	if _, err := st.Commit(ctx, changes); err != nil {
		return err
	}
	if after, err := sequence(ctx, st); err == nil {
		e.advance(before, after, nil, nil, 0)
	}
	return nil
}

func (e *Engine) forget(id mdstore.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.outdate(id)
	e.epoch++
}

// drop forgets a workspace that does not exist any more.
func (e *Engine) drop(id mdstore.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.snaps, id)
}

// outdate has a workspace read anew by whoever asks for it next. e.mu must be held.
func (e *Engine) outdate(id mdstore.ID) {
	if l, ok := e.snaps[id]; ok {
		l.outdated = true
		e.snaps[id] = l
	}
}

// sequence returns the number of commits that the store has seen from all processes; 0 where it cannot tell.
func sequence(ctx context.Context, st mdstore.Store) (uint64, error) {
	if s, ok := mdstore.AsStore[mdstore.History](st); ok {
		return s.Generation(ctx)
	}
	return 0, nil
}
