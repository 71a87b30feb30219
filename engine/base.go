package engine

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"sort"

	"arbor/mdstore"
)

// A base is what one reading of all files found, in arrays that are made at once: maps that can be changed step by step cost ten times as much to make. It
// never changes; snapshots lay over it what has changed since.
type base struct {
	nodes []*mdstore.Node // in the order of paths

	ids  table[mdstore.ID]              // the place of the first node of each
	same map[mdstore.ID][]*mdstore.Node // the files of the ids that several have, in the order of paths

	parents table[mdstore.ID]
	runs    []run           // of each parent in parents: its children in kids
	kids    []*mdstore.Node // those of one parent together, in tree order

	gists gists
}

// A run is a stretch of kids.
type run struct {
	parent   mdstore.ID
	from, to int32
}

// newBase returns the base of nodes that are in the order of their paths.
func newBase(nodes []*mdstore.Node) *base {
	b := &base{nodes: nodes}
	b.name()
	b.plant()
	return b
}

// name finds which nodes have which ids.
func (b *base) name() {
	b.ids = newTable[mdstore.ID](len(b.nodes))
	for i, n := range b.nodes {
		at, met := b.ids.add(n.ID, int32(i), b.idOf)
		if !met {
			continue
		}
		if b.same == nil {
			b.same = map[mdstore.ID][]*mdstore.Node{}
		}
		if b.same[n.ID] == nil {
			b.same[n.ID] = []*mdstore.Node{b.nodes[at]}
		}
		b.same[n.ID] = append(b.same[n.ID], n)
	}
}

func (b *base) idOf(i int32) mdstore.ID { return b.nodes[i].ID }

func (b *base) parentOf(i int32) mdstore.ID { return b.runs[i].parent }

// plant puts the nodes below their parents. Of several with one id the first stands for it.
func (b *base) plant() {
	b.parents = newTable[mdstore.ID](b.ids.used/2 + 1)
	below := make([]int32, len(b.nodes)) // the run of each node, from 1 on; 0 for one that hangs nowhere
	for i, n := range b.nodes {
		if n.ID == mdstore.Root || b.same != nil && b.same[n.ID] != nil && b.same[n.ID][0] != n {
			continue
		}
		at, met := b.parents.add(n.Parent, int32(len(b.runs)), b.parentOf)
		if !met {
			b.runs = append(b.runs, run{parent: n.Parent})
		}
		b.runs[at].to++
		below[i] = at + 1
	}
	sum := int32(0)
	for i := range b.runs {
		r := &b.runs[i]
		r.from, r.to, sum = sum, sum, sum+r.to
	}
	b.kids = make([]*mdstore.Node, sum)
	for i, k := range below {
		if k > 0 {
			r := &b.runs[k-1]
			b.kids[r.to] = b.nodes[i]
			r.to++
		}
	}
	for _, r := range b.runs {
		if k := b.kids[r.from:r.to]; !slices.IsSortedFunc(k, (*mdstore.Node).Compare) {
			slices.SortFunc(k, (*mdstore.Node).Compare)
		}
	}
}

// find returns the place of the first node whose path is not before p.
func (b *base) find(p mdstore.Path) int {
	return sort.Search(len(b.nodes), func(i int) bool { return b.nodes[i].Path >= p })
}

// file returns the node at that path, nil for none.
func (b *base) file(p mdstore.Path) *mdstore.Node {
	if i := b.find(p); i < len(b.nodes) && b.nodes[i].Path == p {
		return b.nodes[i]
	}
	return nil
}

// files returns those that have an id, in the order of paths.
func (b *base) files(id mdstore.ID) []*mdstore.Node {
	if same := b.same[id]; same != nil {
		return same
	}
	if i, ok := b.ids.find(id, b.idOf); ok {
		return b.nodes[i : i+1 : i+1]
	}
	return nil
}

// below returns the children of a parent, in tree order.
func (b *base) below(parent mdstore.ID) []*mdstore.Node {
	if at, ok := b.parents.find(parent, b.parentOf); ok {
		r := b.runs[at]
		return b.kids[r.from:r.to:r.to]
	}
	return nil
}

// A table finds the places of keys in an array that somebody else holds: a hash table with open addressing and linear probing, at most half full (Knuth, The Art of
// Computer Programming, volume 3, section 6.4, algorithm L).
type table[K ~string] struct {
	slots []int32 // places from 1 on; 0 for none
	used  int
}

func newTable[K ~string](n int) table[K] {
	return table[K]{slots: make([]int32, 1<<bits.Len(uint(2*n)))}
}

// add enters a key at a place, where it has none yet, and returns the place that it has.
func (t *table[K]) add(k K, place int32, key func(int32) K) (at int32, met bool) {
	if 2*(t.used+1) > len(t.slots) {
		t.grow(key)
	}
	i := t.slot(k, key)
	if t.slots[i] > 0 {
		return t.slots[i] - 1, true
	}
	t.slots[i] = place + 1
	t.used++
	return place, false
}

func (t *table[K]) find(k K, key func(int32) K) (at int32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	s := t.slots[t.slot(k, key)]
	return s - 1, s > 0
}

// slot returns where a key is, or the free slot where it belongs.
func (t *table[K]) slot(k K, key func(int32) K) int {
	mask := len(t.slots) - 1
	i := int(maphash.String(seed, string(k))) & mask
	for t.slots[i] > 0 && key(t.slots[i]-1) != k {
		i = (i + 1) & mask
	}
	return i
}

func (t *table[K]) grow(key func(int32) K) {
	old := t.slots
	t.slots = make([]int32, max(2*len(old), 8))
	for _, s := range old {
		if s > 0 {
			t.slots[t.slot(key(s-1), key)] = s
		}
	}
}
