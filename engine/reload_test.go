package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A counter is a store that counts what is read.
type counter struct {
	*memstore.Store
	reads, bytes, lists int
}

func (c *counter) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	f, err := c.Store.Read(ctx, p)
	c.reads, c.bytes = c.reads+1, c.bytes+len(f.Data)
	return f, err
}

func (c *counter) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.File, error] {
	c.lists++
	return c.Store.List(ctx, under)
}

func leafOf(n int) mdstore.Path {
	return mdstore.NodePath(benchWorkspace, mdstore.ID(fmt.Sprintf("node-%08d-bench0", n-1)))
}

// save writes a file as a person does, and tells the engine of it.
func (c *counter) save(t testing.TB, e *engine.Engine, p mdstore.Path, was, is string) {
	t.Helper()
	old, err := c.Store.Read(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Commit(t.Context(), []mdstore.Change{{Path: p, Base: old.Version, New: bytes.Replace(old.Data, []byte(was), []byte(is), 1)}}); err != nil {
		t.Fatal(err)
	}
	e.Heed(p)
}

// TestReloadCostsTheChange saves one file of many: it alone is read, as much is allocated as in a small workspace, and every other node is the very one that it was.
func TestReloadCostsTheChange(t *testing.T) {
	cost := map[int]float64{}
	for _, n := range []int{100, 10_000} {
		st := &counter{Store: memstore.New(sized(n))}
		e := opened(t, unnumbered{st})
		before, err := e.Snapshot(t.Context(), benchWorkspace)
		if err != nil {
			t.Fatal(err)
		}
		p := leafOf(n)
		st.save(t, e, p, "title: Node", "title: Another node")
		st.reads, st.bytes, st.lists = 0, 0, 0
		after, err := e.Snapshot(t.Context(), benchWorkspace)
		if err != nil {
			t.Fatal(err)
		}
		size := len(sized(n)[p]) + len("Another node") - len("Node")
		if st.reads != 1 || st.bytes != size || st.lists != 0 {
			t.Errorf("of %d nodes one file of %d bytes changed; %d files with %d bytes were read, and %d listings made", n, size, st.reads, st.bytes, st.lists)
		}
		var differ []mdstore.Path
		old := map[mdstore.Path]*mdstore.Node{}
		for x := range before.All() {
			old[x.Path] = x
		}
		for x := range after.All() {
			if old[x.Path] != x {
				differ = append(differ, x.Path)
			}
		}
		if !slices.Equal(differ, []mdstore.Path{p}) || after.Len() != n {
			t.Errorf("of %d nodes (%d) these are other ones than before: %v", after.Len(), n, differ)
		}
		if got, _ := after.Node(mdstore.ID(p.Dir().Base())); !strings.HasPrefix(got.Title, "Another node") {
			t.Errorf("the save shows as %q", got.Title)
		}
		i := 0
		cost[n] = testing.AllocsPerRun(50, func() {
			i++
			st.save(t, e, p, "Another node", "Another node") // a hint without a change
			st.save(t, e, p, fmt.Sprintf("bench0\ntitle: %s", names[(i-1)%2]), fmt.Sprintf("bench0\ntitle: %s", names[i%2]))
			if _, err := e.Snapshot(t.Context(), benchWorkspace); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Logf("allocations of a save and its reload: %v", cost)
	if cost[10_000] > cost[100]*2 { // the maps are some levels deeper, and that is all
		t.Errorf("a reload costs %v allocations at 100 nodes and %v at 10,000", cost[100], cost[10_000])
	}
}

var names = []string{"Another node", "Again another node"}

// unnumbered is a store whose commits nobody counts, as people's saves are not.
type unnumbered struct{ c *counter }

func (u unnumbered) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	return u.c.Read(ctx, p)
}
func (u unnumbered) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.File, error] {
	return u.c.List(ctx, under)
}
func (u unnumbered) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	return u.c.Stat(ctx, p)
}
func (u unnumbered) Update(_ context.Context, f func(mdstore.Tx) error) error {
	return f(u)
}
func (u unnumbered) Commit(ctx context.Context, cs []mdstore.Change) (mdstore.Result, error) {
	return u.c.Commit(ctx, cs)
}

// TestManyChangesAtOnce compares a snapshot that many files were put into with one that is read anew: duplicate ids, other parents, orders, what goes and what comes.
func TestManyChangesAtOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 50
	if heavy {
		rounds = 200
	}
	for range rounds {
		files := sized(40)
		s, err := opened(t, memstore.New(files)).Snapshot(t.Context(), benchWorkspace)
		if err != nil {
			t.Fatal(err)
		}
		paths := []mdstore.Path{}
		for n := range s.All() {
			paths = append(paths, n.Path)
		}
		for range 3 { // one after another, so that a snapshot that was made is gone on from
			var changed []mdstore.File
			for range rng.IntN(20) {
				p := paths[rng.IntN(len(paths))]
				switch rng.IntN(6) {
				case 0:
					delete(files, p)
					changed = append(changed, mdstore.File{Path: p})
					continue
				case 1: // a folder that nothing was known of
					p = mdstore.NodePath(benchWorkspace, mdstore.ID(fmt.Sprintf("new-%d", rng.IntN(10))))
				}
				id := fmt.Sprintf("node-%08d-bench0", rng.IntN(45))
				if rng.IntN(10) == 0 {
					id = "root"
				}
				text := fmt.Sprintf("---\nid: %s\ntitle: T\ntype: planning\nstatus: planning\nparentId: node-%08d-bench0\norder: %d\n---\n", id, rng.IntN(45), rng.IntN(4))
				files[p] = []byte(text)
				changed = append(changed, mdstore.File{Path: p, Version: mdstore.VersionOf(files[p]), Data: files[p]})
			}
			s = s.With(changed...)
			fresh, err := opened(t, memstore.New(files)).Snapshot(t.Context(), benchWorkspace)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := allOf(s), allOf(fresh); got != want {
				t.Fatalf("after %v\n%s\nread anew it is\n%s", changed, got, want)
			}
		}
	}
}

