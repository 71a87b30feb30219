package search

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A word is one word of a query, folded. If it begins or ends with a character that joins, it only matches at the
// beginning or end of a word of the text. So a Chinese word is found anywhere in a text, and an English one only as a
// whole.
type word struct {
	text        []byte
	first, last bool // the first and the last character join
}

// wordsOf returns the words of a text, separated by blanks, without the punctuation around them.
func wordsOf(text string) (all []word) {
	for _, f := range bytes.Fields(Fold(nil, []byte(text))) {
		f = bytes.TrimLeftFunc(f, func(r rune) bool { return !shows(r) })
		f = bytes.TrimRightFunc(f, func(r rune) bool { return !shows(r) && r != '#' })
		if len(f) == 0 || len(f) == 1 && !joins(rune(f[0])) {
			continue
		}
		r, _ := utf8.DecodeRune(f)
		s, _ := utf8.DecodeLastRune(f)
		all = append(all, word{f, joins(r), joins(s)})
	}
	return all
}

// shows reports whether r can begin or end a word of a query: a letter, a digit, a sign such as + or one of emoji.
func shows(r rune) bool {
	return spells(r) || unicode.In(r, unicode.So, unicode.Sm, unicode.Sc)
}

// spells reports whether r is part of a word in any script.
func spells(r rune) bool { return joins(r) || unspaced(r) && !unicode.IsPunct(r) }

// next returns the offset of the word in a folded text, at or after an offset, or -1. A prefix matches longer words
// too.
func (w *word) next(text []byte, from int, prefix bool) int {
	for {
		i := bytes.Index(text[from:], w.text)
		if i < 0 {
			return -1
		}
		if from += i; w.at(text, from, prefix) {
			return from
		}
		from++
	}
}

// at reports whether the word, whose bytes are at i, begins and ends there like a word.
func (w *word) at(text []byte, i int, prefix bool) bool {
	if w.first && i > 0 {
		if r, _ := utf8.DecodeLastRune(text[:i]); joins(r) {
			return false
		}
	}
	return prefix || !w.last || !joinsAt(text, i+len(w.text))
}

// apart separates texts; no phrase matches across it.
const apart = 0

func joinsAt(text []byte, i int) bool {
	if i == len(text) {
		return false
	}
	r, _ := utf8.DecodeRune(text[i:])
	return joins(r)
}

// next returns the place of the term's words in a folded text, at or after an offset: in order, with only punctuation
// and blanks between them. start is -1 if there is none.
func (t *Term) next(text []byte, from int) (start, end int) {
	for {
		start = t.words[0].next(text, from, t.prefix && len(t.words) == 1)
		if start < 0 {
			return -1, -1
		}
		if end = t.rest(text, start+len(t.words[0].text)); end >= 0 {
			return start, end
		}
		from = start + 1
	}
}

// rest returns the end of a phrase's words after the first one, or -1 if they do not follow it.
func (t *Term) rest(text []byte, at int) int {
	for i := 1; i < len(t.words); i++ {
		w := &t.words[i]
		for !bytes.HasPrefix(text[at:], w.text) || !w.at(text, at, false) {
			r, n := utf8.DecodeRune(text[at:])
			if n == 0 || spells(r) || r == apart {
				return -1
			}
			at += n
		}
		at += len(w.text)
	}
	return at
}

// whole reports whether a folded text has the term, and not only as the beginning of a longer word.
func (t *Term) whole(text []byte) bool {
	for at := 0; at < len(text); {
		start, end := t.next(text, at)
		if start < 0 {
			return false
		}
		if !t.prefix || !t.words[0].last || !joinsAt(text, end) {
			return true
		}
		at = end
	}
	return false
}

// count returns how often the term occurs in a folded text. A match that is only the beginning of a word counts half.
func (t *Term) count(text []byte) (n float32) {
	for at := 0; at < len(text); {
		start, end := t.next(text, at)
		if start < 0 {
			break
		}
		if n++; t.prefix && t.words[0].last && joinsAt(text, end) {
			n -= 0.5
		}
		at = end
	}
	return n
}
