package ops

import (
	"strings"

	"arbor/statemachine"
)

// Nearest returns the known word that an unknown one most likely means: one that begins with it, else the one with the
// fewest slips, at most one per three letters; "" for none.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	if len(word) > 40 {
		return ""
	}
	best, slips := "", len(word)/3+1
	for _, k := range known {
		if len(word) >= 2 && strings.HasPrefix(strings.ToLower(k), word) {
			return k
		}
		if d := statemachine.Distance(word, strings.ToLower(k)); d < slips {
			best, slips = k, d
		}
	}
	return best
}
