//go:build unix

package main

import (
	"io"
	"slices"
	"testing"
)

// A row fails that is too slow three times; one that was slow while the machine was busy does not.
func TestARowFailsThatIsTooSlowThreeTimes(t *testing.T) {
	for _, c := range []struct {
		ratios []float64
		over   bool
	}{
		{[]float64{1.0}, false},
		{[]float64{1.5}, false},
		{[]float64{9, 1.4}, false},
		{[]float64{9, 1.6, 1.2}, false},
		{[]float64{1.6, 1.7, 1.51}, true},
	} {
		left := c.ratios
		over := slower(io.Discard, []watched{{"row", func() float64 {
			r := left[0] // no more is measured than that
			left = left[1:]
			return r
		}}})
		if (len(over) > 0) != c.over || len(left) > 0 {
			t.Errorf("%v: over are %v, not measured are %v", c.ratios, over, left)
		}
	}
}

// Allocations fail at once; what the baseline has not is no comparison.
func TestMoreAllocationsFail(t *testing.T) {
	now := map[string]float64{"same": 100, "less": 10, "a bit more": 110, "more": 111, "new": 5000}
	before := map[string]float64{"same": 100, "less": 100, "a bit more": 100, "more": 100, "gone": 7}
	if over := larger(io.Discard, now, before); !slices.Equal(over, []string{"more, allocations"}) {
		t.Errorf("over are %v", over)
	}
}
