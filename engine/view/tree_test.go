package view

import (
	"math/rand/v2"
	"testing"

	"arbor/mdstore"
)

// In any tree, however broken: a node is in a circle if it is above itself; the way up is whole if it ends at the
// root; and a walk from the root meets each node whose way up is whole, once.
func TestCirclesAndOrphansAreFound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	circles, orphans := 0, 0
	for range 500 {
		r := treeCase{rnd, 2 + rnd.IntN(12)}
		files := map[mdstore.Path]*mdstore.Node{}
		for range rnd.IntN(20) {
			p := r.path()
			n := r.node(p)
			if rnd.IntN(8) == 0 {
				n.Parent = "none"
			}
			files[p] = n
		}
		v := New(workspaceOf("w"), sorted(files), nil)
		walked := map[mdstore.ID]int{}
		for _, n := range v.Walk(mdstore.Root) {
			walked[n.ID]++
		}
		in := v.Circles()
		for _, n := range v.Candidates() {
			circular, whole := climb(v, n)
			if n.ID != mdstore.Root && (v.Circular(n) != circular || in[n.ID] != circular) {
				t.Errorf("%s: Circular %v, in Circles %v; want %v", n.ID, v.Circular(n), in[n.ID], circular)
			}
			if _, got := v.Ancestors(n.ID); got != whole {
				t.Errorf("%s: its way up is whole: %v, want %v", n.ID, got, whole)
			}
			if met := walked[n.ID]; met > 1 || (met == 1) != whole {
				t.Errorf("%s is met %d times, and its way up is whole: %v", n.ID, met, whole)
			}
			if circular {
				circles++
			}
			if !whole {
				orphans++
			}
		}
		if t.Failed() {
			t.Fatal(describe(v))
		}
	}
	if circles < 100 || orphans < 200 {
		t.Errorf("only %d circular nodes and %d that do not hang below the root", circles, orphans)
	}
}

// climb goes up from a node step by step.
func climb(v *View, n *mdstore.Node) (circular, whole bool) {
	met := map[mdstore.ID]bool{}
	for at := n; ; {
		if at.ID == mdstore.Root {
			return false, true
		}
		met[at.ID] = true
		up, ok := v.Node(at.Parent)
		switch {
		case !ok:
			return false, false
		case up.ID == n.ID:
			return true, false
		case met[up.ID]:
			return false, false
		}
		at = up
	}
}
