package merge

import (
	"strings"

	"arbor/mdstore"
)

// ticks merges the ticks of boxes in texts. At most one side may have changed other words, which are kept; ok is false
// if both did.
func ticks(v [3]string) (merged string, ok bool) {
	words := [3]string{}
	for i, s := range v {
		words[i] = mdstore.Unticked(s)
	}
	to, from := ours, theirs
	switch {
	case words[ours] == words[theirs], words[theirs] == words[base]:
	case words[ours] == words[base]:
		to, from = theirs, ours
	default:
		return "", false
	}
	if words[base] != words[from] { // both added it: it counts as open before
		v[base] = words[from]
	}
	was, is, now := strings.Split(v[base], "\n"), strings.Split(v[from], "\n"), strings.Split(v[to], "\n")
	at := map[string][]int{} // the lines of the result by their words
	for i, line := range now {
		at[mdstore.Unticked(line)] = append(at[mdstore.Unticked(line)], i)
	}
	for i, line := range is {
		w := mdstore.Unticked(line)
		if len(at[w]) == 0 {
			continue // the other side took it away
		}
		k := at[w][0]
		at[w] = at[w][1:]
		if line != was[i] && now[k] == was[i] {
			now[k] = line
		}
	}
	return strings.Join(now, "\n"), true
}
