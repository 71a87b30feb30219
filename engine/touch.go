package engine

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"arbor/mdstore"
)

// touchRounds is how often Touching starts anew at once when files change under it. Whoever saves more often than that gets an answer of several moments.
const touchRounds = 5

// settling are the pauses in which Touching waits for a save to settle, where it is told when that is: a second at the latest, see mdstore.Watching. Who is not told
// waits for the pauses of a plan.
var settling = []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 400 * time.Millisecond}

// Touching calls f, which only reads, so that what it has looked at was as the files are now: each file of a node that a snapshot of this engine has given it is checked after it has
// returned, and if any had changed f is called again. It waits for somebody who is in the middle of saving such a file. What f was lent of a node's file is of the state that
// the node is of: where that cannot be had, the error says so. The snapshots that the engine gives out under f's context need not be complete: of what no one looks at, a save
// that nobody has told the engine of may not show. f must not hand a snapshot to anybody.
func (e *Engine) Touching(ctx context.Context, f func(context.Context) error) error {
	st, ok := mdstore.AsStore[mdstore.Stamper](e.st)
	if !ok || e.whole.Load() || traceOf(ctx) != nil {
		return f(ctx)
	}
	reloaded := false
	trusting := !e.following.Load() && !e.opt.Served // who follows the files is told of all that comes, once all that is there is known
	var stale []mdstore.Path
	waits := pauses
	if e.following.Load() {
		waits = settling
	}
	for round := 1; ; round++ {
		t := &trace{of: e, trusting: trusting, stale: stale, lent: e.shelf.others.Load()}
		t.nodes = t.room[:0]
		err := f(context.WithValue(ctx, traceKey{}, t))
		switch {
		case ctx.Err() != nil:
			return err
		case trusting && t.unproven && (err != nil || t.absent):
			trusting = false // what is not there may have come
			continue
		case err != nil && t.absent && !trusting && !reloaded:
			reloaded = true // it may have come, and nobody may have told of it yet
			for _, w := range t.ws {
				e.forget(w.ID)
			}
			continue
		}
		again, torn, unsettled := t.changed(ctx, st), t.torn(), t.unsettled()
		switch {
		case len(again)+len(torn)+len(unsettled) == 0:
			return err
		case len(unsettled) == 0 && round < touchRounds && !slices.Equal(again, stale): // a look at the files is all that it takes
		case len(waits) > 0: // somebody is saving
			select {
			case <-e.opt.After(waits[0]):
				waits = waits[1:]
			case <-ctx.Done():
				return ctx.Err()
			}
		case len(torn) > 0 && err == nil:
			return beingSaved(torn)
		default:
			e.settle(unsettled)
			return err // a file that keeps being saved is as it was, or as it is
		}
		if trusting && t.unproven && gone(ctx, st, again) {
			trusting = false // it may lie in another folder now
		}
		stale = again
	}
}

func beingSaved(torn []mdstore.Path) error {
	var paths []string
	for _, p := range torn {
		paths = append(paths, string(p))
	}
	return Fail(Conflicting, "%s: the file is being saved, and cannot be read as a whole until that is done; try again", torn[0]).with(Details{Paths: paths})
}

// gone reports whether one of the files is not there any more.
func gone(ctx context.Context, st mdstore.Stamper, files []mdstore.Path) bool {
	return slices.ContainsFunc(files, func(p mdstore.Path) bool {
		_, err := st.Stat(ctx, p)
		return errors.Is(err, fs.ErrNotExist)
	})
}

type traceKey struct{}

func traceOf(ctx context.Context) *trace {
	t, _ := ctx.Value(traceKey{}).(*trace)
	return t
}

// untraced returns a context under which snapshots are whole.
func untraced(ctx context.Context) context.Context {
	if traceOf(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, (*trace)(nil))
}

