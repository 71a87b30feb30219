package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Difference is what changed in one file of a workspace.
type Difference struct {
	Path     mdstore.Path
	Node     mdstore.ID // "" for the workspace's own file
	Title    string
	Kind     string       // created, changed, removed, moved
	From     mdstore.Path // where a moved file was
	Fields   []string     // front matter keys concerned
	Sections []string     // sections concerned
}

// The kinds of differences.
const (
	Added     = "created"
	Altered   = "changed"
	Removed   = "removed"
	Relocated = "moved"
)

// Seen is what changed in a workspace since a session last looked.
type Seen struct {
	Differences []Difference // in the order of paths
	First       bool         // the session looks for the first time: there is nothing to compare with
	Unnoted     error        // why it could not be noted that the session has looked; nil where it was
}

// Changes returns what changed in a workspace since the session last looked. take says how many of the differences, from the first one on, the session has
// seen now, which is noted; nil is none. A first look is noted in any case, as it is what later ones compare with.
func (e *Engine) Changes(ctx context.Context, ws mdstore.ID, session string, take func([]Difference) int) (*Seen, error) {
	if err := validSession(session); err != nil {
		return nil, err
	}
	read := e.Reload // what people changed is the question
	if take == nil {
		read = e.Current // which may not have heard yet of what was saved a moment ago
	}
	snap, err := read(untraced(ctx), ws)
	if err != nil {
		return nil, err
	}
	e.recall(ctx, session, ws)
	if e.abreast(session, snap) {
		return &Seen{Differences: []Difference{}}, nil
	}
	if take == nil {
		if ds, ok := e.nearby(session, snap); ok {
			if len(ds) == 0 {
				e.keepAbreast(session, snap)
			}
			return &Seen{Differences: ds}, nil
		}
	}
	before, err := sequence(ctx, e.st)
	if err != nil {
		return nil, err
	}
	old, err := e.readLook(ctx, session, ws)
	if err != nil {
		return nil, err
	}
	e.note(session, old, before)
	now, proved := lookAt(snap, old)
	out := &Seen{Differences: []Difference{}, First: !old.known()}
	if !out.First {
		out.Differences = compareLooks(old, now)
	}
	untold := len(out.Differences)
	switch {
	case out.First:
		e.unnote(session, ws)
		out.Unnoted = e.saveLook(ctx, session, now, old)
	case take != nil && len(out.Differences) > 0:
		n := take(out.Differences)
		if untold -= n; untold > 0 {
			now = old.after(now, out.Differences[:n])
		}
		e.unnote(session, ws)
		out.Unnoted = e.saveLook(ctx, session, now, old)
	case proved > provedMost || !old.current(e.opt.Now().UnixMilli()):
		// Nothing is lost where it cannot be: it is as it was before.
		e.unnote(session, ws)
		_ = e.saveLook(ctx, session, old.proven(now), old)
	}
	if untold == 0 {
		e.keepAbreast(session, snap)
	}
	return out, nil
}

// provedMost is how many files may be read at each look to find them the same, before their stamps are noted.
const provedMost = 100

// proven returns the look with the stamps that files have now which are the same.
func (l look) proven(now look) look {
	l.Files = maps.Clone(l.Files)
	for p, f := range l.Files {
		if is, ok := now.Files[p]; ok && is.Version == f.Version {
			l.Files[p] = is
		}
	}
	return l
}

// after returns the look with only those differences to now taken over.
func (l look) after(now look, ds []Difference) look {
	l.Files = maps.Clone(l.Files)
	for _, d := range ds {
		delete(l.Files, d.From)
		delete(l.Files, d.Path)
	}
	for _, d := range ds { // after all that went: files may have changed places
		if f, ok := now.Files[d.Path]; ok {
			l.Files[d.Path] = f
		}
	}
	return l
}

// moved gives the files below a folder their new places; those that left the workspaces are forgotten.
func (l look) moved(from, to mdstore.Path) {
	for p, f := range maps.Clone(l.Files) {
		if !p.Under(from) {
			continue
		}
		delete(l.Files, p)
		if !to.Under(mdstore.LocalDir) {
			l.Files[to+p[len(from):]] = f
		}
	}
}

// own takes the session's own change of a file over into what it has seen.
func (l look) own(f FileChange) {
	form := mdstore.NodeForm
	if f.Path.Base() == mdstore.WorkspaceFile {
		form = mdstore.WorkspaceForm
	}
	doc, _ := mdoc.Parse(string(f.Path), f.new, form)
	seen, known := l.Files[f.Path]
	if !known && f.old != nil {
		return // somebody else made it, or moved it here, which is still to be told
	}
	is := printOf(f.Version, doc)
	if known {
		is = is.of(seen.Node, seen.Title)
	}
	if !known || f.old == nil || mdstore.VersionOf(f.old).String() == seen.Version {
		l.Files[f.Path] = is
		return
	}
	old, _ := mdoc.Parse(string(f.Path), f.old, form)
	next := *seen // others may be reading it
	next.take(printOf(mdstore.Version{}, old).marks(), is.marks())
	l.Files[f.Path] = &next
}

