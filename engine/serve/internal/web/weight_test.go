package web

import (
	"fmt"
	"os"
	"testing"

	"arbor/engine/enginetest"
)

// The first view is small, however large the plan is. go test -v prints the sizes.
func TestTheFirstViewIsLight(t *testing.T) {
	sizes := []int{50, 1000}
	if os.Getenv("ARBOR_HEAVY") != "" {
		sizes = append(sizes, 10000)
	}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := newWorld(t, enginetest.Sized(n))
			b := newBrowser(t)
			w.follow()
			p := b.open(w, "/")
			for _, path := range []string{"/", "/plan", "/board"} {
				p.visit(path)
				got := p.eval(`(() => { const n = performance.getEntriesByType("navigation")[0], all = performance.getEntriesByType("resource");
					return [n.transferSize + all.reduce((sum, r) => sum + r.transferSize, 0), 1 + all.length, Math.round(n.domContentLoadedEventEnd)] })()`).([]any)
				t.Logf("%d nodes, %s: %v bytes, %v requests, interactive after %v ms", n, path, got[0], got[1], got[2])
				if got[0].(float64) > 300e3 || got[1].(float64) > 4 {
					t.Errorf("%d nodes, %s: %v bytes in %v requests", n, path, got[0], got[1])
				}
			}
		})
	}
}
