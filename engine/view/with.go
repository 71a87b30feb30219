package view

import (
	"maps"
	"slices"

	"arbor/mdstore"
)

// With returns the view after those files became what they are given as; a file with the zero Version is gone. A node whose file
// cannot be read any more keeps the front matter that it had.
func (v *View) With(files ...mdstore.File) *View {
	nodes := make([]*mdstore.Node, 0, len(files))
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
			nodes = append(nodes, mdstore.ParseNode(f))
		}
	}
	return v.Next(w, nodes, gone)
}

// Next returns the view with another own file, with these nodes in place of those whose files lie where theirs do, and without the
// files that are gone.
func (v *View) Next(w *mdstore.Workspace, nodes []*mdstore.Node, gone []mdstore.Path) *View {
	next := &View{ws: w, nodes: slices.Clone(v.nodes), broken: v.broken, docs: v.docs}
	b := builder{View: next, ids: v.ids.edit(), kids: v.kids.edit(), stood: map[mdstore.ID]*mdstore.Node{}}
	for _, p := range gone {
		b.drop(p)
	}
	for _, n := range nodes {
		if n.Lost() {
			if last, ok := v.File(n.Path); ok && !last.Lost() {
				n = n.Held(last)
			}
		}
		b.put(n)
	}
	b.replant()
	next.ids, next.kids = b.ids.table, b.kids.table
	return next
}

// A builder puts files into the next view.
type builder struct {
	*View
	ids, kids *edit[mdstore.ID, []*mdstore.Node]
	stood     map[mdstore.ID]*mdstore.Node // of the ids concerned: which node stood in the tree for it before; nil for none
}

func (b *builder) drop(p mdstore.Path) {
	b.mend(p)
	i, ok := b.find(p)
	if !ok {
		return
	}
	old := b.nodes[i]
	b.nodes = slices.Delete(b.nodes, i, i+1)
	b.name(old.ID, slices.DeleteFunc(slices.Clone(b.files(old.ID)), func(n *mdstore.Node) bool { return n.Path == p }))
}

func (b *builder) put(n *mdstore.Node) {
	b.drop(n.Path)
	if top, ok := mdstore.NodeKind.Top(b.ws.Dir, n.Path); ok { // it misses its file only while there is no node anywhere in it
		if own := mdstore.NodeKind.File(top); b.broken[own].Code == CodeFileMissing {
			b.mend(own)
		}
	}
	i, _ := b.find(n.Path)
	b.nodes = slices.Insert(b.nodes, i, n)
	now := append(slices.Clone(b.files(n.ID)), n)
	slices.SortFunc(now, byPath)
	b.name(n.ID, now)
}

// mend takes a file out of those that could not be read.
func (b *builder) mend(p mdstore.Path) {
	if _, was := b.broken[p]; was {
		b.broken = maps.Clone(b.broken)
		delete(b.broken, p)
	}
}

// files returns the files of an id that is about to get others.
func (b *builder) files(id mdstore.ID) []*mdstore.Node {
	same, _ := b.ids.get(id)
	if _, met := b.stood[id]; !met {
		b.stood[id] = nil
		if len(same) > 0 {
			b.stood[id] = same[0]
		}
	}
	return same
}

func (b *builder) name(id mdstore.ID, now []*mdstore.Node) {
	if len(now) == 0 {
		b.ids.drop(id)
	} else {
		b.ids.set(id, now)
	}
}

// replant puts the nodes that stand for their ids now in the place of those that stood.
func (b *builder) replant() {
	leave, join := map[mdstore.ID]map[mdstore.Path]bool{}, map[mdstore.ID][]*mdstore.Node{} // by parent
	for id, was := range b.stood {
		var now *mdstore.Node
		if same, _ := b.ids.get(id); len(same) > 0 {
			now = same[0]
		}
		if id == mdstore.Root || was == now {
			continue
		}
		if was != nil {
			if leave[was.Parent] == nil {
				leave[was.Parent] = map[mdstore.Path]bool{}
			}
			leave[was.Parent][was.Path] = true
		}
		if now != nil {
			join[now.Parent] = append(join[now.Parent], now)
		}
	}
	parents := maps.Clone(leave)
	for parent := range join {
		parents[parent] = leave[parent]
	}
	for parent, gone := range parents {
		kids, _ := b.kids.get(parent)
		kids = slices.DeleteFunc(slices.Clone(kids), func(n *mdstore.Node) bool { return gone[n.Path] })
		for _, n := range join[parent] {
			i, _ := slices.BinarySearchFunc(kids, n, (*mdstore.Node).Compare)
			kids = slices.Insert(kids, i, n)
		}
		if len(kids) > 0 {
			b.kids.set(parent, kids)
		} else {
			b.kids.drop(parent)
		}
	}
}

// Lean returns the view without the documents of sound nodes, as it is kept for other operations.
func (v *View) Lean() *View {
	var loaded []*mdstore.Node
	for _, n := range v.nodes {
		if n.Loaded() && n.Editable() == nil {
			loaded = append(loaded, n.Lean())
		}
	}
	if len(loaded) == 0 {
		return v
	}
	return v.Next(v.ws, loaded, nil)
}
