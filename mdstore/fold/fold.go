// Package fold compares what people write by what it says: names and words.
package fold

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Name returns a text that two names share which differ only in the case of letters, or in how accents are encoded.
func Name(s string) string { return strings.ToLower(norm.NFC.String(s)) }
