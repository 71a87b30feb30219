package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

func workspaceOf(dir mdstore.Path) *mdstore.Workspace {
	p := mdstore.WorkspacePath(dir)
	return mdstore.ParseWorkspace(mdstore.File{Path: p, Version: mdstore.VersionOf(nil),
		Data: []byte("---\nid: w\nname: W\ngoal: g\nstatus: active\n---\n")})
}

// A treeCase draws the files of a small plan: duplicate ids, missing parents, cycles, orders.
type treeCase struct {
	*rand.Rand
	ids int
}

func (r treeCase) id() mdstore.ID {
	if i := r.IntN(r.ids); i > 0 {
		return mdstore.ID(fmt.Sprintf("node-%03d", i))
	}
	return mdstore.Root
}

func (r treeCase) path() mdstore.Path {
	p := mdstore.Path(fmt.Sprintf("w/nodes/f%03d", r.IntN(r.ids)))
	if r.IntN(5) == 0 {
		p = p.Join("in")
	}
	return p.Join(mdstore.NodeFile)
}

func (r treeCase) node(p mdstore.Path) *mdstore.Node {
	if r.IntN(5) == 0 {
		return r.byHand(p)
	}
	var order *float64
	if r.IntN(3) == 0 {
		order = new(float64(r.IntN(4)))
	}
	return &mdstore.Node{ID: r.id(), Parent: r.id(), Path: p, Head: mdstore.Head{Fields: mdstore.Fields{Order: order}}, CreatedAt: int64(r.IntN(9))}
}

// byHand draws the file of a node that a person wrote: without an id, a parent or a type, or with a title as the parent.
func (r treeCase) byHand(p mdstore.Path) *mdstore.Node {
	text := "# T" + string(r.id())
	if r.IntN(2) == 0 {
		text = "---\ntitle: T" + string(r.id()) + "\n"
		if r.IntN(2) == 0 {
			text += "parentId: " + []string{"T" + string(r.id()), "f001", string(r.id())}[r.IntN(3)] + "\n"
		}
		text += "---\n"
	}
	return mdstore.ParseNode(mdstore.File{Path: p, Data: []byte(text), Version: mdstore.VersionOf([]byte(text))})
}

// After any changes, a view says what a new one over the same files says, and the view before still says what it said.
func TestNextViewEqualsReadingAnew(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	w := workspaceOf("w")
	for round := range 200 {
		r := treeCase{rnd, 2 + rnd.IntN(60)}
		files := map[mdstore.Path]*mdstore.Node{}
		for range rnd.IntN(80) {
			p := r.path()
			files[p] = r.node(p)
		}
		v := New(w, sorted(files), nil)
		for range 6 {
			before := describe(v)
			var nodes []*mdstore.Node
			var gone []mdstore.Path
			for range rnd.IntN(12) {
				p := r.path()
				if slices.Contains(gone, p) || slices.ContainsFunc(nodes, func(n *mdstore.Node) bool { return n.Path == p }) {
					continue
				}
				if rnd.IntN(3) == 0 {
					gone = append(gone, p)
					delete(files, p)
					continue
				}
				n := r.node(p)
				nodes = append(nodes, n)
				files[p] = n
			}
			next := v.Next(w, nodes, gone)
			if got, want := describe(next), describe(New(w, sorted(files), nil)); got != want {
				t.Fatalf("round %d: after %d changes and %d removals\n%s\nread anew it is\n%s", round, len(nodes), len(gone), got, want)
			}
			if got := describe(v); got != before {
				t.Fatalf("round %d: the view before has changed from\n%s\nto\n%s", round, before, got)
			}
			v = next
		}
	}
}

func sorted(files map[mdstore.Path]*mdstore.Node) []*mdstore.Node {
	var out []*mdstore.Node
	for _, n := range files {
		out = append(out, n)
	}
	return out
}

// describe returns all that a view says of its tree.
func describe(v *View) string {
	s := fmt.Sprintln(v.Len(), v.Lost(), len(v.Circles()), len(v.Candidates()))
	last := mdstore.Path("")
	for n := range v.All() {
		s += fmt.Sprintln(n.Path, n.ID, n.Type, n.Parent, mdstore.ValueOf(n.Order), n.CreatedAt, v.Children(n.ID), v.Children(n.Parent), n.Path > last)
		last = n.Path
		for _, same := range v.Files(n.ID) {
			s += fmt.Sprintln(" ", same.Path)
		}
		if f, ok := v.File(n.Path); !ok || f != n {
			s += fmt.Sprintln(n.Path, "is not found by its path")
		}
	}
	for depth, n := range v.Walk(mdstore.Root) {
		s += fmt.Sprintln("walk", depth, n.Path)
	}
	return s
}

// A folder of which a file was missing has one again as soon as there is a node anywhere in it.
func TestAFolderMissesItsFileUntilANodeComes(t *testing.T) {
	own := mdstore.Path("w/nodes/a/Node.md")
	broken := map[mdstore.Path]mdoc.Diagnostic{own: {Code: CodeFileMissing}, "w/nodes/b/Node.md": {Code: CodeFileMissing}}
	v := New(workspaceOf("w"), nil, broken)
	for _, p := range []mdstore.Path{own, "w/nodes/a/in/Node.md"} {
		next := v.Next(v.Workspace(), []*mdstore.Node{{ID: "x", Path: p}}, nil)
		if _, missing := next.Broken()[own]; missing || len(next.Broken()) != 1 || len(v.Broken()) != 2 {
			t.Errorf("with %s: %v is broken, and in the view before %v", p, next.Broken(), v.Broken())
		}
	}
}

// What lies under a folder is found among paths that only begin like it.
func TestUnderAFolder(t *testing.T) {
	var nodes []*mdstore.Node
	for _, p := range []mdstore.Path{"w/nodes/a-b/Node.md", "w/nodes/a/Node.md", "w/nodes/a/c/Node.md", "w/nodes/a0/Node.md", "w/nodes/b/Node.md"} {
		nodes = append(nodes, &mdstore.Node{ID: mdstore.ID(p[8:9] + "x"), Path: p})
	}
	v := New(workspaceOf("w"), nodes, nil)
	for dir, want := range map[mdstore.Path]int{"w/nodes/a": 2, "w/nodes": 5, "w/nodes/a/c": 1, "w/nodes/c": 0, "w/node": 0} {
		if got := slices.Collect(v.Under(dir)); len(got) != want {
			t.Errorf("under %q: %d nodes, want %d", dir, len(got), want)
		}
	}
}
