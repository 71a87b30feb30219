package web

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/exchange"
	"arbor/engine/ops"
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
			text := []byte(strings.Repeat("- A task that is imported\n\n  with what it needs\n", n))
			in := ops.ImportIn{Path: "-", From: "markdown", Into: "root",
				Source: exchange.Source{Read: func(string) ([]byte, error) { return text, nil }}}
			if _, err := ops.Import(t.Context(), w.site.env(), in); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"/", "/plan", "/board", "/activity", "/check"} {
				p.visit(path)
				got := p.eval(`(() => { const n = performance.getEntriesByType("navigation")[0], all = performance.getEntriesByType("resource");
					return [n.transferSize + all.reduce((sum, r) => sum + r.transferSize, 0), 1 + all.filter((r) => r.transferSize).length, Math.round(n.domContentLoadedEventEnd)] })()`).([]any)
				t.Logf("%d nodes, %s: %v bytes, %v requests, interactive after %v ms", n, path, got[0], got[1], got[2])
				if got[0].(float64) > 300e3 || got[1].(float64) > 4 {
					t.Errorf("%d nodes, %s: %v bytes in %v requests", n, path, got[0], got[1])
				}
			}
		})
	}
}
