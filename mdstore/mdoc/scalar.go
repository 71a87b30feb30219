package mdoc

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// A Scalar is a value to be written into the front matter. The zero Scalar is null.
type Scalar struct {
	kind Kind
	text string
	bare bool // a text that needs no quotes
	gone bool // no value, and no key either
	deep bool // a list or mapping that is no list of texts; see Of
}

// Typed returns the value of s as a person types it after a key: a number, true or false, a date, or else the text s.
func Typed(s string) Scalar {
	whole, fraction, float := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	switch {
	case isNumber(whole) && (whole == "0" || whole[0] != '0') && len(whole) < 17 && (!float || isNumber(fraction)):
		if float {
			return Scalar{kind: Float, text: s}
		}
		return Scalar{kind: Int, text: s}
	case len(s) == len("2006-01-02") && s[4] == '-' && s[7] == '-' && isNumber(s[:4]+s[5:7]+s[8:]):
		return Date(s)
	case s == "true" || s == "false":
		return Scalar{kind: Bool, text: s}
	}
	return Text(s)
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// As returns the value adapted to the kind that the key had: if it was a text, a number becomes a text too.
func (v Scalar) As(was Kind) Scalar {
	if was == String && v.kind != String && v.kind != Null && v.kind != Nested && !v.gone {
		return Text(v.text)
	}
	return v
}

// Text returns the scalar that reads back as the string s. SetField and Compose refuse a text that is not valid UTF-8,
// and no other.
func Text(s string) Scalar { return Scalar{kind: String, text: s} }

// Date returns the scalar of a date in the form 2006-01-02. It is written without quotes, so that other programs take
// it for a date.
func Date(s string) Scalar { return Scalar{kind: String, text: s, bare: true} }

// Integer returns the scalar n.
func Integer(n int64) Scalar { return Scalar{kind: Int, text: strconv.FormatInt(n, 10)} }

// Boolean returns the scalar true or false.
func Boolean(b bool) Scalar { return Scalar{kind: Bool, text: strconv.FormatBool(b)} }

// Number returns the scalar f, without a fraction if f is whole. f must be finite.
func Number(f float64) Scalar {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return Integer(int64(f))
	}
	form := byte('g')
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		form = 'f' // as people write it
	}
	s := strconv.FormatFloat(f, form, -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0" // otherwise it would read as an integer
	}
	return Scalar{kind: Float, text: s}
}

// String returns the scalar's text, without quotes; "null" for null.
func (v Scalar) String() string {
	if v.kind == Null {
		return "null"
	}
	return v.text
}

// NullValue returns the scalar null.
func NullValue() Scalar { return Scalar{} }

// Removed returns what SetField takes for removing the key with its value.
func Removed() Scalar { return Scalar{gone: true} }

// Scalar returns the field's value, to be written elsewhere. SetField and Compose refuse the value of a list or
// mapping.
func (f Field) Scalar() Scalar { return Scalar{kind: f.Kind, text: f.Value} }

// Equal reports whether the field has this value, however it is written. It is false for a list or a mapping.
func (v Scalar) Equal(f Field) bool {
	return v.kind == f.Kind && v.text == f.Value && f.Kind != Nested && !v.gone
}

// literal returns the scalar as it is written on one line, quoted as style says if the
// text allows it. Style 0 quotes only if necessary.
func (v Scalar) literal(style yaml.Style) string {
	switch {
	case v.kind == Null:
		return "null"
	case v.kind != String, v.bare:
		return v.text
	case style&yaml.SingleQuotedStyle != 0 && printable(v.text):
		return "'" + strings.ReplaceAll(v.text, "'", "''") + "'"
	case style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 && plainText(v.text):
		return v.text
	}
	return quoteDouble(v.text)
}

// otherThanText are words that some version of YAML does not read as text.
var otherThanText = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

// plainText reports whether s without quotes is the same text for every reader of
// YAML, also for those that read yes, 12:30 or 2026-01-01 as something else.
func plainText(s string) bool {
	if s == "" || s != strings.Trim(s, " ") || plainEnd(s) != len(s) || !printable(s) {
		return false
	}
	if slices.Contains(otherThanText, strings.ToLower(s)) {
		return false
	}
	if c := s[0]; c >= '0' && c <= '9' {
		// A letter that is in no number, date or time makes it a text.
		return strings.IndexFunc(s, func(r rune) bool {
			return r >= utf8.RuneSelf || unicode.IsLetter(r) && !strings.ContainsRune("eboxtzEBOXTZ", r)
		}) >= 0 && readsPlain(s)
	}
	_, ok := plainValue(s)
	return ok
}

// readsPlain reports whether the YAML parser reads s without quotes as the text s.
func readsPlain(s string) bool {
	root, err := decodeYAML([]byte("k: " + s + "\n"))
	if err != nil || root == nil || len(root.Content) != 2 {
		return false
	}
	v := root.Content[1]
	return v.Kind == yaml.ScalarNode && v.Tag == "!!str" && v.Style == 0 && v.Value == s && v.LineComment == ""
}

func quoteDouble(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unprintable(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// blockText returns s as the lines of a block scalar indented by indent, and its
// indicator; ok is false if no block scalar can hold s.
func blockText(s string, style yaml.Style, indent, eol string) (indicator, lines string, ok bool) {
	body := strings.TrimRight(s, "\n")
	tail := len(s) - len(body)
	if body == "" || body[0] == ' ' || indent == "" {
		return "", "", false
	}
	indicator = "|"
	all := strings.Split(body, "\n")
	if style&yaml.FoldedStyle != 0 && len(all) == 1 {
		indicator = ">"
	}
	switch tail {
	case 0:
		indicator += "-"
	case 1:
	default:
		return "", "", false
	}
	var b strings.Builder
	for _, line := range all {
		if !printable(line) || line != "" && blank([]byte(line)) {
			return "", "", false
		}
		b.WriteString(eol)
		if line != "" {
			b.WriteString(indent)
			b.WriteString(line)
		}
	}
	return indicator, b.String(), true
}
