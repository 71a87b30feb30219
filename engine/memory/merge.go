package memory

import (
	"slices"
	"strconv"

	"arbor/mdstore"
)

// A Source is a slot whose entries a merge takes.
type Source struct {
	Slot    string
	Stays   bool // it is the slot that the others are merged into: none of its entries is left out
	Entries []mdstore.SlotEntry
}

// A Left is an entry that a merge leaves out, and the one that it resembles.
type Left struct {
	Slot    string     `json:"slot"`
	EntryID mdstore.ID `json:"entryId"`
	Like    mdstore.ID `json:"like"`
}

// Merge returns the entries of slots by time, those of one time in the order of the sources, without those of slots
// that stay. Of two texts with at least this similarity, it leaves out the later one, or the one outside of a slot that
// stays; it leaves out no entry of a slot that stays. The similarity is 1 for equal texts, less for others, and 0 for
// texts without a common word.
func Merge(sources []Source, similarity float64) (kept []mdstore.SlotEntry, left []Left) {
	type entry struct {
		mdstore.SlotEntry
		of       Source
		shingles int
		kept     bool
	}
	var all, taken []*entry
	for _, s := range sources {
		for _, e := range s.Entries {
			all = append(all, &entry{SlotEntry: e, of: s})
		}
	}
	slices.SortStableFunc(all, func(a, b *entry) int { return a.Time.Compare(b.Time) })
	having := map[string][]int{} // the taken entries that have a shingle
	equal := map[string]*entry{} // the entry with that text that is kept
	for _, stays := range []bool{true, false} {
		for _, e := range all {
			if e.of.Stays != stays {
				continue
			}
			own, common := shingles(e.Text), make([]int, len(taken))
			for _, s := range own {
				for _, i := range having[s] {
					common[i]++
				}
			}
			like, most := equal[e.Text], 0.0
			for i := 0; i < len(taken) && equal[e.Text] == nil; i++ {
				alike := min(0.999, 2*float64(common[i])/float64(len(own)+taken[i].shingles))
				if common[i] > 0 && alike >= similarity && alike > most {
					like, most = taken[i], alike
				}
			}
			if like != nil && !stays {
				left = append(left, Left{e.of.Slot, e.ID, like.ID})
				continue
			}
			for _, s := range own {
				having[s] = append(having[s], len(taken))
			}
			e.kept, e.shingles, equal[e.Text] = true, len(own), e
			taken = append(taken, e)
		}
	}
	for _, e := range all {
		if e.kept && !e.of.Stays {
			kept = append(kept, e.SlotEntry)
		}
	}
	return kept, left
}

// shingles returns the pairs of neighbours among a text's words, and the first and last word, each with how often it came
// before.
func shingles(text string) (out []string) {
	seen, before := map[string]int{}, ""
	for _, w := range append(words(text), "") {
		if pair := before + " " + w; pair != " " {
			out = append(out, pair+" "+strconv.Itoa(seen[pair]))
			seen[pair]++
		}
		before = w
	}
	return out
}
