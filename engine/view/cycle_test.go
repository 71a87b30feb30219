package view

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// The steps of a cycle lead from its first node back to it: each node waits for the next one, contains it, or is inside
// it.
func TestACycleIsSaidAllTheWayRound(t *testing.T) {
	met, nested := 0, 0
	for seed := range uint64(4000) {
		v := plans(rand.New(rand.NewPCG(seed, 9)))
		for _, cycle := range v.DependencyCycles() {
			met++
			says := v.wayOf(cycle)
			at := ""
			first, _, _ := strings.Cut(says[0], " waits for ")
			for _, step := range says {
				from, to, waits := strings.Cut(step, " waits for ")
				if !waits {
					nested++
					from, to, _ = strings.Cut(step, " is inside ")
				}
				switch {
				case at == "" || at == from:
					at = to
				case !waits && at == to: // over when what is inside is
					at = from
				default:
					t.Fatalf("seed %d: %q does not follow from %s in %q", seed, step, at, says)
				}
			}
			if at != first {
				t.Fatalf("seed %d: %q ends at %s", seed, says, at)
			}
		}
	}
	if met < 100 || nested < 50 {
		t.Errorf("%d cycles and %d nodes inside others were met", met, nested)
	}
}
