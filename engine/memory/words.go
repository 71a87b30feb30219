package memory

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"arbor/mdstore"
)

// words returns the words of a text in lower case: runs of letters, marks and digits, and each character of Chinese,
// Japanese and Korean by itself.
func words(text string) []string {
	text = strings.ToLower(text)
	var out []string
	start := -1 // of the word that is being read
	end := func(at int) {
		if start >= 0 {
			out = append(out, text[start:at])
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case east(r):
			end(i)
			out = append(out, string(r))
		case !unicode.In(r, unicode.L, unicode.M, unicode.N):
			end(i)
		case start < 0:
			start = i
		}
	}
	end(len(text))
	return out
}

// east reports whether a character is of a script without spaces between words, or of Korean, where a word has many
// endings.
func east(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// terms returns what a text is about: its words but the most common ones, and the pairs of neighbours among its Chinese,
// Japanese and Korean characters.
func terms(text string) []string {
	var out []string
	for part := range strings.FieldsFuncSeq(text, stops) {
		before := ""
		for _, w := range words(part) {
			if r, n := utf8.DecodeRuneInString(w); n == len(w) && east(r) {
				if before != "" {
					out = append(out, before+w)
				}
				before = w
				continue
			}
			if before = ""; len(w) > 1 && !stopWords[w] {
				out = append(out, w)
			}
		}
	}
	return out
}

// stops reports whether a character parts what is said before it from what is said after it.
func stops(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.M, unicode.N) || strings.ContainsRune("的了是在和与就都而及着或也这那一不我你他她它们", r)
}

var stopWords = func() map[string]bool {
	const list = `a about after all also am an and any are as at be because been before being but by can could did do
does don for from get got had has have he her here him his how i if in into is it its just like ll make me more most my no
not now of off on one only or other our out over re same she should so some such than that the their them then there these
they this those to too up us use ve very was we were what when where which while who why will with would you your`
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}()

// keywords returns the terms that entries have at least twice, the most frequent first, ten at most.
func keywords(entries []mdstore.SlotEntry) []string {
	count := map[string]int{}
	for _, e := range entries {
		for _, w := range terms(e.Text) {
			count[w]++
		}
	}
	maps.DeleteFunc(count, func(_ string, n int) bool { return n < 2 })
	all := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	return all[:min(len(all), 10)]
}
