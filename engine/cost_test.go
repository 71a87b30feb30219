package engine_test

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/crashtest"
	"arbor/mdstore/memstore"
	"arbor/statemachine"
)

// flat returns a vault of n nodes, all but the root below the root.
func flat(n int) map[mdstore.Path][]byte {
	files := sized(n)
	for i := 9; i < n; i++ {
		p := mdstore.NodePath(benchWorkspace, mdstore.ID(fmt.Sprintf("node-%08d-bench0", i)))
		was := fmt.Sprintf("parentId: node-%08d-bench0", (i-1)/8)
		files[p] = bytes.Replace(files[p], []byte(was), []byte("parentId: root"), 1)
	}
	return files
}

// writes are operations whose cost must not depend on how many nodes there are.
var writes = map[string]func(t *testing.T, e *engine.Engine, n int){
	"node_create": func(t *testing.T, e *engine.Engine, n int) {
		if _, err := e.Create(t.Context(), benchWorkspace, engine.NewNode{Parent: mdstore.Root, Type: statemachine.Execution, Title: "t", Requirement: "r"}, engine.Act{}); err != nil {
			t.Fatal(err)
		}
	},
	"log_append": func(t *testing.T, e *engine.Engine, n int) {
		if _, _, err := e.AppendLog(t.Context(), benchWorkspace, leaf(n), "something happened", engine.Act{}); err != nil {
			t.Fatal(err)
		}
	},
}

// ticking opens an engine whose clock goes on by a millisecond at each look, so that each write sets updatedAt.
func ticking(t *testing.T, st mdstore.Store) *engine.Engine {
	t.Helper()
	start, looks := time.Now(), atomic.Int64{}
	e, err := engine.Open(t.Context(), st, engine.Options{Now: func() time.Time { return start.Add(time.Duration(looks.Add(1)) * time.Millisecond) }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Snapshot(t.Context(), benchWorkspace); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestWritesCostTheChange counts what a write in a large plan takes, deep or flat, and what the same takes in a small one: calls to the disk, and allocations.
func TestWritesCostTheChange(t *testing.T) {
	const few, many = 100, 2_000
	type cost struct {
		calls  int
		allocs float64
	}
	for shape, plan := range map[string]func(int) map[mdstore.Path][]byte{"deep": sized, "flat": flat} {
		costs := map[string]map[int]cost{}
		for _, n := range []int{few, many} {
			files := plan(n)
			var counted crashtest.Trouble
			st, err := counted.Open(placed(t, files), dirstore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			disk, memory := ticking(t, st), ticking(t, memstore.New(files))
			for name, write := range writes {
				write(t, disk, n) // with what is made once
				counted.Calls = 0
				write(t, disk, n)
				if costs[name] == nil {
					costs[name] = map[int]cost{}
				}
				costs[name][n] = cost{counted.Calls, testing.AllocsPerRun(20, func() { write(t, memory, n) })}
			}
		}
		for name, c := range costs {
			t.Logf("%s, %s plan: calls to the disk %d and %d; allocations %.0f and %.0f", name, shape, c[few].calls, c[many].calls, c[few].allocs, c[many].allocs)
			if c[few].calls == 0 || c[many].calls > c[few].calls {
				t.Errorf("%s, %s plan: %d calls to the disk among %d nodes, %d among %d", name, shape, c[many].calls, many, c[few].calls, few)
			}
			if c[many].allocs > 1.15*c[few].allocs {
				t.Errorf("%s, %s plan: %.0f allocations among %d nodes, %.0f among %d", name, shape, c[many].allocs, many, c[few].allocs, few)
			}
		}
	}
}
