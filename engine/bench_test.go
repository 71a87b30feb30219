package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/memstore"
	"arbor/statemachine"
)

const benchWorkspace = "ws-bench-000001"

// sized returns a vault of n nodes of about 1.6 kB, at most eight levels deep, eight children to a planning node.
func sized(n int) map[mdstore.Path][]byte {
	files := map[mdstore.Path][]byte{benchWorkspace + "/Workspace.md": []byte("---\nid: " + benchWorkspace + "\nname: Bench\ngoal: g\nstatus: active\nrulesHash: \"\"\nfocusedNodeId: null\n" +
		"createdAt: 1\nupdatedAt: 1\n---\n\n## Log\n\n- [2026-01-01 10:00:00] [AI] created\n")}
	id := func(i int) string {
		if i == 0 {
			return "root"
		}
		return fmt.Sprintf("node-%08d-bench0", i)
	}
	text := strings.Repeat("What is to be done here, in a sentence of a usual length.\n", 15)
	for i := range n {
		typ, status, parent := "execution", "pending", "null"
		if i*8+1 < n {
			typ, status = "planning", "monitoring"
		}
		if i > 0 {
			parent = id((i - 1) / 8)
		}
		files[mdstore.NodePath(benchWorkspace, mdstore.ID(id(i)))] = fmt.Appendf(nil, "---\nid: %s\ntitle: Node %d of the plan\ntype: %s\nstatus: %s\nrole: null\nparentId: %s\nisolated: false\n"+
			"createdAt: %d\nupdatedAt: %d\n---\n\n## Requirement\n\n%s\n## Log\n\n- [2026-01-01 10:00:00] [AI] created\n- [2026-01-01 10:00:01] [AI] looked at it\n", id(i), i, typ, status, parent, 1767225600000+i, 1767225600000+i, text)
	}
	return files
}

// placed writes files into a new vault and returns its folder.
func placed(tb testing.TB, files map[mdstore.Path][]byte) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "vault")
	for p, b := range files {
		name := filepath.Join(dir, filepath.FromSlash(string(p)))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(name, b, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// onDisk writes files into a new vault and opens it.
func onDisk(tb testing.TB, files map[mdstore.Path][]byte) *dirstore.Store {
	tb.Helper()
	dir := placed(tb, files)
	st, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	return st
}

var sizes = []int{100, 1_000, 10_000}

func BenchmarkOpen(b *testing.B) {
	for _, n := range sizes {
		st := onDisk(b, sized(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e, err := engine.Open(b.Context(), st, engine.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if s, err := e.Snapshot(b.Context(), benchWorkspace); err != nil || s.Len() != n {
					b.Fatal(s, err)
				}
			}
		})
	}
}

func BenchmarkContext(b *testing.B) {
	for _, n := range sizes {
		e := opened(b, onDisk(b, sized(n)))
		leaf := mdstore.ID(fmt.Sprintf("node-%08d-bench0", n-1))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Context(b.Context(), benchWorkspace, leaf, assemble.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTransition(b *testing.B) {
	for _, n := range sizes {
		e := opened(b, onDisk(b, sized(n)))
		leaf := mdstore.ID(fmt.Sprintf("node-%08d-bench0", n-1))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				b.StopTimer() // every round starts with a node that is not started, nor the focus
				if i > 0 {
					step(b, e, leaf, "complete")
					step(b, e, leaf, "reopen")
					step(b, e, leaf, "fail")
				}
				b.StartTimer()
				if i == 0 {
					step(b, e, leaf, "start")
				} else {
					step(b, e, leaf, "retry")
				}
			}
		})
	}
}

func step(tb testing.TB, e *engine.Engine, id mdstore.ID, do string) {
	tb.Helper()
	if _, err := e.Transition(context.Background(), benchWorkspace, engine.Transition{Node: id, Action: statemachine.Action(do), Conclusion: "c"}, engine.Act{}); err != nil {
		tb.Fatal(err)
	}
}

func opened(tb testing.TB, st mdstore.Store) *engine.Engine {
	tb.Helper()
	e, err := engine.Open(context.Background(), st, engine.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := e.Snapshot(context.Background(), benchWorkspace); err != nil {
		tb.Fatal(err)
	}
	return e
}

// TestWithCostsTheChange counts allocations: a snapshot after one changed file must not depend on how many there are.
func TestWithCostsTheChange(t *testing.T) {
	cost := map[int]float64{}
	for _, n := range []int{1_000, 10_000} {
		files := sized(n)
		e := opened(t, memstore.New(files))
		s, err := e.Snapshot(t.Context(), benchWorkspace)
		if err != nil {
			t.Fatal(err)
		}
		p := mdstore.NodePath(benchWorkspace, mdstore.ID(fmt.Sprintf("node-%08d-bench0", n-1)))
		f := mdstore.File{Path: p, Version: mdstore.VersionOf(files[p]), Data: files[p]}
		cost[n] = testing.AllocsPerRun(20, func() { s.With(f) })
	}
	t.Log(cost)
	if cost[10_000] > cost[1_000]*1.5 {
		t.Errorf("a change costs %v allocations at 1,000 nodes and %v at 10,000", cost[1_000], cost[10_000])
	}
}
