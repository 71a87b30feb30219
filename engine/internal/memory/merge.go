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

// A Left is an entry that a merge leaves out, and the kept one that it resembles. If the two texts differ, it has both,
// from just before the first difference.
type Left struct {
	Slot     string     `json:"slot"`
	EntryID  mdstore.ID `json:"entryId"`
	Like     mdstore.ID `json:"like"`
	Text     string     `json:"text,omitempty"`
	LikeText string     `json:"likeText,omitempty"`
}

// Merge returns the entries of slots by time, those of one time in the order of the sources, without those of slots
// that stay. Of two texts with at least this similarity, it leaves out the earlier one, because the later one may
// correct it. It leaves out no entry of a slot that stays, and always a text that such a slot has. The similarity is 1
// for equal texts, less for others, and 0 for texts without a common word.
func Merge(sources []Source, similarity float64) (kept []mdstore.SlotEntry, left []Left) {
	type entry struct {
		mdstore.SlotEntry
		of       Source
		shingles int
	}
	var all, later []*entry
	equal := map[string]*entry{} // the kept entry with a text
	for _, s := range sources {
		for _, e := range s.Entries {
			all = append(all, &entry{SlotEntry: e, of: s})
			if s.Stays {
				equal[e.Text] = all[len(all)-1]
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *entry) int { return a.Time.Compare(b.Time) })
	having := map[string][]int{} // the later entries that have a shingle
	for _, e := range slices.Backward(all) {
		own, common := shingles(e.Text), make([]int, len(later))
		for _, s := range own {
			for _, i := range having[s] {
				common[i]++
			}
		}
		like, most := equal[e.Text], 0.0
		for i := 0; i < len(later) && equal[e.Text] == nil; i++ {
			alike := min(0.999, 2*float64(common[i])/float64(len(own)+later[i].shingles))
			if common[i] > 0 && alike >= similarity && alike > most {
				like, most = later[i], alike
			}
		}
		if like != nil && !e.of.Stays {
			out := Left{Slot: e.of.Slot, EntryID: e.ID, Like: like.ID}
			out.Text, out.LikeText = apart(e.Text, like.Text)
			left = append(left, out)
			continue
		}
		for _, s := range own {
			having[s] = append(having[s], len(later))
		}
		e.shingles = len(own)
		if equal[e.Text] == nil {
			equal[e.Text] = e
		}
		if later = append(later, e); !e.of.Stays {
			kept = append(kept, e.SlotEntry)
		}
	}
	slices.Reverse(kept)
	slices.Reverse(left)
	return kept, left
}

// apart returns two texts from just before the place where they differ on, with an ellipsis for what is cut; "" for
// equal ones.
func apart(a, b string) (string, string) {
	if a == b {
		return "", ""
	}
	const before, most = 40, 160 // characters
	x, y := []rune(a), []rune(b)
	from := 0
	for from < min(len(x), len(y)) && x[from] == y[from] {
		from++
	}
	if from -= before; from < before {
		from = 0
	}
	cut := func(text []rune) string {
		out := string(text[from:min(len(text), from+most)])
		if from > 0 {
			out = "…" + out
		}
		if from+most < len(text) {
			out += "…"
		}
		return out
	}
	return cut(x), cut(y)
}

// shingles returns the pairs of neighbours among a text's words, and the first and last word, each with how often it
// came before.
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
