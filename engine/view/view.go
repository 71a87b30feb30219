// Package view has the immutable state of one workspace: its documents, its tree, lookups, and the difference of two
// states. It reads no file.
package view

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"arbor/context/assemble"
	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A View is a workspace at one moment. It never changes; With makes the next one, which shares everything unchanged
// with it.
//
// Nodes have their front matter and facts. The documents of nodes are loaded for each operation: see Recording.
type View struct {
	ws     *mdstore.Workspace
	nodes  []*mdstore.Node                  // in the order of paths
	ids    []*mdstore.Node                  // the same in the order of ids; those with one id in the order of paths
	kids   []*mdstore.Node                  // all but the root by parent, in tree order; of a duplicate id only the first
	broken map[mdstore.Path]mdoc.Diagnostic // files of nodes that could not be read at all; never modified
	pages  pages
	tree   func() []spot // the nodes in the order of the tree, made when they are first asked for
	links  func() bool   // whether some node has dependencies, found when it is first asked for
	docs   *recorder     // nil if no document can be asked for
}

var _ assemble.Source = (*View)(nil)

// CodeFileMissing is the code of a folder that lacks a required file.
const CodeFileMissing = "FILE_MISSING"

// New returns the view of a workspace with these nodes and pages. broken says why files could not be read.
func New(w *mdstore.Workspace, nodes []*mdstore.Node, broken map[mdstore.Path]mdoc.Diagnostic, files ...*mdstore.Page) *View {
	v := &View{ws: w, broken: maps.Clone(broken)}
	maps.DeleteFunc(v.broken, func(p mdstore.Path, _ mdoc.Diagnostic) bool { return !v.amongNodes(p) })
	v.nodes, v.ids = inOrder(nodes, byPath), inOrder(nodes, byID)
	v.kids = kidsOf(v.ids)
	v.settle()
	v.tree, v.links = sync.OnceValue(v.grown), sync.OnceValue(v.linked)
	return v.WithPages(broken, files...)
}

// kidsOf returns the nodes of a list by ids as View.kids has them.
func kidsOf(ids []*mdstore.Node) []*mdstore.Node {
	kids := make([]*mdstore.Node, 0, len(ids))
	for i, n := range ids {
		if n.ID != mdstore.Root && (i == 0 || ids[i-1].ID != n.ID) {
			kids = append(kids, n)
		}
	}
	slices.SortFunc(kids, byParent)
	return kids
}

func inOrder[T any](all []T, by func(a, b T) int) []T {
	out := slices.Clone(all)
	slices.SortFunc(out, by)
	return out
}

func byPath(a, b *mdstore.Node) int { return strings.Compare(string(a.Path), string(b.Path)) }

func byID(a, b *mdstore.Node) int {
	if a.ID != b.ID {
		return strings.Compare(string(a.ID), string(b.ID))
	}
	return byPath(a, b)
}

func byParent(a, b *mdstore.Node) int {
	if a.Parent != b.Parent {
		return strings.Compare(string(a.Parent), string(b.Parent))
	}
	return a.Compare(b)
}

// same returns the files with that id, as the view has them.
func (v *View) same(id mdstore.ID) []*mdstore.Node {
	return run(v.ids, id, func(n *mdstore.Node) mdstore.ID { return n.ID })
}

// below returns the children of a node, as the view has them.
func (v *View) below(id mdstore.ID) []*mdstore.Node {
	return run(v.kids, id, func(n *mdstore.Node) mdstore.ID { return n.Parent })
}

// run returns the part of a list, sorted by key, that has one key.
func run(all []*mdstore.Node, id mdstore.ID, key func(*mdstore.Node) mdstore.ID) []*mdstore.Node {
	start, _ := slices.BinarySearchFunc(all, id, func(n *mdstore.Node, id mdstore.ID) int {
		return strings.Compare(string(key(n)), string(id))
	})
	end := start
	for end < len(all) && key(all[end]) == id {
		end++
	}
	return all[start:end:end]
}

// Workspace returns the workspace's own file.
func (v *View) Workspace() *mdstore.Workspace { return v.ws }

// Node returns the node with that id. If several files have the id, it is the one whose path sorts first.
func (v *View) Node(id mdstore.ID) (*mdstore.Node, bool) {
	if same := v.same(id); len(same) > 0 {
		return v.docs.of(same[0]), true
	}
	return nil, false
}

