package engine

import (
	"context"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/benbjohnson/immutable"

	"arbor/context/assemble"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Snapshot is a workspace at one moment. It never changes; With makes the next one, which shares with it all that
// stayed the same.
type Snapshot struct {
	ws     *mdstore.Workspace
	files  *immutable.Map[mdstore.Path, *mdstore.Node]   // every node file that could be read
	ids    *immutable.Map[mdstore.ID, []*mdstore.Node]   // by path; more than one: a duplicate id
	kids   *immutable.Map[mdstore.ID, []*mdstore.Node]   // by parent, in tree order; of a duplicate id only the first
	broken *immutable.Map[mdstore.Path, mdoc.Diagnostic] // files that could not be read at all
	found  *findings                                     // what Diagnostics found; of this snapshot alone
}

var _ assemble.Source = (*Snapshot)(nil)

// hasher hashes the string types that snapshots are keyed by.
type hasher[K ~string] struct{ seed maphash.Seed }

func (h hasher[K]) Hash(k K) uint32   { return uint32(maphash.String(h.seed, string(k))) }
func (h hasher[K]) Equal(a, b K) bool { return a == b }

var seed = maphash.MakeSeed() // one for all, so that maps can be told apart by their content only

// load reads a whole workspace. Of files whose meaning is lost, last knows what they last said; nil knows nothing.
func load(ctx context.Context, st mdstore.Store, w *mdstore.Workspace, last *Snapshot) (*Snapshot, error) {
	ids := map[mdstore.ID][]*mdstore.Node{}
	files := immutable.NewMapBuilder[mdstore.Path, *mdstore.Node](hasher[mdstore.Path]{seed})
	broken := immutable.NewMapBuilder[mdstore.Path, mdoc.Diagnostic](hasher[mdstore.Path]{seed})
	for f, err := range st.List(ctx, w.Dir) {
		switch {
		case err != nil && f.Path == "":
			return nil, err
		case f.Path == w.Path:
			w = last.heldWorkspace(workspaceOf(f, err))
		case err != nil:
			broken.Set(f.Path, problemOf(f.Path, err))
		default:
			n := last.held(mdstore.ParseNode(f))
			files.Set(n.Path, n)
			ids[n.ID] = append(ids[n.ID], n)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	kids := map[mdstore.ID][]*mdstore.Node{}
	for id, same := range ids {
		slices.SortFunc(same, byPath)
		if n := same[0]; id != mdstore.Root {
			kids[n.Parent] = append(kids[n.Parent], n)
		}
	}
	for _, k := range kids {
		slices.SortFunc(k, (*mdstore.Node).Compare)
	}
	return &Snapshot{
		ws:     w,
		files:  files.Map(),
		ids:    immutable.NewMapOf(hasher[mdstore.ID]{seed}, ids),
		kids:   immutable.NewMapOf(hasher[mdstore.ID]{seed}, kids),
		broken: broken.Map(),
		found:  &findings{},
	}, nil
}

func byPath(a, b *mdstore.Node) int {
	if a.Path < b.Path {
		return -1
	}
	return 1
}

// With returns the snapshot after those files became what they are given as; a file with the zero Version is gone.
func (s *Snapshot) With(files ...mdstore.File) *Snapshot {
	next := *s
	next.found = &findings{}
	for _, f := range files {
		switch {
		case f.Path == s.ws.Path:
			next.ws = s.heldWorkspace(mdstore.ParseWorkspace(f))
		case f.Version.IsZero():
			next.drop(f.Path)
		default:
			next.put(s.held(mdstore.ParseNode(f)))
		}
	}
	return &next
}

// held returns a node, with the meaning that it has in s where its file has lost it.
func (s *Snapshot) held(n *mdstore.Node) *mdstore.Node {
	if s == nil || !n.Lost() {
		return n
	}
	if last, ok := s.files.Get(n.Path); ok && !last.Lost() {
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

func (s *Snapshot) drop(p mdstore.Path) {
	s.broken = s.broken.Delete(p)
	old, ok := s.files.Get(p)
	if !ok {
		return
	}
	s.files = s.files.Delete(p)
	same, _ := s.ids.Get(old.ID)
	s.same(old.ID, same, slices.DeleteFunc(slices.Clone(same), func(n *mdstore.Node) bool { return n.Path == p }))
}

func (s *Snapshot) put(n *mdstore.Node) {
	s.drop(n.Path)
	s.files = s.files.Set(n.Path, n)
	same, _ := s.ids.Get(n.ID)
	now := append(slices.Clone(same), n)
	slices.SortFunc(now, byPath)
	s.same(n.ID, same, now)
}

// same replaces the files of one id, and the node that stands in the tree for it.
func (s *Snapshot) same(id mdstore.ID, was, now []*mdstore.Node) {
	if len(now) == 0 {
		s.ids = s.ids.Delete(id)
	} else {
		s.ids = s.ids.Set(id, now)
	}
	if id == mdstore.Root || len(was) > 0 && len(now) > 0 && was[0] == now[0] {
		return
	}
	if len(was) > 0 {
		k, _ := s.kids.Get(was[0].Parent)
		if k = slices.DeleteFunc(slices.Clone(k), func(n *mdstore.Node) bool { return n == was[0] }); len(k) > 0 {
			s.kids = s.kids.Set(was[0].Parent, k)
		} else {
			s.kids = s.kids.Delete(was[0].Parent)
		}
	}
	if len(now) > 0 {
		k, _ := s.kids.Get(now[0].Parent)
		at, _ := slices.BinarySearchFunc(k, now[0], (*mdstore.Node).Compare)
		s.kids = s.kids.Set(now[0].Parent, slices.Insert(slices.Clone(k), at, now[0]))
	}
}

// Workspace returns the workspace's own file.
func (s *Snapshot) Workspace() *mdstore.Workspace { return s.ws }

// Node returns the node with that id. Where several files have the id, it is the one whose path sorts first.
func (s *Snapshot) Node(id mdstore.ID) (*mdstore.Node, bool) {
	if same, ok := s.ids.Get(id); ok {
		return same[0], true
	}
	return nil, false
}

// Files returns every file that has that id.
func (s *Snapshot) Files(id mdstore.ID) []*mdstore.Node {
	same, _ := s.ids.Get(id)
	return same
}

// Children returns the ids of a node's children in tree order.
func (s *Snapshot) Children(id mdstore.ID) []mdstore.ID {
	k := s.kidsOf(id)
	out := make([]mdstore.ID, len(k))
	for i, n := range k {
		out[i] = n.ID
	}
	return out
}

func (s *Snapshot) kidsOf(id mdstore.ID) []*mdstore.Node {
	k, _ := s.kids.Get(id)
	return k
}

// Len returns the number of node files that could be read.
func (s *Snapshot) Len() int { return s.files.Len() }

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
		met := map[mdstore.ID]bool{}
		for stack := []step{{start, 0}}; len(stack) > 0; {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if met[at.n.ID] { // a walk that starts inside a cycle comes back to its start
				continue
			}
			met[at.n.ID] = true
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
	in := map[mdstore.ID]bool{}
	done := map[mdstore.ID]bool{mdstore.Root: true}
	for n := range s.All() {
		var way []mdstore.ID
		at := map[mdstore.ID]int{}
		for ok := true; ok && !done[n.ID]; n, ok = s.Node(n.Parent) {
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
func (s *Snapshot) All() iter.Seq[*mdstore.Node] {
	all := make([]*mdstore.Node, 0, s.files.Len())
	for it := s.files.Iterator(); !it.Done(); {
		_, n, _ := it.Next()
		all = append(all, n)
	}
	slices.SortFunc(all, byPath)
	return slices.Values(all)
}