// take brings what differs between was and is into what was seen, but where others had changed it before: that is still to be told.
func (f *fingerprint) take(was, is marks) {
	seen := f.marks()
	if seen == nil || is == nil {
		f.remark(nil)
		return
	}
	for _, k := range unequal(was, is) {
		if seen[k] != was[k] {
			continue
		}
		if v, ok := is[k]; ok {
			seen[k] = v
		} else {
			delete(seen, k)
		}
	}
	f.remark(seen)
}

func compareLooks(old, now look) []Difference {
	var paths, fresh []mdstore.Path // of files that differ, and of those that were not there
	for p, f := range now.Files {
		if was, ok := old.Files[p]; !ok {
			fresh = append(fresh, p)
		} else if was.Version != f.Version {
			paths = append(paths, p)
		}
	}
	left := map[mdstore.ID][]mdstore.Path{} // files that are not where they were, by their node; "" is the workspace's own
	if len(old.Files) != len(now.Files)-len(fresh) {
		for p, f := range old.Files {
			if _, has := now.Files[p]; !has {
				paths = append(paths, p)
				left[f.Node] = append(left[f.Node], p)
			}
		}
	}
	from := relocated(old, now, left, fresh)
	came := map[mdstore.Path]bool{} // the former places of files that are elsewhere now
	for _, p := range from {
		came[p] = true
	}
	paths = append(paths, fresh...)
	slices.Sort(paths)
	out := []Difference{}
	for _, p := range paths {
		was, had := old.Files[p]
		is, has := now.Files[p]
		switch {
		case !has && came[p]:
		case has && !had && from[p] != "":
			out = append(out, differing(Difference{Path: p, Node: is.Node, Title: is.Title, Kind: Relocated, From: from[p]}, old.Files[from[p]], is))
		case !has:
			out = append(out, Difference{Path: p, Node: was.Node, Title: was.Title, Kind: Removed})
		case !had:
			out = append(out, Difference{Path: p, Node: is.Node, Title: is.Title, Kind: Added})
		default:
			out = append(out, differing(Difference{Path: p, Node: is.Node, Title: is.Title, Kind: Altered}, was, is))
		}
	}
	return out
}

// relocated says for files that were not there where they were before: of several of one node those that are the same, then the others in the order of paths.
func relocated(old, now look, left map[mdstore.ID][]mdstore.Path, fresh []mdstore.Path) map[mdstore.Path]mdstore.Path {
	from := map[mdstore.Path]mdstore.Path{}
	if len(left) == 0 {
		return from
	}
	for _, ps := range left {
		slices.Sort(ps)
	}
	fresh = slices.Sorted(slices.Values(fresh))
	for _, same := range []bool{true, false} {
		for _, p := range fresh {
			is, ps := now.Files[p], left[now.Files[p].Node]
			i := slices.IndexFunc(ps, func(q mdstore.Path) bool { return !same || old.Files[q].Version == is.Version })
			if from[p] == "" && i >= 0 {
				from[p] = ps[i]
				left[is.Node] = slices.Delete(ps, i, i+1)
			}
		}
	}
	return from
}

// differing names the fields and sections that differ, where both are known.
func differing(d Difference, was, is *fingerprint) Difference {
	a, b := was.marks(), is.marks()
	if a == nil || b == nil {
		return d
	}
	for _, name := range unequal(a, b) {
		if name[0] == aField {
			d.Fields = append(d.Fields, name[1:])
		} else {
			d.Sections = append(d.Sections, name[1:])
		}
	}
	return d
}

func unequal(a, b marks) []string {
	var out []string
	for k, v := range b {
		if w, ok := a[k]; !ok || w != v {
			out = append(out, k)
		}
	}
	for k := range a {
		if _, ok := b[k]; !ok {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, strings.Compare)
	return out
}

// Since returns the files whose updatedAt is later than t, in the order of paths: what operations changed. A hand edit that left updatedAt alone
// does not show.
func (s *Snapshot) Since(t time.Time) []Difference {
	out := []Difference{}
	if s.ws.UpdatedAt > t.UnixMilli() {
		out = append(out, Difference{Path: s.ws.Path, Title: s.ws.Name, Kind: kindSince(s.ws.CreatedAt, t)})
	}
	for n := range s.All() {
		if n.UpdatedAt > t.UnixMilli() {
			out = append(out, Difference{Path: n.Path, Node: n.ID, Title: n.Title, Kind: kindSince(n.CreatedAt, t)})
		}
	}
	return out
}

func kindSince(created int64, t time.Time) string {
	if created > t.UnixMilli() {
		return Added
	}
	return Altered
}
