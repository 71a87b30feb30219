package view

import (
	"maps"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Recording returns a view for one run of an operation over documents that were loaded. Nodes have the documents in
// docs. If the operation uses another document, Wanted names it; then discard the result and run the operation again
// with more documents. The view is not safe for concurrent use.
func (v *View) Recording(docs map[mdstore.Path]*mdoc.Doc) *View {
	next := *v
	next.docs = &recorder{docs: docs, nodes: map[*mdstore.Node]*mdstore.Node{}, pages: map[*mdstore.Page]*mdstore.Page{},
		wanted: map[mdstore.Path]Wanted{}}
	return &next
}

// A Wanted is a file whose document was used and is not loaded.
type Wanted struct {
	Path    mdstore.Path
	Version mdstore.Version
	Form    *mdoc.Form
}

// Wanted returns the files whose documents were used and are not loaded, in the order of paths.
func (v *View) Wanted() []Wanted {
	if v.docs == nil {
		return nil
	}
	out := make([]Wanted, 0, len(v.docs.wanted))
	for _, p := range slices.Sorted(maps.Keys(v.docs.wanted)) {
		out = append(out, v.docs.wanted[p])
	}
	return out
}

// A recorder hands out the nodes and pages of a recording view. A nil recorder hands them out as they are.
type recorder struct {
	docs   map[mdstore.Path]*mdoc.Doc
	nodes  map[*mdstore.Node]*mdstore.Node // the nodes that were returned so far
	pages  map[*mdstore.Page]*mdstore.Page
	wanted map[mdstore.Path]Wanted

	lacking bool // pages were asked for of a view without pages
}

func (r *recorder) of(n *mdstore.Node) *mdstore.Node {
	if r == nil || n.Loaded() {
		return n
	}
	out, met := r.nodes[n]
	if !met {
		if doc := r.docs[n.Path]; doc != nil {
			out = n.Holding(doc)
		} else {
			out = n.Recording(func(*mdstore.Node) { r.wanted[n.Path] = Wanted{n.Path, n.Version(), mdstore.NodeForm} })
		}
		r.nodes[n] = out
	}
	return out
}

func (r *recorder) ofAll(ns []*mdstore.Node) []*mdstore.Node {
	if r == nil {
		return ns
	}
	out := make([]*mdstore.Node, len(ns))
	for i, n := range ns {
		out[i] = r.of(n)
	}
	return out
}

func (r *recorder) ofPage(p *mdstore.Page) *mdstore.Page {
	if r == nil || p.Loaded() {
		return p
	}
	out, met := r.pages[p]
	if !met {
		if doc := r.docs[p.Path]; doc != nil {
			out = p.Holding(doc)
		} else {
			out = p.Recording(func(*mdstore.Page) { r.wanted[p.Path] = Wanted{p.Path, p.Version(), p.Kind.Form} })
		}
		r.pages[p] = out
	}
	return out
}
