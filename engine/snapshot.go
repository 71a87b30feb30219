package engine

import (
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"github.com/benbjohnson/immutable"

	"arbor/context/assemble"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Snapshot is a workspace at one moment. It never changes; With makes the next one, which shares with it all that
// stayed the same.
//
// The documents of its nodes are read when they are asked for. What somebody saves meanwhile may show in them: Touching and every plan notice that.
type Snapshot struct {
	ws     *mdstore.Workspace
	base   *base                                         // what one reading of all files found; what changed since lies over it:
	files  *immutable.Map[mdstore.Path, *mdstore.Node]   // nil: gone
	ids    *immutable.Map[mdstore.ID, []*mdstore.Node]   // by path; more than one: a duplicate id; none: gone
	kids   *immutable.Map[mdstore.ID, []*mdstore.Node]   // by parent, in tree order; of a duplicate id only the first
	broken *immutable.Map[mdstore.Path, mdoc.Diagnostic] // files that could not be read at all
	count  int                                           // of files
	named  int                                           // of ids
	found  *findings                                     // what Diagnostics found; of this snapshot alone
	unsure bool                                          // a file could not be read for a reason that says nothing about the file: it may be read the next time

	skimmed *mdstore.Skimmed // what the base is made of, nil where the files were read
	shelf   *shelf           // has the documents; nil where the nodes hold them
	trace   *trace           // of what is looked at; nil where nobody asks
}

var _ assemble.Source = (*Snapshot)(nil)

// hasher hashes the string types that snapshots are keyed by.
type hasher[K ~string] struct{ seed maphash.Seed }

func (h hasher[K]) Hash(k K) uint32   { return uint32(maphash.String(h.seed, string(k))) }
func (h hasher[K]) Equal(a, b K) bool { return a == b }

var seed = maphash.MakeSeed() // one for all, so that maps can be told apart by their content only

// newSnapshot returns the snapshot of nodes that are in the order of their paths.
func newSnapshot(w *mdstore.Workspace, nodes []*mdstore.Node) *Snapshot {
	b := newBase(nodes)
	return &Snapshot{
		ws:     w,
		base:   b,
		files:  immutable.NewMap[mdstore.Path, *mdstore.Node](hasher[mdstore.Path]{seed}),
		ids:    immutable.NewMap[mdstore.ID, []*mdstore.Node](hasher[mdstore.ID]{seed}),
		kids:   immutable.NewMap[mdstore.ID, []*mdstore.Node](hasher[mdstore.ID]{seed}),
		broken: immutable.NewMap[mdstore.Path, mdoc.Diagnostic](hasher[mdstore.Path]{seed}),
		count:  len(nodes),
		named:  b.ids.used,
		found:  &findings{},
	}
}

func byPath(a, b *mdstore.Node) int {
	if a.Path < b.Path {
		return -1
	}
	return 1
}

// With returns the snapshot after those files became what they are given as; a file with the zero Version is gone. It costs the files, and a look at the siblings
// of each node that comes, goes or changes its place: once, however many of them there are.
func (s *Snapshot) With(files ...mdstore.File) *Snapshot {
	all := make([]made, len(files))
	for i, f := range files {
		all[i].File = f
	}
	return s.with(all)
}

// with is With for files of which some have been read already.
func (s *Snapshot) with(files []made) *Snapshot {
	next := *s
	next.found = &findings{}
	g := graft{s: &next, stood: make(map[mdstore.ID]*mdstore.Node, len(files))}
	for _, f := range files {
		switch {
		case f.Path == s.ws.Path:
			next.ws = s.heldWorkspace(f.workspace())
		case f.Version.IsZero():
			g.drop(f.Path)
		default:
			g.put(s.held(f.node()))
		}
	}
	g.grow()
	return &next
}

// shelve has the documents of those files read when they are asked for, once they are what the store holds. Nobody else may have the snapshot yet. What a damaged file
// said before is nowhere else, and stays.
func (s *Snapshot) shelve(changes []mdstore.Change) {
	if s.shelf == nil {
		return
	}
	for _, c := range changes {
		if n, ok := s.file(c.Path); ok && c.New != nil && n.Editable() == nil {
			s.shelf.take(n)
		}
	}
}

// held returns a node, with the meaning that it has in s where its file has lost it.
func (s *Snapshot) held(n *mdstore.Node) *mdstore.Node {
	if s == nil || !n.Lost() || s.unproven() {
		return n // what an index says was never seen here
	}
	if last, ok := s.file(n.Path); ok && !last.Lost() {
		return n.Held(last)
	}
	return n
}

func (s *Snapshot) heldWorkspace(w *mdstore.Workspace) *mdstore.Workspace {
	if s == nil || !w.Lost() || w.Path != s.ws.Path || s.ws.Lost() {
		return w
	}
	return w.Held(s.ws)
}

// Workspace returns the workspace's own file.
func (s *Snapshot) Workspace() *mdstore.Workspace { return s.ws }

// Node returns the node with that id. Where several files have the id, it is the one whose path sorts first.
func (s *Snapshot) Node(id mdstore.ID) (*mdstore.Node, bool) {
	same := s.filesOf(id)
	if len(same) == 0 {
		s.trace.missed()
		return nil, false
	}
	s.trace.touch(same[0])
	return same[0], true
}

// Files returns every file that has that id.
func (s *Snapshot) Files(id mdstore.ID) []*mdstore.Node {
	same := s.filesOf(id)
	for _, n := range same {
		s.trace.touch(n)
	}
	return same
}

func (s *Snapshot) filesOf(id mdstore.ID) []*mdstore.Node {
	if s.ids.Len() > 0 {
		if same, over := s.ids.Get(id); over {
			return same
		}
	}
	return s.base.files(id)
}

// file returns the node whose file lies at that path.
func (s *Snapshot) file(p mdstore.Path) (*mdstore.Node, bool) {
	if s.files.Len() > 0 {
		if n, over := s.files.Get(p); over {
			return n, n != nil
		}
	}
	n := s.base.file(p)
	return n, n != nil
}

// Children returns the ids of a node's children in tree order.
func (s *Snapshot) Children(id mdstore.ID) []mdstore.ID {
	k := s.kidsOf(id)
	out := make([]mdstore.ID, len(k))
	for i, n := range k {
		s.trace.touch(n)
		out[i] = n.ID
	}
	return out
}

func (s *Snapshot) kidsOf(id mdstore.ID) []*mdstore.Node {
	if s.kids.Len() > 0 {
		if k, over := s.kids.Get(id); over {
			return k
		}
	}
	return s.base.below(id)
}

// Len returns the number of node files that could be read.
func (s *Snapshot) Len() int { return s.count }

// Unreadable returns the number of node files that could not be read.
func (s *Snapshot) Unreadable() int { return s.broken.Len() }

// Walk yields the nodes of the tree from a node down, in tree order, with their depth below it. Orphans and nodes in a cycle hang
// below no root and are not met.
func (s *Snapshot) Walk(from mdstore.ID) iter.Seq2[int, *mdstore.Node] {
	return func(yield func(int, *mdstore.Node) bool) {
		type step struct {
			n     *mdstore.Node
			depth int
		}
		start, ok := s.Node(from)
		if !ok {
			return
		}
		for stack := []step{{start, 0}}; len(stack) > 0; {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if at.depth > 0 && at.n == start { // a walk that starts inside a cycle comes back to its start, and to nothing else: each node has one parent
				continue
			}
			if !yield(at.depth, at.n) {
				return
			}
			for _, k := range slices.Backward(s.kidsOf(at.n.ID)) {
				stack = append(stack, step{k, at.depth + 1})
			}
		}
	}
}

// Ancestors returns the nodes above one, its parent first. whole is false where the way does not end at the root: a parent is missing, or
// the way goes round.
func (s *Snapshot) Ancestors(id mdstore.ID) (up []*mdstore.Node, whole bool) {
	n, ok := s.Node(id)
	met := map[mdstore.ID]bool{id: true}
	for ok && n.ID != mdstore.Root {
		if n, ok = s.Node(n.Parent); !ok || met[n.ID] {
			return up, false
		}
		met[n.ID] = true
		up = append(up, n)
	}
	return up, ok
}

// circular reports whether the node is among its own ancestors.
func (s *Snapshot) circular(n *mdstore.Node) bool {
	met := map[mdstore.ID]bool{}
	for at, ok := s.Node(n.Parent); ok && at.ID != mdstore.Root && !met[at.ID]; at, ok = s.Node(at.Parent) {
		if at.ID == n.ID {
			return true
		}
		met[at.ID] = true
	}
	return false
}

// circles returns every node that is among its own ancestors, with one look at each node.
func (s *Snapshot) circles() map[mdstore.ID]bool {
	rooted := 0
	for range s.Walk(mdstore.Root) {
		rooted++
	}
	if rooted == s.named { // as it nearly always is: every way up ends at the root
		return nil
	}
	in := map[mdstore.ID]bool{}
	done := map[mdstore.ID]bool{mdstore.Root: true}
	for n := range s.All() {
		var way []mdstore.ID
		at := map[mdstore.ID]int{}
		for n, ok := s.Node(n.ID); ok && !done[n.ID]; n, ok = s.Node(n.Parent) {
			done[n.ID] = true
			at[n.ID] = len(way)
			way = append(way, n.ID)
			if i, again := at[n.Parent]; again {
				for _, id := range way[i:] {
					in[id] = true
				}
			}
		}
	}
	return in
}

// All yields every node file that could be read, in the order of paths.
func (s *Snapshot) All() iter.Seq[*mdstore.Node] { return s.under("") }

// under yields the node files in and below a folder, in the order of paths.
func (s *Snapshot) under(dir mdstore.Path) iter.Seq[*mdstore.Node] {
	return func(yield func(*mdstore.Node) bool) {
		nodes := s.base.nodes
		if dir != "" {
			// What is below lies together, and between the folder and the first name that its own begins.
			nodes = nodes[s.base.find(dir):]
		}
		over := s.over(dir)
		for _, n := range nodes {
			if dir != "" && !n.Path.Under(dir) {
				if n.Path > dir+"0" { // the character behind the slash
					break
				}
				continue
			}
			for len(over) > 0 && over[0].path < n.Path {
				if o := over[0].node; o != nil && !yield(o) {
					return
				}
				over = over[1:]
			}
			if len(over) > 0 && over[0].path == n.Path {
				continue // its time comes with the next one
			}
			if !yield(n) {
				return
			}
		}
		for _, o := range over {
			if o.node != nil && !yield(o.node) {
				return
			}
		}
	}
}

// A later is a file as it became after the base was read; a nil node: gone.
type later struct {
	path mdstore.Path
	node *mdstore.Node
}

// over returns what lies over the base in and below a folder, in the order of paths.
func (s *Snapshot) over(dir mdstore.Path) []later {
	if s.files.Len() == 0 {
		return nil
	}
	var out []later
	for it := s.files.Iterator(); !it.Done(); {
		if p, n, _ := it.Next(); p.Under(dir) {
			out = append(out, later{p, n})
		}
	}
	slices.SortFunc(out, func(a, b later) int { return strings.Compare(string(a.path), string(b.path)) })
	return out
}
