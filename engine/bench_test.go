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

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/live"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/statemachine"
)

var sizes = []int{100, 1_000, 10_000}

func viewed(b *testing.B, e *engine.Engine, n int) *engine.Engine {
	b.Helper()
	if v, err := e.View(b.Context(), enginetest.Bench); err != nil || v.Len() != n {
		b.Fatal(v, err)
	}
	return e
}

func placed(b *testing.B, files map[mdstore.Path][]byte) *engine.Engine {
	b.Helper()
	return viewed(b, enginetest.Open(b, enginetest.OpenDir(b, enginetest.Place(b, files))), len(files)-1)
}

func step(b *testing.B, e *engine.Engine, id mdstore.ID, do string) {
	b.Helper()
	op := plan.Transition{Node: id, Action: statemachine.Action(do), Conclusion: "c"}
	if _, _, err := engine.Apply(b.Context(), e, enginetest.Bench, plan.Act{}, op); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, n := range sizes {
		st := enginetest.OpenDir(b, enginetest.Place(b, enginetest.Sized(n)))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				viewed(b, enginetest.Open(b, st), n)
			}
		})
	}
}

func BenchmarkContext(b *testing.B) {
	for _, n := range sizes {
		e := placed(b, enginetest.Sized(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Context(b.Context(), enginetest.Bench, enginetest.Leaf(n), assemble.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTransition(b *testing.B) {
	for _, n := range sizes {
		e := placed(b, enginetest.Sized(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				step(b, e, enginetest.Leaf(n), []string{"start", "complete", "reopen", "complete"}[min(i, 2+i%2)])
			}
		})
	}
}

// BenchmarkReload saves one file of 10,000 in place. It reports the time from the news of the save to the view that
// shows it.
func BenchmarkReload(b *testing.B) {
	const n = 10_000
	files := enginetest.Sized(n)
	dir := enginetest.Place(b, files)
	e := viewed(b, enginetest.Open(b, enginetest.OpenDir(b, dir)), n)
	ctx, stop := context.WithCancel(b.Context())
	ready, done, news := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1000)
	go func() {
		defer close(done)
		_ = e.Follow(ctx, func() { close(ready) }, func(live.News) { news <- struct{}{} })
	}()
	b.Cleanup(func() {
		stop()
		<-done
	})
	<-ready
	p := enginetest.LeafPath(n)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		now := fmt.Appendf(nil, "%s\nround %d\n", files[p], i)
		viewed(b, e, n)
		enginetest.Put(b, dir, p, now)
		<-news
		start := time.Now()
		v, err := e.View(b.Context(), enginetest.Bench)
		took = append(took, time.Since(start))
		if err != nil {
			b.Fatal(err)
		}
		if got, _ := v.File(p); got.Version() != mdstore.VersionOf(now) {
			b.Fatal("the news came, and the view does not show the save")
		}
	}
	b.ReportMetric(0, "ns/op") // with the time that a save is given to settle
	b.ReportMetric(median(took), "reload-µs")
}

// The limit of a durable write is what any program has to do to replace a file so that it is there after a power
// failure: a temporary file beside it, its bytes to the disk, the rename, and the folder's names to the disk.
// BenchmarkDurableTransition makes one of these between any two writes of Arbor, on the same file system, and reports
// both medians and their ratio.

// A bare file is replaced durably, and nothing else is done.
type bare struct {
	dir  string
	data []byte
}

func (x *bare) write(b *testing.B) {
	temp, name := filepath.Join(x.dir, "temp"), filepath.Join(x.dir, "file")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	_, err = f.Write(x.data)
	if err = cmp.Or(err, f.Sync(), f.Close(), os.Rename(temp, name)); err != nil {
		b.Fatal(err)
	}
	d, err := os.Open(x.dir)
	if err != nil {
		b.Fatal(err)
	}
	if err := cmp.Or(d.Sync(), d.Close()); err != nil {
		b.Fatal(err)
	}
}

// A race is what two ways of doing something took, measured by turns.
type race struct{ arbor, limit []time.Duration }

func (r *race) lap(arbor, limit func()) {
	start := time.Now()
	limit()
	r.limit = append(r.limit, time.Since(start))
	start = time.Now()
	arbor()
	r.arbor = append(r.arbor, time.Since(start))
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
}

// working returns a vault with so many execution nodes that are being worked on, and a function that names one after
// the other: a document that is written to again and again grows.
func working(n int) (files map[mdstore.Path][]byte, next func() mdstore.ID) {
	all := n + n/7 + 1
	files = enginetest.Sized(all)
	for p, data := range files {
		files[p] = bytes.Replace(data, []byte("status: pending"), []byte("status: implementing"), 1)
	}
	var at atomic.Int64
	return files, func() mdstore.ID { return enginetest.Leaf(all - int(at.Add(1)-1)%n) }
}

func BenchmarkDurableTransition(b *testing.B) {
	const most = 2000
	files, next := working(most)
	e, limit := placed(b, files), &bare{b.TempDir(), make([]byte, 1600)}
	var r race
	for i := 0; b.Loop(); i++ {
		if i == most {
			b.Fatalf("there are only %d nodes; take a -benchtime of %dx at most", most, most)
		}
		r.lap(func() { step(b, e, next(), "submit") }, func() { limit.write(b) })
	}
	r.report(b)
}

// BenchmarkDurableWriters has sixteen writers at once, against one that makes as many changes.
func BenchmarkDurableWriters(b *testing.B) {
	const writers, each, most = 16, 4, 6000
	files, next := working(most)
	e := placed(b, files)
	log := func() {
		op := plan.AppendLog{Node: next(), Event: "something happened"}
		if _, _, err := engine.Apply(b.Context(), e, enginetest.Bench, plan.Act{}, op); err != nil {
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
}
