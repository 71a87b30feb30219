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
func words(text string) (out []string) {
	text = strings.ToLower(text)
	start := -1 // the start of the word that is being read
	for i, r := range text + " " {
		inside := unicode.In(r, unicode.L, unicode.M, unicode.N)
		if start >= 0 && (!inside || eastern(r)) {
			out = append(out, text[start:i])
			start = -1
		}
		if eastern(r) {
			out = append(out, string(r))
		} else if inside && start < 0 {
			start = i
		}
	}
	return out
}

// eastern reports whether a character is of a script without spaces between words, or of Korean, where words have many
// endings.
func eastern(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// terms returns what a text is about: its words without the most common ones, and of Chinese, Japanese and Korean the
// pairs of neighbours.
func terms(text string) (out []string) {
	before := ""
	for _, w := range words(text) {
		first, _ := utf8.DecodeRuneInString(w)
		switch {
		case stopWords[w]:
			w = ""
		case eastern(first) && before != "":
			out = append(out, before+w)
		case !eastern(first) && len(w) > 1:
			out = append(out, w)
		}
		if before = w; !eastern(first) {
			before = ""
		}
	}
	return out
}

var stopWords = func() map[string]bool {
	const list = `a about after all also am an and any are as at be because been before being but by can could did do
does don for from get got had has have he her here him his how i if in into is it its just like ll make me more most my no
not now of off on one only or other our out over re same she should so some such than that the their them then there these
they this those to too up us use ve very was we were what when where which while who why will with would you your
的 了 是 在 和 与 就 都 而 及 着 或 也 这 那 一 不 我 你 他 她 它 们`
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
