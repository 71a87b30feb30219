package statemachine

const longestWord = 24 // bytes; longer text is nobody's slip of the pen

// Nearest returns the action that a caller most likely meant by a word: one
// that the word begins with or is the beginning of (three letters at least,
// "cancelled", "comp"), else the one with the fewest slips, at most one per
// three letters. The case of letters does not matter.
func Nearest(word string) (Action, bool) {
	if len(word) > longestWord {
		return "", false
	}
	w := lower(word)
	best, slips := Action(""), len(w)/3+1
	for _, a := range Actions() {
		if n := min(len(w), len(a)); n >= 3 && w[:n] == string(a[:n]) {
			return a, true
		}
		if d := Distance(w, string(a)); d < slips {
			best, slips = a, d
		}
	}
	return best, best != ""
}

// Distance counts the letters to add, drop, change or swap with their
// neighbour to make one word of the other (optimal string alignment). It looks at bytes.
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

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
