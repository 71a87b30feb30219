// Package fold folds names and words, so that texts compare equal regardless of case and Unicode form.
package fold

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Name returns a text that two names share which differ only in the case of letters, or in how accents are encoded.
func Name(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// Composed returns a text that two names share which differ only in how accents are encoded.
func Composed(s string) string { return norm.NFC.String(s) }

// Base returns the letter that r is without its diacritics, and r where it has none.
func Base(r rune) rune {
	d := norm.NFD.PropertiesString(string(r)).Decomposition()
	if d == nil {
		return r
	}
	base, _ := utf8.DecodeRune(d)
	return base
}

// Jamo reports whether r is a vowel or final consonant of Korean, which joins the letter before it.
func Jamo(r rune) bool { return r >= 0x1161 && r <= 0x1175 || r >= 0x11a8 && r <= 0x11c2 }

// Syllable returns the Korean syllable that a and the vowel or final consonant b make together.
func Syllable(a, b rune) (rune, bool) {
	s := []rune(norm.NFC.String(string([]rune{a, b})))
	return s[0], len(s) == 1
}

// Wide returns the letter of full width for a Japanese letter or sign of half width.
func Wide(r rune) rune {
	wide, _ := utf8.DecodeRuneInString(norm.NFKC.String(string(r)))
	return wide
}
