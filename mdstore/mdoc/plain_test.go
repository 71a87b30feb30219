package mdoc

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plainEqualsYAML fails unless the YAML parser reads the same fields and spans as the scan of
// plain lines, and the library by itself the same values, if the scan accepts the front
// matter. It reports whether it does.
func plainEqualsYAML(t interface {
	Helper()
	Fatalf(string, ...any)
}, front string) bool {
	t.Helper()
	src := []byte(front)
	s := Span{0, len(src)}
	fields, ok := scanPlain(src, s)
	if !ok {
		return false
	}
	yamlSays(t, front, fields)
	f, problem := parseFront(src, s)
	if problem != nil || f.lenient || len(f.duplicates()) > 0 {
		t.Fatalf("the scan accepts %q, the parser says %v (lenient %t)", front, problem, f.lenient)
	}
	got := f.fields()
	if len(got) != len(fields) {
		t.Fatalf("%q\n scan %+v\n yaml %+v", front, fields, got)
	}
	for i := range got {
		if got[i] != fields[i] {
			t.Fatalf("%q\n scan %+v\n yaml %+v", front, fields[i], got[i])
		}
	}
	return true
}

// Pieces of lines, valid and invalid.
var (
	plainKeys   = []string{"id", "title", "status", "a-b", "_x", "y", "null", "true", "Node9", "-a", "9a", "a b", "a.b", "", "ключ", "<<", "?", "%YAML", strings.Repeat("k", 128), strings.Repeat("k", 129)}
	plainColons = []string{": ", ":", ":  ", ":\t", " : ", "", " ", ":: "}
	plainValues = []string{"", "x", "a b", "a:b", "a: b", "a:", "a#b", "a #b", "a # b", "# c", "#c", "12", "0", "012", "-1", "1.5", "1e5", "0x1F", "1_000", "999999999999999999", "9999999999999999999", "true", "True", "TRUE", "tRUE", "false", "null", "Null", "~", "yes", "NO", "on",
		"2026-01-01", "12:30", "登录", "é", "/path/x: y", "/p", "_u", ".x", ".nan", "(a)", `"q"`, `"q" # c`, `"q"#c`, `"q" x`, `"a\n"`, `"a'b"`, `'q'`, `'it''s'`, `'q' 'r'`, `"`, `'`, `""`, `''`, "[a]", "{a}", "*a", "&a x", "!t x", "| ", ">", "%x", "@x", "`x", "- x", "-x", "? x", "?x", "a, b", "a]b", "a\tb", "a\u0085b", "a\u2028b", "a\ufeffb", "a\u00a0", "\u00a0a", "a\x7fb", "a\x01b", "a\u0080", "\U0001F600", "\uffff", "a ", "a  # c ", "x #\u2028y", "a\rb", "NaN", "Inf", "e5", "a--", "a---", "<<", "="}
	plainEnds = []string{"\n", "\n", "\r\n", " \n", "\t\n", "", "\n\n", "\n  \n", "\n# c\n", "\n  more\n", "\n - x\n", "\n# c\u2028k: v\n", "\n...\n", "\n---\n"}
)

func TestPlainLinesOfAnyPiecesReadAsYAMLReadsThem(t *testing.T) {
	accepted, all := 0, 0
	for _, key := range plainKeys {
		for _, colon := range plainColons {
			for _, value := range plainValues {
				for _, end := range plainEnds[:6] {
					all++
					if plainEqualsYAML(t, key+colon+value+end) {
						accepted++
					}
				}
			}
		}
	}
	if accepted < all/50 {
		t.Errorf("the scan accepts %d of %d lines: the test proves little", accepted, all)
	}
	many := 0
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 4).Draw(t, "lines") {
			b.WriteString(rapid.SampledFrom(plainKeys).Draw(t, "key") + rapid.SampledFrom(plainColons[:3]).Draw(t, "colon") + rapid.SampledFrom(plainValues).Draw(t, "value") + rapid.SampledFrom(plainEnds).Draw(t, "end"))
		}
		if plainEqualsYAML(t, b.String()) {
			many++
		}
	})
	if many == 0 {
		t.Error("the scan accepted no front matter of several lines")
	}
}

func TestTextWrittenWithoutQuotesReadsBack(t *testing.T) {
	for _, v := range append(append([]string{}, plainValues...), scalarBag...) {
		if !plainText(v) {
			continue
		}
		src := "k: " + v + " # c\n"
		root, err := decodeYAML([]byte(src))
		if err != nil || len(root.Content) < 2 || root.Content[1].Tag != "!!str" || root.Content[1].Value != v {
			t.Errorf("%q is written plain and does not read back (%v)", src, err)
		}
	}
	for _, v := range []string{"12:30", "yes", "2026-01-01", "12345e67", "1_000", "", " x", "x ", "a: b", "x #y", "null", "0o17", "- x", "é: "} {
		if plainText(v) {
			t.Errorf("%q is written without quotes", v)
		}
	}
	for _, v := range []string{"x", "completed", "8eb249a5", "3 apples", "登录", "a:b", "a#b"} {
		if !plainText(v) {
			t.Errorf("%q is quoted", v)
		}
	}
}
