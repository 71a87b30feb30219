package dirstore

import (
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"arbor/mdstore"
)

// batchTops is how many folders one goroutine looks at in one go: few enough for many goroutines to end at about the same time.
const batchTops = 16

// A batch is what was found in some of the folders right below nodes/, in the order of paths.
type batch struct {
	nodes  []mdstore.Node
	broken []mdstore.Broken
	tree   []folder
	work   mdstore.Work
	drift  int // files that were read and could have been known
	fresh  int // files that were read and are not as they were known
}

// reap looks at all folders right below nodes/, by several goroutines, and puts together what they find.
func (k *skimmer) reap(out *mdstore.Skimmed) error {
	n := len(k.tops)
	batches := make([]batch, (n+batchTops-1)/batchTops)
	var nodes []mdstore.Node // as large as they become where each folder is one node's
	stay := k.old.ours && len(k.old.nodes) == n
	if stay {
		nodes = k.old.nodes // most of them stay where they are
	} else {
		nodes = make([]mdstore.Node, n)
	}
	tree := make([]folder, n+1)
	var next, slow atomic.Int64
	var running sync.WaitGroup
	var work func()
	wide := sync.OnceFunc(func() {
		narrow := widen()
		var more sync.WaitGroup
		for range min(wideReads, len(batches)) - 1 {
			more.Go(work)
		}
		running.Go(func() {
			more.Wait()
			narrow()
		})
	})
	work = func() {
		r := &reaper{skimmer: k}
		if k.leaves != nil {
			r.leaf = k.leaves.Leaf()
		}
		for k.ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(batches) {
				return
			}
			from, to, began := i*batchTops, min((i+1)*batchTops, n), time.Now()
			r.batch = batch{nodes: nodes[from:from:to], tree: tree[from+1 : from+1 : to+1]}
			r.stay = stay
			r.at = k.begin(k.tops[from].name)
			for j := range k.tops[from:to] {
				r.visit(&k.tops[from+j])
			}
			batches[i] = r.batch
			if time.Since(began) < time.Duration(to-from)*k.s.waiting {
				slow.Store(0)
			} else if slow.Add(1) == 2 { // in a row: one may have waited for anything
				wide()
			}
		}
	}
	for range min(runtime.GOMAXPROCS(0), len(batches)) - 1 {
		running.Go(work)
	}
	work()
	running.Wait()
	if err := k.ctx.Err(); err != nil {
		return err
	}
	out.Nodes = join(nodes, 0, batches, func(b *batch) []mdstore.Node { return b.nodes })
	tree = join(tree, 1, batches, func(b *batch) []folder { return b.tree })
	out.Work = k.listed
	drift := k.old.drift
	for i := range batches {
		b := &batches[i]
		out.Broken = append(out.Broken, b.broken...)
		drift += b.drift
		k.renewed += b.fresh
		out.Work.Stamped += b.work.Stamped
		out.Work.Listed += b.work.Listed
		out.Work.Read += b.work.Read
		out.Work.Bytes += b.work.Bytes
	}
	k.root.span = int32(len(tree))
	tree[0] = k.root
	out.Private = &ground{under: k.old.under, tree: tree, era: k.era, count: len(out.Nodes), drift: drift}
	return nil
}

// join returns the parts of all batches behind head values, one behind the other: in room, where each fits into its own share of that, as a rule without moving any.
func join[T any](room []T, head int, batches []batch, of func(*batch) []T) []T {
	total, fits := head, true
	for i := range batches {
		n := len(of(&batches[i]))
		total += n
		fits = fits && n <= batchTops
	}
	out := room[:head]
	if !fits || total > len(room) {
		out = make([]T, head, total)
	}
	for i := range batches {
		part := of(&batches[i])
		if n := len(out); len(part) > 0 && n < cap(out) && &out[:n+1][n] == &part[0] {
			out = out[:n+len(part)] // it lies there already
		} else {
			out = append(out, part...)
		}
	}
	clear(room[min(len(out), len(room)):])
	return out
}

// begin returns the place of the first known node below a folder.
func (k *skimmer) begin(name string) int {
	return sort.Search(len(k.old.nodes), func(i int) bool { return compareTo(k.rest(i), name, "/") >= 0 })
}

// rest returns the path of a known node below nodes/.
func (k *skimmer) rest(i int) string { return string(k.old.nodes[i].Path)[len(k.prefix):] }

// compareTo compares a with b+c.
func compareTo(a, b, c string) int {
	if len(a) <= len(b) {
		if d := strings.Compare(a, b); d != 0 || c == "" {
			return d
		}
		return -1
	}
	if d := strings.Compare(a[:len(b)], b); d != 0 {
		return d
	}
	return strings.Compare(a[len(b):], c)
}
