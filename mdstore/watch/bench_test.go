package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// vault makes n nodes below a fresh folder.
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

// BenchmarkReady is the time from the call until every change in 10,000 folders is seen; ms-stop is what ending takes.
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
				opt := Options{Polling: polling, Ready: func(p bool, why error) {
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
