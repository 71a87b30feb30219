package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown reports whether a character shows as what it is. The others are control and format characters, those that turn
// the direction of writing, blanks but U+0020, and all that leave no mark.
func Shown(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= ' ' && r < 0x7f
	case !unicode.IsPrint(r), r == '\u2800', r == '\U0001d159': // two symbols that are blank
		return false
	}
	return !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Escaped returns a text with all of its characters in order. An invisible or misleading character becomes a Go escape,
// such as \u202e, and a byte that is not UTF-8 becomes \xff. With lines, line feeds and tabs at the beginning of a line
// stay. With doubled, a backslash becomes two, so that no text looks like an escape. n is the number of escapes,
// without doubled backslashes.
func Escaped(s string, lines, doubled bool) (text string, n int) {
	var b strings.Builder
	begins := true // at the beginning of a line, where a tab indents it
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		raw := s[i : i+size]
		i += size
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, raw[0])
			n++
		case r == '\\' && doubled:
			b.WriteString(`\\`)
		case Shown(r), lines && (r == '\n' || r == '\t' && begins):
			b.WriteString(raw)
		default:
			b.WriteString(escape(r))
			n++
		}
		begins = r == '\n' || begins && r == '\t'
	}
	return b.String(), n
}

// escape returns the escape of a character.
func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
