package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/statemachine"
)

// The limit of a durable write is what any program has to do to replace a file so that it is there after a power failure: a
// temporary beside it, its bytes to the disk, the rename, and the folder's names to the disk. Each benchmark makes one of these between any two writes
// of Arbor, on the same file system, and reports both medians and their ratio.

// places are the file systems to measure on: that of the temporary folder, and one in memory where there is one.
func places(b *testing.B, f func(b *testing.B, dir string)) {
	b.Run("disk", func(b *testing.B) { f(b, b.TempDir()) })
	const shm = "/dev/shm"
	if info, err := os.Stat(shm); err != nil || !info.IsDir() {
		return
	}
	b.Run("memory", func(b *testing.B) {
		dir, err := os.MkdirTemp(shm, "arbor-bench-")
		if err != nil {
			b.Skip(err)
		}
		b.Cleanup(func() { os.RemoveAll(dir) })
		f(b, dir)
	})
}

// vaultIn writes files into a new vault below dir and opens it.
func vaultIn(tb testing.TB, dir string, files map[mdstore.Path][]byte) *engine.Engine {
	tb.Helper()
	dir = filepath.Join(dir, "vault")
	for p, data := range files {
		name := filepath.Join(dir, filepath.FromSlash(string(p)))
		if err := cmp.Or(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644)); err != nil {
			tb.Fatal(err)
		}
	}
	st, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	return opened(tb, st)
}

// bare replaces a file durably, and does nothing besides.
type bare struct {
	dir  string
	data []byte
}

func newBare(tb testing.TB, dir string, size int) *bare {
	tb.Helper()
	x := &bare{filepath.Join(dir, "bare"), make([]byte, size)}
	if err := os.Mkdir(x.dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	return x
}

func (x *bare) write(tb testing.TB) {
	temp, name := filepath.Join(x.dir, "temp"), filepath.Join(x.dir, "file")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		tb.Fatal(err)
	}
	_, err = f.Write(x.data)
	if err = cmp.Or(err, f.Sync(), f.Close(), os.Rename(temp, name)); err != nil {
		tb.Fatal(err)
	}
	d, err := os.Open(x.dir)
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmp.Or(d.Sync(), d.Close()); err != nil {
		tb.Fatal(err)
	}
}

// A race is what two ways of doing something took, measured by turns.
type race struct{ arbor, limit []time.Duration }

func (r *race) lap(arbor, limit func()) {
	for _, x := range []struct {
		do   func()
		into *[]time.Duration
	}{{limit, &r.limit}, {arbor, &r.arbor}} {
		start := time.Now()
		x.do()
		*x.into = append(*x.into, time.Since(start))
	}
}

func median(ds []time.Duration) float64 {
	ds = slices.Sorted(slices.Values(ds))
	return float64(ds[len(ds)/2].Nanoseconds()) / 1000
}

func (r *race) report(b *testing.B) {
	b.ReportMetric(0, "ns/op") // of both together, which says nothing
	b.ReportMetric(median(r.arbor), "arbor-µs")
	b.ReportMetric(median(r.limit), "limit-µs")
	b.ReportMetric(median(r.arbor)/median(r.limit), "ratio")
	// On a machine that does other things as well, the best of many says more.
	b.ReportMetric(float64(slices.Min(r.arbor))/float64(slices.Min(r.limit)), "ratio-of-best")
}

// crowd returns a vault of so many execution nodes that are being worked on, eight to a parent, with the texts that sized gives them. What is
// measured takes one after the other, as a document that is written to again and again grows.
func crowd(n int) map[mdstore.Path][]byte {
	files := sized(n + n/7 + 1)
	for p, data := range files {
		files[p] = bytes.Replace(data, []byte("status: pending"), []byte("status: implementing"), 1)
	}
	return files
}

// hands returns a function that names one node of a crowd after the other.
func hands(n int) func() mdstore.ID {
	var at atomic.Int64
	all := n + n/7 + 1
	return func() mdstore.ID { return leaf(all - int(at.Add(1)-1)%n) }
}

func leaf(n int) mdstore.ID { return mdstore.ID(fmt.Sprintf("node-%08d-bench0", n-1)) }

func BenchmarkDurableTransition(b *testing.B) {
	const most = 2000
	places(b, func(b *testing.B, dir string) {
		e, limit, next := vaultIn(b, dir, crowd(most)), newBare(b, dir, 1600), hands(most)
		var r race
		for i := 0; b.Loop(); i++ {
			if i == most {
				b.Fatalf("there are only %d nodes; take a -benchtime of %dx at most", most, most)
			}
			r.lap(func() { step(b, e, next(), "submit") }, func() { limit.write(b) })
		}
		r.report(b)
	})
}

