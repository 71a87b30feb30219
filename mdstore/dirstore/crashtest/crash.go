package crashtest

import (
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"slices"
)

// Crashes calls yield with every file system that a power failure could leave now, each of them once. If there are more
// than limit, it takes those that keep all changes up to some moment, as an ordered file system does, and limit random
// ones. It returns the number of calls.
func (c *Model) Crashes(rng *rand.Rand, limit int, yield func(*Model)) int {
	var free []*change // those that a crash may drop
	for _, ch := range c.pending {
		if len(ch.open) > 0 {
			free = append(free, ch)
		}
	}
	var dirty []int
	for id, n := range c.nodes {
		if n != nil && n.dirty {
			dirty = append(dirty, id)
		}
	}
	total := 1
	for range free {
		total = min(2*total, limit+1)
	}
	for range dirty {
		total = min(3*total, limit+1)
	}
	seen := map[Key]bool{}
	try := func(keep map[*change]bool, bytes map[int]int) {
		d := c.after(keep, bytes)
		if k := d.Key(); !seen[k] {
			seen[k] = true
			yield(d)
		}
	}
	if total <= limit {
		for code := range total {
			keep, bytes := map[*change]bool{}, map[int]int{}
			for _, ch := range free {
				keep[ch], code = code%2 == 1, code/2
			}
			for _, id := range dirty {
				bytes[id], code = code%3, code/3
			}
			try(keep, bytes)
		}
		return len(seen)
	}
	for cut := range len(free) + 1 {
		for mode := range 3 {
			keep, bytes := map[*change]bool{}, map[int]int{}
			for i, ch := range free {
				keep[ch] = i < cut
			}
			for _, id := range dirty {
				bytes[id] = mode
			}
			try(keep, bytes)
		}
	}
	for range limit {
		keep, bytes := map[*change]bool{}, map[int]int{}
		for _, ch := range free {
			keep[ch] = rng.IntN(2) == 1
		}
		for _, id := range dirty {
			bytes[id] = rng.IntN(3)
		}
		try(keep, bytes)
	}
	return len(seen)
}

// after returns the file system after a crash that keeps only the changes in keep of those that are not durable. Of the
// new bytes of a dirty file, none (0), half (1) or all (2) are kept.
func (c *Model) after(keep map[*change]bool, bytes map[int]int) *Model {
	d := c.share()
	d.Log = slices.Concat(c.Log, []string{"POWER FAILURE"})
	for id, n := range d.nodes {
		if n == nil || !n.dirty && n.writers == 0 {
			continue
		}
		m := &node{owner: d.owner, dir: n.dir, data: n.data, names: n.names, kept: n.kept}
		if n.dirty {
			switch bytes[id] {
			case 0:
				m.data = n.synced
			case 1:
				m.data = n.data[:len(n.data)/2]
			}
		}
		m.synced, d.nodes[id] = m.data, m
	}
	for _, ch := range c.pending { // the names of all other folders are durable
		for _, e := range ch.edits {
			if n := d.nodes[e.dir]; n.owner != d.owner {
				d.nodes[e.dir] = &node{owner: d.owner, dir: true, kept: maps.Clone(n.kept)}
			}
			if len(ch.open) == 0 || keep[ch] {
				apply(d.nodes[e.dir].kept, e)
			}
		}
	}
	for _, n := range d.nodes {
		if n != nil && n.dir && n.names == nil {
			n.names = maps.Clone(n.kept)
		}
	}
	return d
}

// A Key identifies the content of a file system.
type Key uint64

var seed = maphash.MakeSeed()

// Key returns the key of the files and folders of c, durable or not.
func (c *Model) Key() Key { return c.key(top, 0) }

func (c *Model) key(dir int, path uint64) (sum Key) {
	for name, n := range c.nodes[dir].names {
		var h maphash.Hash
		h.SetSeed(seed)
		maphash.WriteComparable(&h, path)
		h.WriteString(name)
		at := h.Sum64()
		if m := c.nodes[n]; m.dir {
			sum += Key(at) + c.key(n, at)
		} else {
			h.WriteByte(0)
			h.WriteString(m.data)
			sum += Key(h.Sum64())
		}
	}
	return sum
}
