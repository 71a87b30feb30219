// Package fold folds names and words, so that texts compare equal regardless of case and Unicode form.
package fold

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Name returns a text that two names share which differ only in the case of letters, or in how accents are encoded.
func Name(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// Base returns the letter that r is without its diacritics, and r where it has none.
func Base(r rune) rune {
	d := norm.NFD.PropertiesString(string(r)).Decomposition()
	if d == nil {
		return r
	}
	base, _ := utf8.DecodeRune(d)
	return base
}