// allOf is all that a snapshot says of its tree.
func allOf(s *engine.Snapshot) string {
	var b strings.Builder
	for n := range s.All() {
		fmt.Fprintln(&b, n.Path, n.ID, n.Version(), s.Children(n.ID))
		for _, same := range s.Files(n.ID) {
			fmt.Fprintln(&b, " ", same.Path)
		}
	}
	fmt.Fprintln(&b, s.Children("node-00000041-bench0"), s.Diagnostics())
	return b.String()
}

// TestReloadsKeepNothing reloads again and again: the memory that is in use stays what it was.
func TestReloadsKeepNothing(t *testing.T) {
	const n = 200
	rounds := 20_000
	if heavy {
		rounds = 100_000
	}
	st := &counter{Store: memstore.New(sized(n))}
	e := opened(t, unnumbered{st})
	p := leafOf(n)
	reload := func(i int) {
		st.save(t, e, p, "title: "+names[i%2], "title: "+names[(i+1)%2])
		if _, err := e.Snapshot(t.Context(), benchWorkspace); err != nil {
			t.Fatal(err)
		}
	}
	st.save(t, e, p, "title: Node", "title: "+names[0])
	var used []int64
	for i := range rounds {
		reload(i)
		if (i+1)%(rounds/5) == 0 {
			used = append(used, inUse())
		}
	}
	t.Logf("bytes in use after each fifth of %d reloads: %v", rounds, used)
	if grown := used[4] - used[1]; grown > 16<<10 { // what is made once is made by then
		t.Errorf("%d reloads keep %d bytes", rounds*3/5, grown)
	}
	runtime.KeepAlive(e)
}

// inUse returns the bytes of the heap that are reachable.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
