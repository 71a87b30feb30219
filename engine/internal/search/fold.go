package search

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"arbor/mdstore/fold"
)

// Text is compared folded: in lower case, without diacritics, format characters and the marks of combination, and with
// the letters of one width. A text reads the same in every form of normalization.

// letters has groups: a letter, and then a letter that compares equal to it and that Unicode does not decompose into a
// letter and a mark.
const letters = "dđ hħ iı lł oø tŧ sſ σς"

// tableSize is the first character beyond the table: those with a diacritic of Latin, Greek and Cyrillic lie below it.
const tableSize = 0x2000

// table returns the folded form of each character below tableSize; 0 means that the character is ignored.
var table = sync.OnceValue(func() *[tableSize]rune {
	var t [tableSize]rune
	base := map[rune]rune{}
	first := rune(0)
	for _, r := range letters {
		switch {
		case r == ' ':
			first = 0
		case first == 0:
			first = r
		default:
			base[r] = first
		}
	}
	for r := range rune(tableSize) {
		t[r] = unicode.ToLower(fold.Base(r))
		if b, ok := base[t[r]]; ok {
			t[r] = b
		}
		if unicode.In(r, unicode.Mn, unicode.Cf) {
			t[r] = 0
		}
	}
	t['ʼ'] = '\''
	return &t
})

// The voicing marks, which change the kana before them, as in the composed characters.
const (
	voiced     = 0x3099
	halfVoiced = 0x309a
)

// Fold appends the folded form of text, in which texts are compared, to dst.
func Fold(dst, text []byte) []byte {
	t := table()
	dst = slices.Grow(dst, len(text))
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		if c >= 0xe4 && c <= 0xe9 && i+2 < len(text) && text[i+1]&0xc0 == 0x80 && text[i+2]&0xc0 == 0x80 { // Han
			dst = append(dst, c, text[i+1], text[i+2])
			i += 3
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		i += n
		dst = appendFolded(dst, r, t)
	}
	return dst
}

func appendFolded(dst []byte, r rune, t *[tableSize]rune) []byte {
	if fold.Jamo(r) {
		last, n := utf8.DecodeLastRune(dst)
		if s, ok := fold.Syllable(last, r); ok {
			return utf8.AppendRune(dst[:len(dst)-n], s)
		}
	}
	if r < tableSize {
		switch f := t[r]; f {
		case 0:
			return dst
		case 'ß':
			return append(dst, "ss"...)
		case 'æ':
			return append(dst, "ae"...)
		case 'œ':
			return append(dst, "oe"...)
		default:
			return utf8.AppendRune(dst, f)
		}
	}
	switch {
	case r == voiced || r == halfVoiced:
		last, n := utf8.DecodeLastRune(dst)
		if last >= 'か' && last <= 'ほ' || last >= 'カ' && last <= 'ホ' {
			return utf8.AppendRune(dst[:len(dst)-n], last+r-voiced+1)
		}
		return dst
	case r == '\u2018' || r == '\u2019' || r == '\uff07':
		r = '\''
	case r == '\u2010' || r == '\u2011':
		r = '-'
	case r >= '｡' && r <= 'ﾟ':
		return appendFolded(dst, fold.Wide(r), t)
	case r >= '！' && r <= '～':
		r = unicode.ToLower(r - '！' + '!')
	case unicode.In(r, unicode.Mn, unicode.Cf):
		return dst
	default:
		r = unicode.ToLower(r)
		if r < tableSize { // signs of units
			return appendFolded(dst, r, t)
		}
	}
	return utf8.AppendRune(dst, r)
}

// foldMap returns text as it is compared, and for each byte of that the offset of the character that it comes from.
func foldMap(text string) (folded []byte, from []int) {
	for i, r := range text {
		folded = appendFolded(folded, r, table())
		for len(from) < len(folded) {
			from = append(from, i)
		}
	}
	return folded, from
}

// unspaced reports whether r is of a script that is written without blanks between words: Chinese, Japanese, Korean
// with their signs of sound, Thai, Lao, Khmer, Burmese.
func unspaced(r rune) bool {
	switch {
	case r < 0xe00:
		return false
	case r <= 0xeff, r >= 0x1000 && r <= 0x11ff, r >= 0x1780 && r <= 0x17ff:
		return r < 0x10a0 || r >= 0x1100 // Georgian is in between
	case r < 0x2e80:
		return false
	}
	return r < 0x3000 || r > 0x3004 && r <= 0xa4cf && !(r >= 0x3008 && r <= 0x3030) || r >= 0xa960 && r <= 0xa97f || r >= 0xac00 && r <= 0xd7ff ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xff66 && r <= 0xffdc || r >= 0x20000 && r <= 0x3ffff
}

// joins reports whether r belongs to the word of its neighbours: a letter, a digit or an underscore of a script that is
// written with blanks.
func joins(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mc, r)) && !unspaced(r)
}
