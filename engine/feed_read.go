package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// listings is how often the vault is listed anew when workspaces move while they are read.
const listings = 3

// read returns the workspaces as they are now, by their folders. Those that the news say nothing of are the very snapshots that were told. shared is what is wrong
// with workspaces that have one id.
func (f *Feed) read(ctx context.Context, e *Engine, news News) (now map[mdstore.Path]*Snapshot, shared []mdoc.Diagnostic, err error) {
	if now, err := f.reread(ctx, e, news); now != nil || err != nil {
		return now, nil, err
	}
	for round := 1; ; round++ {
		all, err := e.Workspaces(ctx)
		if err != nil {
			return nil, nil, err
		}
		now, shared, err := f.readAll(ctx, e, all)
		if err == nil || ctx.Err() != nil || round == listings || !elsewhere(err) {
			return now, shared, err
		}
	}
}

// errElsewhere says that a workspace is no longer where it was listed.
var errElsewhere = errors.New("a workspace moved while it was read")

// elsewhere reports whether an error says that a workspace came, went or moved since it was listed.
func elsewhere(err error) bool {
	code := AsError(err).Code
	return errors.Is(err, errElsewhere) || code == WorkspaceNotFound || code == DuplicateID
}

// reread reads the workspaces that news of nodes are about. It returns nil where the vault has to be listed: workspaces may have come or gone.
func (f *Feed) reread(ctx context.Context, e *Engine, news News) (map[mdstore.Path]*Snapshot, error) {
	if news.All || f.shown == nil || len(f.shared) > 0 {
		return nil, nil
	}
	stale := map[mdstore.Path]bool{}
	for _, p := range news.Paths {
		dir := workspaceDir(p)
		if f.shown[dir] == nil || !p.Under(dir.Join(mdstore.NodesDir)) {
			return nil, nil
		}
		stale[dir] = true
	}
	now := maps.Clone(f.shown)
	for dir := range stale {
		s, err := e.Snapshot(ctx, f.shown[dir].ws.ID)
		switch {
		case err != nil && !elsewhere(err):
			return nil, err
		case err != nil || s.ws.Dir != dir:
			return nil, nil
		}
		now[dir] = s
	}
	return now, nil
}

// workspaceDir returns the folder of the workspace that a path belongs to, if it belongs to one.
func workspaceDir(p mdstore.Path) mdstore.Path {
	first, rest, _ := strings.Cut(string(p), "/")
	if first != mdstore.ArchiveDir {
		return mdstore.Path(first)
	}
	second, _, _ := strings.Cut(rest, "/")
	return mdstore.Path(first).Join(second)
}

// readAll reads the workspaces of a listing that the feed is about.
func (f *Feed) readAll(ctx context.Context, e *Engine, all []*mdstore.Workspace) (map[mdstore.Path]*Snapshot, []mdoc.Diagnostic, error) {
	now := map[mdstore.Path]*Snapshot{}
	shared := []mdoc.Diagnostic{}
	for _, w := range all {
		if f.Workspace != "" && w.ID != f.Workspace && !f.was(w) {
			continue
		}
		var s *Snapshot
		d, twin := sharedID(all, w)
		if err := error(nil); twin {
			shared = append(shared, d)
			if s, err = e.load(ctx, e.st, w, &memory{last: f.shown[w.Dir]}, false); err != nil {
				return nil, nil, err
			}
		} else if s, err = e.Snapshot(ctx, w.ID); err != nil {
			return nil, nil, err
		}
		if s.ws.Dir != w.Dir { // the engine has not heard yet that it moved, unless it has moved again
			var err error
			if s, err = e.Reload(ctx, w.ID); err != nil {
				return nil, nil, err
			}
			if s.ws.Dir != w.Dir {
				return nil, nil, errElsewhere
			}
		}
		now[w.Dir] = s
	}
	return now, shared, nil
}

// was reports whether a workspace that does not say who it is lies where the one lay that the feed is about.
func (f *Feed) was(w *mdstore.Workspace) bool { return f.shown[w.Dir] != nil && meaning(w.Doc) == nil }

// compared are two states of a workspace, either nil where it was or is not there, and the events that lead from one to the other: a part of a report's.
type compared struct {
	was, is    *Snapshot
	start, end int
}

// compare returns what became of the workspaces since they were told. Those of which nobody read anything anew are passed over.
func (f *Feed) compare(now map[mdstore.Path]*Snapshot) ([]Event, []compared) {
	from := map[mdstore.Path]*Snapshot{} // what those were that came or changed
	gone := map[mdstore.ID]*Snapshot{}
	for dir, s := range f.shown {
		if now[dir] == nil {
			gone[s.ws.ID] = s
		}
	}
	var events []Event
	var parts []compared
	add := func(was, is *Snapshot) {
		start := len(events)
		events = append(events, Compare(was, is)...)
		parts = append(parts, compared{was, is, start, len(events)})
	}
	for _, dir := range slices.Sorted(maps.Keys(now)) {
		s := now[dir]
		if was := f.shown[dir]; was == nil && gone[s.ws.ID] != nil {
			from[dir] = gone[s.ws.ID]
			delete(gone, s.ws.ID)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(gone), func(a, b mdstore.ID) int { return cmp.Compare(gone[a].ws.Dir, gone[b].ws.Dir) }) {
		add(gone[id], nil)
	}
	for _, dir := range slices.Sorted(maps.Keys(now)) {
		was := f.shown[dir]
		if was == nil {
			was = from[dir]
		}
		if was != now[dir] {
			add(was, now[dir])
		}
	}
	for i := range events { // what was blank compares with what it said before
		if v := &events[i]; v.was == nil {
			v.was = f.good[v.before()]
		}
	}
	return events, parts
}