// A trace is what was looked at in the snapshots that somebody got. A nil trace notes nothing.
type trace struct {
	of       *Engine
	trusting bool
	stale    []mdstore.Path // what had changed when it was looked at before
	lent     uint64         // what the shelf had counted of others before

	mu       sync.Mutex
	room     [traceFew]*mdstore.Node // of nodes, while they are few
	first    Snapshot                // the first that was viewed, as it is seen
	nodes    []*mdstore.Node
	met      map[*mdstore.Node]bool // the same, where they are many
	ws       []*mdstore.Workspace
	absent   bool // a node was asked for that there is none of
	unproven bool // not every file of a snapshot had been looked at
}

func (t *trace) missed() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.absent = true
}

const traceFew = 16

func (t *trace) touch(n *mdstore.Node) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.nodes) < traceFew && slices.Contains(t.nodes, n), t.met[n]:
		return
	case len(t.nodes) == traceFew:
		t.met = make(map[*mdstore.Node]bool, 4*traceFew)
		for _, n := range t.nodes {
			t.met[n] = true
		}
	}
	t.nodes = append(t.nodes, n)
	if t.met != nil {
		t.met[n] = true
	}
}

// view returns the snapshot as somebody sees it who is traced.
func (t *trace) view(s *Snapshot) *Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unproven = t.unproven || s.unproven()
	if !slices.Contains(t.ws, s.ws) {
		t.ws = append(t.ws, s.ws)
	}
	v := &t.first
	if v.trace != nil {
		v = new(Snapshot)
	}
	*v = *s
	v.trace = t
	return v
}

// changed returns the files that are not as they were seen.
func (t *trace) changed(ctx context.Context, st mdstore.Stamper) []mdstore.Path {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []mdstore.Path
	for _, w := range t.ws {
		if !t.sameOwn(ctx, st, w) {
			out = append(out, w.Path)
		}
	}
	for _, n := range t.nodes {
		if !t.of.shelf.unchanged(ctx, st, n) {
			out = append(out, n.Path)
		}
	}
	return out
}

// torn returns the files of which a document was lent that is not what their node states. They may be again, by now, what it states.
func (t *trace) torn() []mdstore.Path {
	if t.of.shelf.others.Load() == t.lent {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []mdstore.Path
	for _, n := range t.nodes {
		if t.of.shelf.lentOther(n.Path, t.lent) {
			out = append(out, n.Path)
		}
	}
	return out
}

// unsettled returns the files that somebody may be in the middle of saving although a snapshot shows them as they are. Who is not told when a save has settled takes for
// such a file one that was changed just now, where it cannot be read, or was another one when it was looked at before.
func (t *trace) unsettled() []mdstore.Path {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	saved := func(p mdstore.Path, s mdstore.Stamp, damage error) bool {
		return !s.Firm && (damage != nil || slices.Contains(t.stale, p))
	}
	if t.of.following.Load() {
		if len(t.of.saving) == 0 {
			return nil
		}
		saved = func(p mdstore.Path, _ mdstore.Stamp, _ error) bool { return t.of.saving[p] }
	}
	var out []mdstore.Path
	for _, w := range t.ws {
		if saved(w.Path, w.Stamp, w.Doc.Editable()) {
			out = append(out, w.Path)
		}
	}
	for _, n := range t.nodes {
		if saved(n.Path, n.Stamp, n.Editable()) {
			out = append(out, n.Path)
		}
	}
	return out
}

func (t *trace) sameOwn(ctx context.Context, st mdstore.Stamper, w *mdstore.Workspace) bool {
	if st.Unchanged(w.Path, w.Stamp) {
		return true
	}
	now, err := st.Stat(ctx, w.Path)
	if err != nil {
		return w.Version.IsZero()
	}
	f, ok := t.of.shelf.known(w.Path, now)
	if !ok {
		if f, err = t.of.st.Read(ctx, w.Path); err != nil {
			return false
		}
		t.of.shelf.know(f)
	}
	return f.Version == w.Version
}

// unproven reports whether not every file was looked at when the snapshot was read.
func (s *Snapshot) unproven() bool { return s.skimmed != nil && s.skimmed.Unproven }
