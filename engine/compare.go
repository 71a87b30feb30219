package engine

import (
	"maps"
	"slices"
	"sort"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Compare returns how a workspace became another: its own file first, then those of nodes in the order of paths. A nil snapshot stands for a workspace that is not there. A
// node is known by its id, wherever its file lies; where a file got another id, the place counts. Events have no diagnostics.
//
// It looks at each file's version, about 2 ms for 10,000, and at the content of none: what changed in a file is found when an event is asked for it.
func Compare(was, is *Snapshot) []Event {
	var out []Event
	if v, ok := compareOwn(was, is); ok {
		out = append(out, v)
	}
	if is == nil || was == is {
		return out
	}
	old, now := map[mdstore.Path]filed{}, unlike(is, was)
	for p, f := range unlike(was, is) {
		old[moved(p, was.ws.Dir, is.ws.Dir)] = f
	}
	from := pair(old, now)
	for p, f := range now {
		v := Event{Kind: Added, Workspace: is.ws.ID, Node: f.id, Title: f.title, Path: p, Blank: f.blank}
		if !f.blank {
			v.is = f.doc
		}
		if q, ok := from[p]; ok {
			o := old[q]
			v.Kind, v.was = Altered, o.doc
			if q != p {
				v.Kind, v.From = Relocated, o.path
			}
			if f.blank {
				v.Node, v.Title = o.id, o.title
			}
			delete(old, q)
		}
		out = append(out, v)
	}
	for _, f := range old {
		out = append(out, Event{Kind: Removed, Workspace: is.ws.ID, Node: f.id, Title: f.title, Path: f.path, was: f.doc})
	}
	nodes := out
	if len(out) > 0 && out[0].Node == "" {
		nodes = out[1:]
	}
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Path < nodes[j].Path }) // a generic sort of values this large is 100 kB of program
	return out
}

// compareOwn compares what two snapshots say of the workspace itself.
func compareOwn(was, is *Snapshot) (Event, bool) {
	switch {
	case was == nil && is == nil:
		return Event{}, false
	case was == nil:
		w := is.ws
		v := Event{Kind: Added, Workspace: w.ID, Title: w.Name, Path: w.Path, Nodes: is.Len(), Blank: blank(w.Doc, w.Version)}
		if !v.Blank {
			v.is = w.Doc
		}
		return v, true
	case is == nil:
		w := was.ws
		return Event{Kind: Removed, Workspace: w.ID, Title: w.Name, Path: w.Path, Nodes: was.Len(), was: w.Doc}, true
	case was.ws.Path == is.ws.Path && was.ws.Version == is.ws.Version:
		return Event{}, false
	}
	v := Event{Kind: Altered, Workspace: is.ws.ID, Title: is.ws.Name, Path: is.ws.Path, Blank: blank(is.ws.Doc, is.ws.Version), was: meaning(was.ws.Doc)}
	if v.Blank {
		v.Workspace, v.Title = was.ws.ID, was.ws.Name
	} else {
		v.is = is.ws.Doc
	}
	if was.ws.Path != is.ws.Path {
		v.Kind, v.From, v.Nodes = Relocated, was.ws.Path, is.Len()
	}
	return v, true
}

// blank reports whether nothing can be read of the file of a document: the document is empty, or has the meaning that the file had before.
func blank(d *mdoc.Doc, v mdstore.Version) bool {
	return d.Editable() != nil && (meaning(d) == nil || mdstore.VersionOf(d.Bytes()) != v)
}

// meaning returns a document that says something, nil for one that does not.
func meaning(d *mdoc.Doc) *mdoc.Doc {
	if len(d.Fields()) == 0 && d.Editable() != nil {
		return nil
	}
	return d
}

// A filed is a file of a node as a snapshot has it.
type filed struct {
	path  mdstore.Path
	id    mdstore.ID
	title string
	doc   *mdoc.Doc // that says something, or said it before; nil for none
	blank bool
}

// unlike returns the files of nodes that one snapshot has and the other has not, or has another version of. A file that cannot be read at all is blank; one that is missing is none.
func unlike(in, other *Snapshot) map[mdstore.Path]filed {
	out := map[mdstore.Path]filed{}
	if in == nil {
		return out
	}
	for n := range in.All() {
		p := n.Path
		if other != nil {
			if o, ok := other.file(moved(p, in.ws.Dir, other.ws.Dir)); ok && o.Version() == n.Version() {
				continue
			}
		}
		out[p] = filed{path: p, id: n.ID, title: n.Title, doc: meaning(n.Doc()), blank: blank(n.Doc(), n.Version())}
	}
	for it := in.broken.Iterator(); !it.Done(); {
		p, d, _ := it.Next()
		if d.Code == CodeFileMissing {
			continue
		}
		if other != nil {
			if o, ok := other.broken.Get(moved(p, in.ws.Dir, other.ws.Dir)); ok && o.Code != CodeFileMissing {
				continue
			}
		}
		id := mdstore.ID(p.Dir().Base())
		out[p] = filed{path: p, id: id, title: string(id), blank: true}
	}
	return out
}

// moved returns the place of a file after a folder above it has moved.
func moved(p, from, to mdstore.Path) mdstore.Path {
	if from == to || !p.Under(from) {
		return p
	}
	return to + p[len(from):]
}

// pair says for each file that is there now which one it was; it was none of them where it is not in the result. Blank files say nothing of who they are: they
// are who lay in their place.
func pair(old, now map[mdstore.Path]filed) map[mdstore.Path]mdstore.Path {
	out, taken := map[mdstore.Path]mdstore.Path{}, map[mdstore.Path]bool{}
	match := func(p, q mdstore.Path) { out[p], taken[q] = q, true }
	for p, f := range now {
		if o, ok := old[p]; ok && (o.id == f.id || o.blank || f.blank) {
			match(p, p)
		}
	}
	left := map[mdstore.ID][]mdstore.Path{} // in the order of paths
	for _, q := range slices.Sorted(maps.Keys(old)) {
		if !taken[q] && !old[q].blank {
			left[old[q].id] = append(left[old[q].id], q)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(now)) {
		f := now[p]
		if _, ok := out[p]; ok || f.blank || len(left[f.id]) == 0 {
			continue
		}
		match(p, left[f.id][0])
		left[f.id] = left[f.id][1:]
	}
	for p := range now {
		if _, ok := out[p]; ok || taken[p] {
			continue
		}
		if _, ok := old[p]; ok { // it got another id
			match(p, p)
		}
	}
	return out
}
