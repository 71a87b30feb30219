package engine

import (
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
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
	unsure bool                                          // a file could not be read for a reason that says nothing about the file: it may be read the next time
}

var _ assemble.Source = (*Snapshot)(nil)

// hasher hashes the string types that snapshots are keyed by.
type hasher[K ~string] struct{ seed maphash.Seed }

func (h hasher[K]) Hash(k K) uint32   { return uint32(maphash.String(h.seed, string(k))) }
func (h hasher[K]) Equal(a, b K) bool { return a == b }

var seed = maphash.MakeSeed() // one for all, so that maps can be told apart by their content only

// load reads a whole workspace. What is damaged or missing for a moment, known knows.
func load(ctx context.Context, st mdstore.Store, w *mdstore.Workspace, known *memory) (*Snapshot, error) {
	ids := map[mdstore.ID][]*mdstore.Node{}
	files := immutable.NewMapBuilder[mdstore.Path, *mdstore.Node](hasher[mdstore.Path]{seed})
	broken := immutable.NewMapBuilder[mdstore.Path, mdoc.Diagnostic](hasher[mdstore.Path]{seed})
	unsure := false
	for f, err := range st.List(ctx, w.Dir) {
		unsure = unsure || passing(err)
		switch {
		case err != nil && f.Path == "":
			return nil, err
		case f.Path == w.Path:
			w = known.workspace(workspaceOf(f, err))
		case err != nil:
			broken.Set(f.Path, problemOf(f.Path, err))
		default:
			n := known.node(mdstore.ParseNode(f))
			files.Set(n.Path, n)
			ids[n.ID] = append(ids[n.ID], n)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	listed := func(p mdstore.Path) bool { _, ok := files.Get(p); return ok }
	for _, n := range known.missing(listed, ids) {
		files.Set(n.Path, n)
		broken.Delete(n.Path)
		ids[n.ID] = append(ids[n.ID], n)
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
		unsure: unsure,
	}, nil
}

// passing reports whether an error says nothing about a file itself, such as a disk that fails for a moment.
func passing(err error) bool {
	var u *mdoc.UnreadableError
	return err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &u)
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
	next := *s
	next.found = &findings{}
	g := graft{s: &next, stood: make(map[mdstore.ID]*mdstore.Node, len(files))}
	for _, f := range files {
		switch {
		case f.Path == s.ws.Path:
			next.ws = s.heldWorkspace(mdstore.ParseWorkspace(f))
		case f.Version.IsZero():
			g.drop(f.Path)
		default:
			g.put(s.held(mdstore.ParseNode(f)))
		}
	}
	g.grow()
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