// Has reports whether there is a node of that id.
func (v *View) Has(id mdstore.ID) bool { return len(v.same(id)) > 0 }

// Files returns every file that has that id.
func (v *View) Files(id mdstore.ID) []*mdstore.Node {
	return v.docs.ofAll(v.same(id))
}

// File returns the node whose file lies at that path.
func (v *View) File(p mdstore.Path) (*mdstore.Node, bool) {
	i, ok := v.find(p)
	if !ok {
		return nil, false
	}
	return v.docs.of(v.nodes[i]), true
}

func (v *View) find(p mdstore.Path) (int, bool) {
	return slices.BinarySearchFunc(v.nodes, p, func(n *mdstore.Node, p mdstore.Path) int {
		return strings.Compare(string(n.Path), string(p))
	})
}

// Children returns the ids of a node's children in tree order.
func (v *View) Children(id mdstore.ID) []mdstore.ID {
	kids := v.below(id)
	out := make([]mdstore.ID, len(kids))
	for i, n := range kids {
		out[i] = n.ID
	}
	return out
}

// Below returns a node's children in tree order. The list must not be modified.
func (v *View) Below(id mdstore.ID) []*mdstore.Node {
	return v.docs.ofAll(v.below(id))
}

// Len returns the number of node files that could be read.
func (v *View) Len() int { return len(v.nodes) }

// FileCount returns the number of files that were read: of the workspace, its nodes and its pages.
func (v *View) FileCount() int { return 1 + v.Len() + len(v.Pages().All()) }

// Broken returns why each of the files of nodes that could not be read at all could not. The map must not be modified.
func (v *View) Broken() map[mdstore.Path]mdoc.Diagnostic { return v.broken }

// AllBroken is Broken with the pages.
func (v *View) AllBroken() map[mdstore.Path]mdoc.Diagnostic {
	all := map[mdstore.Path]mdoc.Diagnostic{}
	maps.Copy(all, v.broken)
	maps.Copy(all, v.Pages().broken)
	return all
}

// Unread returns the error of a file that could not be read for a reason that says nothing about it, such as a disk
// that fails: any node of the tree may be missing. It is an *mdoc.UnreadableError, and nil if there is none.
func (v *View) Unread() error { return unread(v.ws.Problems, v.broken) }

func unread(problems []mdoc.Diagnostic, broken map[mdstore.Path]mdoc.Diagnostic) error {
	all := slices.Clone(problems)
	for _, p := range slices.Sorted(maps.Keys(broken)) {
		all = append(all, broken[p])
	}
	if i := slices.IndexFunc(all, func(d mdoc.Diagnostic) bool { return d.Code == string(errs.FileUnreadable) }); i >= 0 {
		return &mdoc.UnreadableError{Problem: all[i]}
	}
	return nil
}

// BrokenFolder returns an unreadable file that name may mean: in the folder of this name, in the folder for this id, or
// at the target of this link.
func (v *View) BrokenFolder(name string) (mdstore.Path, bool) {
	found := mdstore.Path("")
	if dir, file := link(name); file {
		name = path.Base(dir)
	}
	for p := range v.broken {
		if base := p.Dir().Base(); (base == name || mdstore.ID(name).Folder(base)) && (found == "" || p < found) {
			found = p
		}
	}
	return found, found != ""
}

// All yields every node file that could be read, in the order of paths.
func (v *View) All() iter.Seq[*mdstore.Node] {
	return func(yield func(*mdstore.Node) bool) {
		for _, n := range v.nodes {
			if !yield(v.docs.of(n)) {
				return
			}
		}
	}
}

// Heads is All for callers that use no document of the nodes.
func (v *View) Heads() iter.Seq[*mdstore.Node] { return slices.Values(v.nodes) }

// Shared reports whether several files have the id.
func (v *View) Shared(id mdstore.ID) bool { return len(v.same(id)) > 1 }

// HasChildren reports whether a node has children.
func (v *View) HasChildren(id mdstore.ID) bool { return len(v.below(id)) > 0 }

// Holds reports whether there is a node file in or below a folder.
func (v *View) Holds(dir mdstore.Path) bool {
	at, _ := v.find(dir + "/")
	return at < len(v.nodes) && v.nodes[at].Path.Under(dir)
}

