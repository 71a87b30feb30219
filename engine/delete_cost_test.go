package engine_test

import (
	"context"
	"sync/atomic"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// A counted store counts what is read of it.
type counted struct {
	*dirstore.Store
	whole, files atomic.Int64
}

func (c *counted) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	c.whole.Add(1)
	return c.Store.Skim(ctx, under, known, trusting)
}

func (c *counted) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	c.files.Add(1)
	return c.Store.Read(ctx, p)
}

// A deletion costs what goes and what refers to it, once it is known what refers to what, and the next to ask need not read everything again. What it leaves is what the files say.
func TestDeletionsCostWhatGoes(t *testing.T) {
	cost := map[int]int{}
	for _, n := range []int{50, 400} {
		c := &counted{Store: onDisk(t, sized(n))}
		e := opened(t, c)
		if _, _, err := e.Reference(t.Context(), benchWorkspace, leaf(n-3), engine.AddRef, mdstore.Ref{Target: string(leaf(n)), Description: "d"}, engine.Act{}); err != nil {
			t.Fatal(err)
		}
		if s, err := e.Snapshot(t.Context(), benchWorkspace); err != nil {
			t.Fatal(err)
		} else {
			s.Gather()
		}
		c.whole.Store(0)
		c.files.Store(0)
		for _, id := range []mdstore.ID{leaf(n), leaf(n - 1)} {
			if _, err := e.Delete(t.Context(), benchWorkspace, id, engine.Act{}); err != nil {
				t.Fatal(err)
			}
		}
		is, err := e.Snapshot(t.Context(), benchWorkspace)
		if err != nil {
			t.Fatal(err)
		}
		if cost[n] = int(c.files.Load()); c.whole.Load() > 0 {
			t.Errorf("of %d nodes, all were looked at %d times", n, c.whole.Load())
		}
		st, err := dirstore.Open(c.Dir(), dirstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := opened(t, st).Snapshot(t.Context(), benchWorkspace)
		if err != nil {
			t.Fatal(err)
		}
		if is.Len() != n-2 || want.Len() != n-2 {
			t.Errorf("%d nodes are left, and in the files %d; want %d", is.Len(), want.Len(), n-2)
		}
		for x := range want.All() {
			if y, ok := is.Node(x.ID); !ok || y.Version() != x.Version() {
				t.Errorf("%s is not as the files have it", x.ID)
			}
		}
		if r, ok := is.Node(leaf(n - 3)); !ok || len(r.References()) != 1 || !r.References()[0].Expired {
			t.Errorf("the reference to what went: %+v", r.References())
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
	if cost[400] > cost[50]+5 {
		t.Errorf("two deletions read %d files of 50, and %d of 400", cost[50], cost[400])
	}
}
