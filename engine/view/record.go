package view

import (
	"maps"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Recording returns a view for one run of an operation over documents that were loaded. A node whose document is among docs holds it;
// the use of any other document is noted, and Wanted names them: the result of that run is to be thrown away, and the operation is run
// again with more documents. The view is not safe for concurrent use.
func (v *View) Recording(docs map[mdstore.Path]*mdoc.Doc) *View {
	next := *v
	next.docs = &recorder{docs: docs, nodes: map[*mdstore.Node]*mdstore.Node{}, wanted: map[mdstore.Path]*mdstore.Node{}}
	return &next
}

// Wanted returns the nodes whose documents were used and are not loaded, in the order of paths.
func (v *View) Wanted() []*mdstore.Node {
	if v.docs == nil {
		return nil
	}
	out := make([]*mdstore.Node, 0, len(v.docs.wanted))
	for _, p := range slices.Sorted(maps.Keys(v.docs.wanted)) {
		out = append(out, v.docs.wanted[p])
	}
	return out
}

// A recorder hands out the nodes of a recording view. A nil recorder hands them out as they are.
type recorder struct {
	docs   map[mdstore.Path]*mdoc.Doc
	nodes  map[*mdstore.Node]*mdstore.Node // as they were handed out
	wanted map[mdstore.Path]*mdstore.Node
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
			out = n.Recording(func(*mdstore.Node) { r.wanted[n.Path] = n })
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
