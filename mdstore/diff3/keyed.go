package diff3

import (
	"cmp"
	"slices"
)

// An Item is an element of a list whose elements are told apart by keys. Of several with one key the first is the
// same as the first in another list, and so on.
type Item struct {
	Key   string
	Rank  string // if both sides added items at one place, the lower rank comes first
	Value string // compared to see whether an item was changed
}

// A Pick is an element of a merged list: its index in each of the three lists, or -1.
type Pick struct{ Base, Ours, Theirs int }

// Keyed joins the changes that ours and theirs made to a list. What one side removed is removed, unless the other
// side changed it. The order does not depend on which side is ours: items keep the order that both sides have, or
// else that of the side that moved them; and items that both sides added at one place are in the order of their
// ranks.
func Keyed(base, ours, theirs []Item) []Pick {
	lists := [3][]Item{base, ours, theirs}
	var keys [3][]string
	var at [3]map[string]int
	for i, items := range lists {
		at[i] = make(map[string]int, len(items))
		for _, it := range items {
			key := it.Key
			for has := true; has; _, has = at[i][key] {
				key += "\x00"
			}
			at[i][key] = len(keys[i])
			keys[i] = append(keys[i], key)
		}
	}
	in := func(i int, key string) int {
		if k, ok := at[i][key]; ok {
			return k
		}
		return -1
	}
	common := func(of []string, i int) []string {
		return slices.DeleteFunc(slices.Clone(of), func(k string) bool { return in(i, k) < 0 })
	}
	order, other := common(keys[1], 2), common(keys[2], 1)
	if !slices.Equal(order, other) {
		was := common(common(keys[0], 1), 2)
		moved, moved2 := !slices.Equal(common(order, 0), was), !slices.Equal(common(other, 0), was)
		if moved2 && !moved || moved == moved2 && slices.Compare(other, order) < 0 {
			order = other
		}
	}
	// alone returns the items that side i has and the other lacks, by the item before them that both have.
	alone := func(i int) map[string][]string {
		out, last := map[string][]string{}, ""
		for _, k := range keys[i] {
			if in(3-i, k) >= 0 {
				last = k
			} else if was := in(0, k); was < 0 || base[was].Value != lists[i][in(i, k)].Value {
				out[last] = append(out[last], k)
			}
		}
		return out
	}
	alone1, alone2 := alone(1), alone(2)
	var out []Pick
	for _, key := range append([]string{""}, order...) {
		if key != "" {
			out = append(out, Pick{in(0, key), in(1, key), in(2, key)})
		}
		x, y := alone1[key], alone2[key]
		first := slices.Compare(x, y) // with equal ranks, the same side always comes first
		for len(x) > 0 || len(y) > 0 {
			from := &y
			if len(y) == 0 || len(x) > 0 && cmp.Or(cmp.Compare(ours[in(1, x[0])].Rank, theirs[in(2, y[0])].Rank), first) < 0 {
				from = &x
			}
			k := (*from)[0]
			*from = (*from)[1:]
			out = append(out, Pick{in(0, k), in(1, k), in(2, k)})
		}
	}
	return out
}
