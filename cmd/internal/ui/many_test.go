package ui

import (
	"testing"

	"arbor/engine/enginetest"
)

// many returns a screen over a plan of so many nodes.
func many(t testing.TB, n int) *screen {
	t.Helper()
	s := &screen{t: t, world: enginetest.New(t, enginetest.Sized(n)).Engine}
	s.start(200, 50)
	s.press("tab", "tab", "tab")
	return s
}

// A key makes the program draw what is visible, however large the plan is.
func TestOnlyVisibleRowsAreDrawn(t *testing.T) {
	cost := func(s *screen) float64 {
		s.press("pgdown")
		return testing.AllocsPerRun(20, func() {
			for _, k := range []string{"j", "k"} {
				s.Update(pressed(k)) // the node beside it is read by a command, which no key waits for
				s.draw()
			}
		})
	}
	small, large := cost(many(t, 200)), cost(many(t, 1000))
	t.Logf("%.0f allocations at 200 nodes, %.0f at 1,000", small, large)
	if large > 2*small {
		t.Errorf("two keys take %.0f allocations at 1,000 nodes and %.0f at 200", large, small)
	}
}

// At 10,000 nodes a key is answered within 50 ms.
func BenchmarkKeys(b *testing.B) {
	s := many(b, 10000)
	for _, bb := range []struct {
		name string
		keys []string
	}{
		{"cursor", []string{"j", "k"}},
		{"screen", []string{"pgdown", "pgup"}},
		{"ends", []string{"G", "g"}},
		{"fold all", []string{"z", "z"}},
		{"board", []string{"tab", "j", "k", "l", "h", "shift+tab"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				for _, k := range bb.keys {
					s.Update(pressed(k))
					s.draw()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(bb.keys)), "µs/key")
		})
	}
	b.Run("filter", func(b *testing.B) { // a letter is shown at once; the plan that matches follows
		for b.Loop() {
			s.press("/", "=is:ready", "esc")
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*10), "µs/key")
	})
	b.Run("work", func(b *testing.B) { // a node is started, and that is undone
		s := &screen{t: b, world: enginetest.Open(b, enginetest.OpenDir(b, enginetest.Place(b, enginetest.Sized(10000))))}
		s.start(200, 50)
		s.press("G")
		for b.Loop() {
			for _, k := range []string{"s", "u"} {
				s.press(k)
				s.draw()
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*2), "µs/key")
	})
	b.Run("others", func(b *testing.B) { // a change by another program: the plan is loaded again
		for b.Loop() {
			s.send(happened{})
			s.draw()
		}
	})
}