// Under yields the node files in and below a folder, in the order of paths.
func (v *View) Under(dir mdstore.Path) iter.Seq[*mdstore.Node] {
	return func(yield func(*mdstore.Node) bool) {
		at, _ := v.find(dir + "/")
		for _, n := range v.nodes[at:] {
			if !n.Path.Under(dir) || !yield(v.docs.of(n)) {
				return
			}
		}
	}
}

// Walk yields the nodes of the tree from a node down, in tree order, with their depth below it. Orphans and nodes in a
// cycle are not below the root, so Walk does not reach them.
func (v *View) Walk(from mdstore.ID) iter.Seq2[int, *mdstore.Node] {
	return func(yield func(int, *mdstore.Node) bool) {
		if from == mdstore.Root {
			for _, s := range v.tree() {
				if !yield(s.depth, v.docs.of(s.node)) {
					return
				}
			}
			return
		}
		v.walk(from, v.below, func(depth int, n *mdstore.Node) bool { return yield(depth, v.docs.of(n)) })
	}
}

// walk is Walk by a function that returns the children of a node.
func (v *View) walk(from mdstore.ID, below func(mdstore.ID) []*mdstore.Node, yield func(int, *mdstore.Node) bool) {
	same := v.same(from)
	if len(same) == 0 {
		return
	}
	for stack := []spot{{node: same[0]}}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at.depth > 0 && at.node.ID == from {
			continue // a walk that starts inside a cycle comes back to its start
		}
		if !yield(at.depth, at.node) {
			return
		}
		for _, k := range slices.Backward(below(at.node.ID)) {
			stack = append(stack, spot{node: k, depth: at.depth + 1})
		}
	}
}

// Ancestors returns the nodes above one, its parent first. whole is false if they do not lead to the root, because a
// parent is missing or the parents form a cycle.
func (v *View) Ancestors(id mdstore.ID) (up []*mdstore.Node, whole bool) {
	n, ok := v.Node(id)
	met := map[mdstore.ID]bool{id: true}
	for ok && n.ID != mdstore.Root {
		if n, ok = v.Node(n.Parent); !ok || met[n.ID] {
			return up, false
		}
		met[n.ID] = true
		up = append(up, n)
	}
	return up, ok
}

// Circular reports whether the node is among its own ancestors.
func (v *View) Circular(n *mdstore.Node) bool {
	met := map[mdstore.ID]bool{}
	for at, ok := v.Node(n.Parent); ok && at.ID != mdstore.Root && !met[at.ID]; at, ok = v.Node(at.Parent) {
		if at.ID == n.ID {
			return true
		}
		met[at.ID] = true
	}
	return false
}

// Circles returns every node that is among its own ancestors, with one look at each node.
func (v *View) Circles() map[mdstore.ID]bool {
	if v.rooted() == len(v.kids)+1 {
		return nil // every way up ends at the root
	}
	in, done := map[mdstore.ID]bool{}, map[mdstore.ID]bool{mdstore.Root: true}
	for _, n := range v.kids {
		var way []mdstore.ID
		at := map[mdstore.ID]int{}
		for ok := true; ok && !done[n.ID]; n, ok = v.Node(n.Parent) {
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

// Lost returns the number of node files that are not in the tree: those that cannot be read, those below a missing
// parent or in a cycle, and all but the first of those with the same id.
func (v *View) Lost() int {
	return len(v.nodes) + len(v.broken) - v.rooted()
}

// rooted returns the number of nodes in the tree.
func (v *View) rooted() int { return len(v.tree()) }

// Candidates returns one node for each id, whose document must not be used: first those of the tree in its order, then
// the others in the order of paths.
func (v *View) Candidates() []*mdstore.Node {
	out := make([]*mdstore.Node, 0, len(v.nodes))
	for _, s := range v.tree() {
		out = append(out, s.node)
	}
	if len(out) == len(v.nodes) {
		return out
	}
	met := make(map[mdstore.ID]bool, len(out))
	for _, n := range out {
		met[n.ID] = true
	}
	for _, n := range v.nodes {
		if !met[n.ID] {
			met[n.ID] = true
			out = append(out, n)
		}
	}
	return out
}