// chains returns a vault with so many chains of six planning nodes that nobody has begun, an execution node at the end of each, and as
// many times eight execution nodes that are being worked on.
func chains(n int) map[mdstore.Path][]byte {
	files := sized(100)
	add := func(id, typ, status, parent string) string {
		files[mdstore.NodePath(benchWorkspace, mdstore.ID(id))] = fmt.Appendf(nil, "---\nid: %s\ntitle: A link\ntype: %s\nstatus: %s\nrole: null\nparentId: %s\nisolated: false\ncreatedAt: 1\nupdatedAt: 1\n---\n\n## Requirement\n\nr\n", id, typ, status, parent)
		return id
	}
	for i := range n {
		up := "root"
		for j := range 6 {
			up = add(fmt.Sprintf("chain%d-%d", i, j), "planning", "pending", up)
		}
		add(fmt.Sprintf("chain%d-end", i), "execution", "pending", up)
		up = add(fmt.Sprintf("single%d", i), "planning", "monitoring", "root")
		for j := range 8 {
			add(fmt.Sprintf("single%d-%d", i, j), "execution", "implementing", up)
		}
	}
	return files
}

// The limit of a cascade over eight files is eight transitions of one.
func BenchmarkDurableCascade(b *testing.B) {
	const most = 200
	places(b, func(b *testing.B, dir string) {
		e := vaultIn(b, dir, chains(most))
		var r race
		for i := 0; b.Loop(); i++ {
			if i == most {
				b.Fatalf("there are only %d chains; take a -benchtime of %dx at most", most, most)
			}
			r.lap(func() {
				out, err := e.Transition(context.Background(), benchWorkspace, engine.Transition{Node: mdstore.ID(fmt.Sprintf("chain%d-end", i)), Action: statemachine.Start}, engine.Act{})
				if err != nil || len(out.Files) != 8 {
					b.Fatal(out, err)
				}
			}, func() {
				for j := range 8 {
					step(b, e, mdstore.ID(fmt.Sprintf("single%d-%d", i, j)), "submit")
				}
			})
		}
		r.report(b)
	})
}

// Sixteen writers at once, against one that makes as many changes.
func BenchmarkDurableWriters(b *testing.B) {
	const writers, each, most = 16, 4, 6000
	places(b, func(b *testing.B, dir string) {
		e, next := vaultIn(b, dir, crowd(most)), hands(most)
		log := func() {
			if _, _, err := e.AppendLog(context.Background(), benchWorkspace, next(), "something happened", engine.Act{}); err != nil {
				b.Error(err)
			}
		}
		var r race
		for b.Loop() {
			r.lap(func() {
				var all sync.WaitGroup
				for range writers {
					all.Go(func() {
						for range each {
							log()
						}
					})
				}
				all.Wait()
			}, func() {
				for range writers * each {
					log()
				}
			})
		}
		r.report(b)
		b.ReportMetric(median(r.limit)/median(r.arbor), "speedup")
	})
}

// What is created and logged in a large plan, against the same in a small one.
func BenchmarkDurableSize(b *testing.B) {
	for name, do := range map[string]func(b *testing.B, e *engine.Engine, parent mdstore.ID){
		"create": func(b *testing.B, e *engine.Engine, parent mdstore.ID) {
			if _, err := e.Create(context.Background(), benchWorkspace, engine.NewNode{Parent: parent, Type: statemachine.Execution, Title: "t", Requirement: "r"}, engine.Act{}); err != nil {
				b.Fatal(err)
			}
		},
		"log": func(b *testing.B, e *engine.Engine, parent mdstore.ID) {
			if _, _, err := e.AppendLog(context.Background(), benchWorkspace, parent, "something happened", engine.Act{}); err != nil {
				b.Fatal(err)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			places(b, func(b *testing.B, dir string) {
				large := vaultIn(b, filepath.Join(dir, "large"), sized(10_000))
				small := vaultIn(b, filepath.Join(dir, "small"), sized(100))
				var r race
				for i := 0; b.Loop(); i++ {
					parent := leaf(2 + i%12) // one of those that have children
					r.lap(func() { do(b, large, parent) }, func() { do(b, small, parent) })
				}
				r.report(b)
			})
		})
	}
}
