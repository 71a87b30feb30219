package engine_test

import (
	"runtime"
	"testing"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/mdstore/memstore"
)

// counts returns what each of f's runs allocates, in a plan of few nodes and of many.
func counts(t *testing.T, f func(e *engine.Engine, n int) func()) (few, many float64) {
	t.Helper()
	var out []float64
	for _, n := range []int{100, 10_000} {
		st := memstore.New(sized(n))
		e := opened(t, st)
		out = append(out, testing.AllocsPerRun(50, f(e, n)))
	}
	return out[0], out[1]
}

// What a context allocates is a matter of the node, not of the plan: the depth of the tree differs by two.
func TestContextAllocates(t *testing.T) {
	few, many := counts(t, func(e *engine.Engine, n int) func() {
		return func() {
			if _, err := e.Context(t.Context(), benchWorkspace, leaf(n), assemble.Options{}); err != nil {
				t.Error(err)
			}
		}
	})
	if few > 110 || many > 130 {
		t.Errorf("a context takes %v allocations in a plan of 100 nodes and %v in one of 10,000; 110 and 130 are allowed", few, many)
	}
}

// The metadata of a node is a kilobyte at most, and its body stays on the disk.
func TestNodesAreSmall(t *testing.T) {
	const n, most = 3_000, 1_200
	st := onDisk(t, sized(n))
	e, err := engine.Open(t.Context(), st, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := live()
	s, err := e.Snapshot(t.Context(), benchWorkspace)
	if err != nil || s.Len() != n {
		t.Fatal(s.Len(), err)
	}
	if raceDetector {
		t.Skip("the race detector has its own bytes beside each one of ours")
	}
	each := (live() - before) / n
	if each > most {
		t.Errorf("a node takes %d bytes in memory; %d are allowed", each, most)
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(e)
}

// live returns the bytes in memory that are in use.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
