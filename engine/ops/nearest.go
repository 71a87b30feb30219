package ops

import "strings"

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
		if d := slipsBetween(word, strings.ToLower(k)); d < slips {
			best, slips = k, d
		}
	}
	return best
}

// slipsBetween counts the letters to add, drop, change or swap with their neighbour to make one word of the other.
func slipsBetween(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
