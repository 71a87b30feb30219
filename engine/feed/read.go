package feed

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"arbor/engine/check"
	"arbor/engine/errs"
	"arbor/engine/live"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// shown is the state of a workspace that the feed has reported.
type shown struct {
	view  *view.View
	state view.State
	docs  map[mdstore.Path]*mdoc.Doc // documents of the nodes, from which events name the changes; nil with Heads
	found []mdoc.Diagnostic
}

// elsewhere reports whether an error shows that a workspace came, went or moved since it was listed.
func elsewhere(err error) bool {
	code := errs.As(err).Code
	return code == errs.WorkspaceNotFound || code == errs.DuplicateID
}

// read returns the present workspaces of the feed by folder. For a workspace that did not change it returns the
// reported value itself. The second result has the findings about workspaces that share an id.
func (f *Feed) read(ctx context.Context, l *live.Vault) (map[mdstore.Path]*shown, []mdoc.Diagnostic, error) {
	all, err := l.Workspaces(ctx)
	if err != nil {
		return nil, nil, err
	}
	now := map[mdstore.Path]*shown{}
	shared := []mdoc.Diagnostic{}
	for _, w := range all {
		if f.Workspace != "" && w.ID != f.Workspace && !f.was(w) {
			continue
		}
		var v *view.View
		d, twin := check.SharedID(all, w)
		var err error
		if twin {
			shared = append(shared, d)
			v, err = l.Twin(ctx, w)
		} else if v, err = l.Current(ctx, w.ID); err == nil && v.Workspace().Dir != w.Dir {
			l.Stale() // it has not been read since it moved
			v, err = l.Current(ctx, w.ID)
		}
		if err != nil {
			return nil, nil, err
		}
		if v.Workspace().Dir != w.Dir {
			return nil, nil, errs.New(errs.WorkspaceNotFound, "%s: the workspace moved while it was read", w.ID)
		}
		if now[w.Dir], err = f.show(ctx, l, v, f.shown[w.Dir]); err != nil {
			return nil, nil, err
		}
	}
	return now, shared, nil
}

// show reads the documents of a view that differ from the reported ones, and looks for problems. A file that was saved
// meanwhile is shown with its new content.
func (f *Feed) show(ctx context.Context, l *live.Vault, v *view.View, was *shown) (*shown, error) {
	if was != nil && was.view == v {
		return was, nil
	}
	if f.Heads {
		return &shown{view: v, state: v.State(true)}, nil
	}
	s, old := &shown{}, view.State{}
	if was != nil {
		old = was.state
	}
	read, err := l.Over(ctx, v, func(v *view.View) error {
		s.docs = map[mdstore.Path]*mdoc.Doc{}
		for n := range v.All() {
			if d, ok := old[n.Path]; ok && d.Version == n.Version() && was.docs[n.Path] != nil {
				s.docs[n.Path] = was.docs[n.Path]
			} else {
				s.docs[n.Path] = n.Doc()
			}
		}
		for _, p := range v.Pages().All() {
			if d, ok := old[p.Path]; ok && d.Version == p.Version() && was.docs[p.Path] != nil {
				s.docs[p.Path] = was.docs[p.Path]
			} else {
				s.docs[p.Path] = p.Doc()
			}
		}
		s.found = check.Diagnostics(check.View(v, f.Off...))
		return nil
	})
	s.view, s.state = read, read.State(true)
	return s, err
}

// was reports whether a workspace without a readable id is in the folder of the workspace that the feed reports.
func (f *Feed) was(w *mdstore.Workspace) bool { return f.shown[w.Dir] != nil && meaning(w.Doc) == nil }

// A part is two states of a workspace, nil for a missing one, and the events that lead from one to the other.
type part struct {
	was, is    *shown
	start, end int
}

