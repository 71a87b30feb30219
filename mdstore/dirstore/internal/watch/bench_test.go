package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// vault makes n nodes below a new folder.
func vault(tb testing.TB, n int) string {
	tb.Helper()
	root := tb.TempDir()
	for i := range n {
		dir := filepath.Join(root, "ws", "nodes", fmt.Sprintf("node-mj2hz4gy-%06d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "Node.md"), []byte("---\nid: x\n---\n"), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return root
}

// BenchmarkReady is the time until every change in 10,000 folders is seen; ms-stop is the time to end.
func BenchmarkReady(b *testing.B) {
	root := vault(b, 10_000)
	for _, polling := range []bool{false, true} {
		b.Run(variant(polling), func(b *testing.B) {
			b.ReportAllocs()
			var ready, stopped time.Duration
			for b.Loop() {
				ctx, stop := context.WithCancel(b.Context())
				began := time.Now()
				var at time.Time
				opt := Options{polling: polling, Ready: func(p bool, why error) {
					if p != polling {
						b.Errorf("polls: %v", why)
					}
					at = time.Now()
					stop()
				}}
				_ = Watch(ctx, root, opt, func(Batch) {})
				ready += at.Sub(began)
				stopped += time.Since(at)
			}
			b.ReportMetric(float64(ready.Microseconds())/1000/float64(b.N), "ms-ready")
			b.ReportMetric(float64(stopped.Microseconds())/1000/float64(b.N), "ms-stop")
		})
	}
}

// BenchmarkSave is the time from a save among 10,000 nodes until it is named, with no time to settle.
func BenchmarkSave(b *testing.B) {
	w := benchWorld(b, 10_000)
	name := "ws/nodes/node-mj2hz4gy-005000/Node.md"
	for b.Loop() {
		w.forget()
		w.write(name, "saved")
		for !w.named[name] {
			w.next(name)
		}
	}
}

// BenchmarkBurst is the time from the first of 10,000 saves until all are named; ms-after is the part after the last.
func BenchmarkBurst(b *testing.B) {
	const n = 10_000
	w := benchWorld(b, n)
	var after time.Duration
	for b.Loop() {
		w.forget()
		for i := range n {
			w.write(fmt.Sprintf("ws/nodes/node-mj2hz4gy-%06d/Node.md", i), "saved")
		}
		saved := time.Now()
		for len(w.named) < n && !w.rescan {
			w.next("all of them")
		}
		if w.rescan {
			b.Fatal("events were lost")
		}
		after += time.Since(saved)
	}
	b.ReportMetric(float64(after.Microseconds())/1000/float64(b.N), "ms-after")
}

func benchWorld(b *testing.B, n int) *world {
	b.Helper()
	opt := quick(false)
	opt.quiet = time.Nanosecond
	root := vault(b, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w := start(b, root, opt, openSystem)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.Logf("%d folders take %.1f MB", n, float64(after.HeapAlloc-before.HeapAlloc)/1e6)
	b.Cleanup(w.close)
	return w
}
