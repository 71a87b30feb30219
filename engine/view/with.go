package view

import (
	"maps"
	"slices"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// With returns the view after these files have changed; a file with the zero Version is gone. A node whose file has
// become unreadable keeps its earlier front matter.
func (v *View) With(files ...mdstore.File) *View { return v.with(files, false) }

// WithLean is With for a view that is kept for other operations: it holds none of the documents of sound files.
func (v *View) WithLean(files ...mdstore.File) *View { return v.with(files, true) }

func (v *View) with(files []mdstore.File, lean bool) *View {
	nodes := make([]*mdstore.Node, 0, len(files))
	var pages []*mdstore.Page
	var gone []mdstore.Path
	w := v.ws
	for _, f := range files {
		switch {
		case f.Path == v.ws.Path:
			if w = mdstore.ParseWorkspace(f); w.Lost() && !v.ws.Lost() {
				w = w.Held(v.ws)
			}
		case f.Version.IsZero():
			gone = append(gone, f.Path)
		default:
			if k := mdstore.AllKinds().Of(f.Path); k != nil && k != mdstore.NodeKind {
				pages = append(pages, mdstore.ParsePage(k, f))
			} else {
				nodes = append(nodes, mdstore.ParseNode(f))
			}
		}
	}
	if lean {
		for i, n := range nodes {
			nodes[i] = n.Lean()
		}
		for i, p := range pages {
			pages[i] = p.Lean()
		}
	}
	return v.Next(w, nodes, gone, pages...)
}

// Next returns the view with another Workspace.md, with these nodes and pages instead of those at their paths, and
// without the files that are gone.
func (v *View) Next(w *mdstore.Workspace, nodes []*mdstore.Node, gone []mdstore.Path, pages ...*mdstore.Page) *View {
	next := &View{ws: w, nodes: slices.Clone(v.nodes), ids: slices.Clone(v.ids), kids: slices.Clone(v.kids), pages: v.pages,
		broken: v.broken, docs: v.docs}
	next.pages.list = slices.Clone(v.pages.list)
	next.tree, next.links = sync.OnceValue(next.grown), sync.OnceValue(next.linked)
	for _, p := range gone {
		next.drop(p)
	}
	for _, n := range nodes {
		if n.Lost() {
			if last, ok := v.File(n.Path); ok && !last.Lost() {
				n = n.Held(last)
			}
		}
		next.put(n)
	}
	next.settle()
	for _, p := range pages {
		next.drop(p.Path)
		i, _ := pageAt(next.pages.list, p.Path)
		next.pages.list = slices.Insert(next.pages.list, i, p)
	}
	return next
}

// drop takes a file out of a view that is being made.
func (v *View) drop(p mdstore.Path) {
	v.mend(p)
	if i, ok := v.find(p); ok {
		v.change(v.nodes[i], remove)
	}
	if i, ok := pageAt(v.pages.list, p); ok {
		v.pages.list = slices.Delete(v.pages.list, i, i+1)
	}
}

// put adds a node to a view that is being made, and replaces the node at its path.
func (v *View) put(n *mdstore.Node) {
	v.drop(n.Path)
	if top, ok := mdstore.NodeKind.Top(v.ws.Dir, n.Path); ok { // the folder lacks its file only while no node is in it
		if own := mdstore.NodeKind.File(top); v.broken[own].Code == CodeFileMissing {
			v.mend(own)
		}
	}
	v.change(n, insert)
}

// mend takes a file out of those that could not be read.
func (v *View) mend(p mdstore.Path) {
	for _, broken := range []*map[mdstore.Path]mdoc.Diagnostic{&v.broken, &v.pages.broken} {
		if _, was := (*broken)[p]; was {
			*broken = maps.Clone(*broken)
			delete(*broken, p)
		}
	}
}

// An edit inserts a node into a list that is in an order, or removes it.
type edit func(list []*mdstore.Node, n *mdstore.Node, order func(a, b *mdstore.Node) int) []*mdstore.Node

func insert(list []*mdstore.Node, n *mdstore.Node, order func(a, b *mdstore.Node) int) []*mdstore.Node {
	i, _ := slices.BinarySearchFunc(list, n, order)
	return slices.Insert(list, i, n)
}

func remove(list []*mdstore.Node, n *mdstore.Node, order func(a, b *mdstore.Node) int) []*mdstore.Node {
	i, _ := slices.BinarySearchFunc(list, n, order)
	return slices.Delete(list, i, i+1)
}

// change edits the lists of a view that is being made. If several files have the node's id, another one may then be in
// the tree.
func (v *View) change(n *mdstore.Node, do edit) {
	stand := func(do edit) {
		if same := v.same(n.ID); len(same) > 0 && n.ID != mdstore.Root {
			v.kids = do(v.kids, same[0], byParent)
		}
	}
	stand(remove)
	v.nodes, v.ids = do(v.nodes, n, byPath), do(v.ids, n, byID)
	stand(insert)
}
