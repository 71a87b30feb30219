package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"arbor/mdstore"
)

// scattered returns nodes of a plan in the order of their paths, a few of which have the id of another one.
func scattered(r *rand.Rand, n int) []*mdstore.Node {
	nodes := make([]*mdstore.Node, n)
	for i := range nodes {
		id := mdstore.ID(fmt.Sprintf("node-%05d", i))
		if i == 0 {
			id = mdstore.Root
		} else if r.IntN(20) == 0 {
			id = mdstore.ID(fmt.Sprintf("node-%05d", r.IntN(i)))
		}
		parent := mdstore.ID("")
		if i > 0 {
			parent = nodes[r.IntN(i)].ID
		}
		if r.IntN(30) == 0 {
			parent = "nobody"
		}
		nodes[i] = &mdstore.Node{ID: id, Parent: parent, Path: mdstore.Path(fmt.Sprintf("ws-a/nodes/%08x/Node.md", r.Uint32())), Order: math.NaN(), CreatedAt: int64(r.IntN(100))}
	}
	slices.SortFunc(nodes, byPath)
	return slices.CompactFunc(nodes, func(a, b *mdstore.Node) bool { return a.Path == b.Path })
}

// What a base and what lies over it say is what one would find by looking at every node.
func TestBaseSaysWhatItsNodesSay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		nodes := scattered(r, 1+r.IntN(60))
		s := newSnapshot(&mdstore.Workspace{Path: "ws-a/Workspace.md", Dir: "ws-a"}, nodes)
		agree(t, s, nodes)
		for range 5 { // some go, some come, some change
			g := graft{s: s, stood: map[mdstore.ID]*mdstore.Node{}}
			for range 1 + r.IntN(4) {
				if i := r.IntN(len(nodes) + 1); i < len(nodes) && r.IntN(2) == 0 {
					g.drop(nodes[i].Path)
					nodes = slices.Delete(slices.Clone(nodes), i, i+1)
				} else {
					n := *scattered(r, 30)[r.IntN(20)]
					if i < len(nodes) {
						n.Path = nodes[i].Path
						nodes = slices.Delete(slices.Clone(nodes), i, i+1)
					}
					g.put(&n)
					nodes = slices.DeleteFunc(append(slices.Clone(nodes), &n), func(o *mdstore.Node) bool { return o != &n && o.Path == n.Path })
					slices.SortFunc(nodes, byPath)
				}
			}
			g.grow()
			agree(t, s, nodes)
			if t.Failed() {
				return
			}
		}
	}
}

func agree(t *testing.T, s *Snapshot, nodes []*mdstore.Node) {
	t.Helper()
	ids := map[mdstore.ID][]*mdstore.Node{}
	for _, n := range nodes {
		ids[n.ID] = append(ids[n.ID], n)
	}
	kids := map[mdstore.ID][]*mdstore.Node{}
	for id, same := range ids {
		if id != mdstore.Root {
			kids[same[0].Parent] = append(kids[same[0].Parent], same[0])
		}
	}
	if got := slices.Collect(s.All()); !slices.Equal(got, nodes) {
		t.Errorf("All: %d nodes, want %d, in the order of paths", len(got), len(nodes))
	}
	if s.Len() != len(nodes) || s.named != len(ids) {
		t.Errorf("Len %d, named %d; want %d and %d", s.Len(), s.named, len(nodes), len(ids))
	}
	for id, want := range ids {
		if got := s.Files(id); !slices.Equal(got, want) {
			t.Errorf("Files(%s): %d, want %d", id, len(got), len(want))
		}
		slices.SortFunc(kids[id], (*mdstore.Node).Compare)
		if got := s.kidsOf(id); !slices.Equal(got, kids[id]) {
			t.Errorf("children of %s: %d, want %d in their order", id, len(got), len(kids[id]))
		}
	}
	slices.SortFunc(kids["nobody"], (*mdstore.Node).Compare)
	if got := s.kidsOf("nobody"); !slices.Equal(got, kids["nobody"]) {
		t.Errorf("children of a parent that there is none of: %d, want %d", len(got), len(kids["nobody"]))
	}
	for _, n := range nodes {
		if got, ok := s.file(n.Path); !ok || got != n {
			t.Errorf("file(%s): %v %v", n.Path, got, ok)
		}
	}
	if _, ok := s.file("ws-a/nodes/zz/Node.md"); ok {
		t.Error("a file that there is none of")
	}
	if _, ok := s.Node("zz"); ok {
		t.Error("a node that there is none of")
	}
}

// What lies under a folder is found among paths that only begin like it.
func TestUnderAFolder(t *testing.T) {
	var nodes []*mdstore.Node
	for _, p := range []mdstore.Path{"w/nodes/a-b/Node.md", "w/nodes/a/Node.md", "w/nodes/a/c/Node.md", "w/nodes/a0/Node.md", "w/nodes/b/Node.md"} {
		nodes = append(nodes, &mdstore.Node{ID: mdstore.ID(p[8:9] + "x"), Path: p})
	}
	s := newSnapshot(&mdstore.Workspace{Path: "w/Workspace.md", Dir: "w"}, nodes)
	for dir, want := range map[mdstore.Path]int{"w/nodes/a": 2, "w/nodes": 5, "": 5, "w/nodes/a/c": 1, "w/nodes/a/Node.md": 1, "w/nodes/c": 0, "w/node": 0} {
		if got := slices.Collect(s.under(dir)); len(got) != want {
			t.Errorf("under %q: %d, want %d", dir, len(got), want)
		}
	}
}

func BenchmarkBase(b *testing.B) {
	nodes := scattered(rand.New(rand.NewPCG(1, 2)), 10_000)
	b.ReportAllocs()
	for b.Loop() {
		newBase(nodes)
	}
}
