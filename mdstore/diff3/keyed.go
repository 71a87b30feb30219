package diff3

import (
	"cmp"
	"slices"
	"strings"
)

// An Item is an element of a list whose elements are told apart by keys. Of several with one key the first is the same as the first
// in another list, and so on.
type Item struct {
	Key   string
	Rank  string // of two items that both sides added at one place the one of the lower rank comes first
	Value string // what tells whether an item was changed
}

// A Pick is an element of a merged list: where it is in each of the three, -1 where it is not there.
type Pick struct{ Base, Ours, Theirs int }

// Keyed joins the changes that ours and theirs made to a list. What one side removed is removed, unless the other side changed it. The
// order does not depend on which side is ours: items keep the order that both sides have, or else that of the side that moved them;
// and items that both sides added at one place are in the order of their ranks.
func Keyed(base, ours, theirs []Item) []Pick {
	b, o, t := placed(base), placed(ours), placed(theirs)
	in := func(at map[string]int, key string) int {
		if i, ok := at[key]; ok {
			return i
		}
		return -1
	}
	stays := func(items []Item, i int, key string) bool { // in one side only
		was := in(b, key)
		return was < 0 || base[was].Value != items[i].Value
	}
	both := func(at, other map[string]int, n int) []string {
		keys := make([]string, n)
		for k, i := range at {
			keys[i] = k
		}
		return slices.DeleteFunc(keys, func(k string) bool { return in(other, k) < 0 })
	}
	mine, other := both(o, t, len(ours)), both(t, o, len(theirs))
	order := mine
	if !slices.Equal(mine, other) {
		was := both(b, o, len(base))
		was = slices.DeleteFunc(was, func(k string) bool { return in(t, k) < 0 })
		kept := func(keys []string) bool {
			return slices.Equal(slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return in(b, k) < 0 }), was)
		}
		if k, k2 := kept(mine), kept(other); k && !k2 || k == k2 && slices.Compare(other, mine) < 0 {
			order = other
		}
	}
	// after has the items that only one side has, by the item of both that they stand behind.
	after := func(items []Item, at, other map[string]int) map[string][]string {
		keys, out, last := make([]string, len(items)), map[string][]string{}, ""
		for k, i := range at {
			keys[i] = k
		}
		for i, k := range keys {
			if in(other, k) >= 0 {
				last = k
			} else if stays(items, i, k) {
				out[last] = append(out[last], k)
			}
		}
		return out
	}
	behind, behind2 := after(ours, o, t), after(theirs, t, o)
	var out []Pick
	add := func(key string) { out = append(out, Pick{in(b, key), in(o, key), in(t, key)}) }
	gap := func(key string) {
		x, y := behind[key], behind2[key]
		first := slices.Compare(x, y) // one side goes first wherever ranks are equal
		for len(x) > 0 || len(y) > 0 {
			if len(y) == 0 || len(x) > 0 && cmp.Or(cmp.Compare(ours[o[x[0]]].Rank, theirs[t[y[0]]].Rank), first) < 0 {
				add(x[0])
				x = x[1:]
			} else {
				add(y[0])
				y = y[1:]
			}
		}
	}
	gap("")
	for _, key := range order {
		add(key)
		gap(key)
	}
	return out
}

// placed returns where each key is. The second item of a key has another key, and so on.
func placed(items []Item) map[string]int {
	at := make(map[string]int, len(items))
	met := map[string]int{}
	for i, it := range items {
		met[it.Key]++
		at[it.Key+strings.Repeat("\x00", met[it.Key])] = i
	}
	return at
}
