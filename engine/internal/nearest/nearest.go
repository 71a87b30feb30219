// Package nearest finds the known word that an unknown one most likely means.
package nearest

import "strings"

const longestWord = 40 // bytes; a longer text is not a misspelt word

// Word returns the known word that begins with word (two letters at least), or else the one with the fewest typing
// errors, at most one per three letters; "" if there is none. The case of letters does not matter.
func Word(word string, known []string) string {
	word = strings.ToLower(word)
	if len(word) > longestWord {
		return ""
	}
	best, slips := "", len(word)/3+1
	for _, k := range known {
		if len(word) >= 2 && strings.HasPrefix(strings.ToLower(k), word) {
			return k
		}
		if d := Distance(word, strings.ToLower(k)); d < slips {
			best, slips = k, d
		}
	}
	return best
}

// Distance counts the bytes to add, drop, change or swap with their neighbour to
// make b of a (optimal string alignment).
func Distance(a, b string) int {
	var before, above []int // the two rows over the one being filled
	for i := 0; i <= len(a); i++ {
		current := make([]int, len(b)+1)
		for j := range current {
			switch {
			case i == 0:
				current[j] = j
			case j == 0:
				current[j] = i
			case a[i-1] == b[j-1]:
				current[j] = above[j-1]
			default:
				current[j] = 1 + min(above[j], current[j-1], above[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, above = above, current
	}
	return above[len(b)]
}