// compare returns the changes of the workspaces since the last report.
func (f *Feed) compare(now map[mdstore.Path]*shown) ([]Event, []part) {
	from := map[mdstore.Path]*shown{} // the former states of new or changed workspaces
	gone := map[mdstore.ID]*shown{}
	for dir, s := range f.shown {
		if now[dir] == nil {
			gone[s.view.Workspace().ID] = s
		}
	}
	var events []Event
	var parts []part
	add := func(was, is *shown) {
		start := len(events)
		events = append(events, compare(was, is)...)
		parts = append(parts, part{was, is, start, len(events)})
	}
	for _, dir := range slices.Sorted(maps.Keys(now)) {
		id := now[dir].view.Workspace().ID
		if f.shown[dir] == nil && gone[id] != nil {
			from[dir] = gone[id]
			delete(gone, id)
		}
	}
	for _, s := range slices.SortedFunc(maps.Values(gone), func(a, b *shown) int { return cmp.Compare(a.view.Workspace().Dir, b.view.Workspace().Dir) }) {
		add(s, nil)
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
	for i := range events { // a file that was blank compares with its text before that
		if v := &events[i]; v.was == nil && v.Kind != view.Added {
			v.was = f.good[v.before()]
		}
	}
	return events, parts
}

// compare returns the events between two states of a workspace: first its own file, then nodes in the order of paths.
// nil stands for a missing workspace.
func compare(was, is *shown) []Event {
	var out []Event
	if v, ok := compareOwn(was, is); ok {
		out = append(out, v)
	}
	if is == nil {
		return out
	}
	w, old, docs, dir := is.view.Workspace(), view.State{}, map[mdstore.Path]*mdoc.Doc(nil), is.view.Workspace().Dir
	if was != nil {
		dir = was.view.Workspace().Dir
		old, docs = was.state.Moved(dir, w.Dir), was.docs
	}
	before := func(p mdstore.Path) mdstore.Path { return view.MovedTo(p, w.Dir, dir) } // its old path
	for _, d := range view.Diff(old, is.state) {
		if d.Path == w.Path || d.Node == "" {
			continue
		}
		v := Event{Kind: d.Kind, Workspace: w.ID, Node: d.Node, Page: d.Page, Title: d.Title, Path: d.Path}
		switch d.Kind {
		case view.Removed:
			v.Path = before(d.Path)
			v.was = meaning(docs[v.Path])
		case view.Relocated:
			v.From = before(d.From)
			v.was = meaning(docs[v.From])
		case view.Added: // the file that was there has moved
		default:
			v.was = meaning(docs[before(d.Path)])
		}
		if d.Kind != view.Removed {
			doc := is.docs[d.Path]
			if is.docs == nil {
				v.Blank, v.Status = d.Is.IsZero(), statusChange(was, is, d.Node)
			} else if v.Blank = doc == nil || blank(doc, is.state[d.Path].Version); !v.Blank {
				v.is = doc
			} else if o, had := old[cmp.Or(d.From, d.Path)]; had {
				v.Node, v.Title = o.Node, o.Title
			}
		}
		out = append(out, v)
	}
	return out
}

// statusChange returns the new status of a node whose status differs, else "".
func statusChange(was, is *shown, id mdstore.ID) string {
	if was == nil {
		return ""
	}
	o, had := was.view.Node(id)
	if n, has := is.view.Node(id); had && has && n.Status != o.Status {
		return string(n.Status)
	}
	return ""
}

// compareOwn compares the workspaces' own files.
func compareOwn(was, is *shown) (Event, bool) {
	switch {
	case was == nil && is == nil:
		return Event{}, false
	case was == nil:
		w := is.view.Workspace()
		v := Event{Kind: view.Added, Workspace: w.ID, Title: w.Name, Path: w.Path, Nodes: is.view.Len(), Blank: blank(w.Doc, w.Version)}
		if !v.Blank {
			v.is = w.Doc
		}
		return v, true
	case is == nil:
		w := was.view.Workspace()
		return Event{Kind: view.Removed, Workspace: w.ID, Title: w.Name, Path: w.Path, Nodes: was.view.Len(), was: w.Doc}, true
	}
	old, now := was.view.Workspace(), is.view.Workspace()
	if old.Path == now.Path && old.Version == now.Version {
		return Event{}, false
	}
	v := Event{Kind: view.Altered, Workspace: now.ID, Title: now.Name, Path: now.Path, Blank: blank(now.Doc, now.Version), was: meaning(old.Doc)}
	if v.Blank {
		v.Workspace, v.Title = old.ID, old.Name
	} else {
		v.is = now.Doc
	}
	if old.Path != now.Path {
		v.Kind, v.From, v.Nodes = view.Relocated, old.Path, is.view.Len()
	}
	return v, true
}

// blank reports whether nothing can be read of the file of a document: the document is empty, or is not that of the
// file's bytes.
func blank(d *mdoc.Doc, v mdstore.Version) bool {
	return d.Editable() != nil && (meaning(d) == nil || mdstore.VersionOf(d.Bytes()) != v)
}

// meaning returns the document, or nil if it is blank.
func meaning(d *mdoc.Doc) *mdoc.Doc {
	if d == nil || len(d.Fields()) == 0 && d.Editable() != nil {
		return nil
	}
	return d
}

// Compare returns the events between two views of a workspace, which must hold the documents of their nodes; nil stands
// for a missing workspace. The events have no diagnostics.
func Compare(was, is *view.View) []Event {
	held := func(v *view.View) *shown {
		if v == nil {
			return nil
		}
		s := &shown{view: v, state: v.State(true), docs: map[mdstore.Path]*mdoc.Doc{}}
		for n := range v.All() {
			s.docs[n.Path] = n.Doc()
		}
		for _, p := range v.Pages().All() {
			s.docs[p.Path] = p.Doc()
		}
		return s
	}
	return compare(held(was), held(is))
}
