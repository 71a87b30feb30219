package ops_test

import (
	"context"
	"sync/atomic"
	"testing"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A keeper is a vault in memory that counts what is read, and gives what was kept of it to whoever knows nothing, as an index does.
type keeper struct {
	*memstore.Store
	kept  *mdstore.Skimmed
	reads atomic.Int64 // by several at once
}

func (k *keeper) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	if p.Base() == mdstore.NodeFile {
		k.reads.Add(1)
	}
	return k.Store.Read(ctx, p)
}

func (k *keeper) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	if known == nil {
		known = k.kept
	}
	return k.Store.Skim(ctx, under, known, trusting)
}

func (k *keeper) Keep(_ context.Context, _ mdstore.Path, known *mdstore.Skimmed) { k.kept = known }

// TestWhatListsFindOutIsKept has the first list of many nodes leave nothing to read for the next process; a list of few reads few.
func TestWhatListsFindOutIsKept(t *testing.T) {
	const n = 1000
	for _, tt := range []struct {
		in          ops.NodeListIn
		first, then int
	}{
		{ops.NodeListIn{Limit: -1}, n + 1, 0},
		{ops.NodeListIn{Limit: 100}, n + 1, 0},
		{ops.NodeListIn{Limit: 5}, 5, 5},
		{ops.NodeListIn{Limit: -1, Status: []string{"failed"}}, 0, 0},
		{ops.NodeListIn{Limit: -1, Status: []string{"pending"}}, n + 1, 0},
		{ops.NodeListIn{Limit: -1, RootID: "node-mjv3xk00-000098"}, 11, 11},
	} {
		k := &keeper{Store: memstore.New(bigFiles(n))}
		for round, want := range []int{tt.first, tt.then} {
			e, err := engine.Open(tctx, k, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			k.reads.Store(0)
			if _, err := ops.NodeList(tctx, &ops.Env{Engine: e}, tt.in); err != nil {
				t.Fatal(err)
			}
			if got := int(k.reads.Load()); got != want {
				t.Errorf("process %d reads %d nodes for %+v, want %d", round+1, got, tt.in, want)
			}
		}
	}
}
