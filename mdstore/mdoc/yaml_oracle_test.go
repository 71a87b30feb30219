package mdoc

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// yamlSays fails unless the YAML library, without any code of this package, reads the same
// names in the same order, and decodes each value to the field's kind and text.
func yamlSays(t interface {
	Helper()
	Fatalf(string, ...any)
}, front string, fields []Field) {
	t.Helper()
	dec := yaml.NewDecoder(strings.NewReader(front))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil && !(errors.Is(err, io.EOF) && len(fields) == 0) {
		t.Fatalf("the scan accepts %q, yaml.v3 says %v", front, err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		t.Fatalf("the scan accepts %q, yaml.v3 reads more than one document (%v)", front, err)
	}
	if len(doc.Content) == 0 && len(fields) == 0 {
		return
	}
	var whole map[any]any
	if err := yaml.Unmarshal([]byte(front), &whole); err != nil {
		t.Fatalf("the scan accepts %q, yaml.v3 says %v", front, err)
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || len(root.Content) != 2*len(fields) {
		t.Fatalf("the scan reads %d fields of %q, yaml.v3 %d", len(fields), front, len(root.Content)/2)
	}
	for i, f := range fields {
		key, val := root.Content[2*i], root.Content[2*i+1]
		var got any
		if err := val.Decode(&got); err != nil || key.Kind != yaml.ScalarNode || key.Value != f.Key || key.Tag == "!!merge" {
			t.Fatalf("%q: the scan reads the key %q, yaml.v3 %q of %v (%v)", front, f.Key, key.Value, key.Tag, err)
		}
		same := false
		switch v := got.(type) {
		case nil:
			same = f.Kind == Null && f.Value == ""
		case bool:
			same = f.Kind == Bool && f.Value == strconv.FormatBool(v)
		case int, int64, uint64:
			same = f.Kind == Int && f.Value == fmt.Sprint(v)
		case string:
			same = f.Kind == String && f.Value == v
		}
		if !same {
			t.Fatalf("%q: the scan reads %s as %v %q, yaml.v3 as %T %#v", front, f.Key, f.Kind, f.Value, got, got)
		}
	}
}

// yamlTraps are lines of front matter that mean something else than they seem to, at least
// in some version of YAML.
var yamlTraps = []string{
	// What is a boolean or null.
	"k: yes", "k: no", "k: on", "k: off", "k: y", "k: n", "k: Y", "k: N", "k: Yes", "k: NO", "k: On", "k: OFF", "k: true", "k: True", "k: TRUE", "k: tRue", "k: false", "k: False", "k: FALSE",
	"k: null", "k: Null", "k: NULL", "k: nULL", "k: ~", "k:", "k: ", "k:   ", "k: nil", "k: None", "yes: k", "no: k", "null: k", "~: k", "true: k", "y: k", "y: 1\nY: 2",
	// Numbers, dates and times.
	"k: 0x1F", "k: 0X1f", "k: 0o17", "k: 0O17", "k: 017", "k: 0b101", "k: 08", "k: 0", "k: 00", "k: -0", "k: +1", "k: -1", "k: 1_000", "k: 1,000", "k: .5", "k: 5.", "k: 1.5", "k: 1e3", "k: 1E3", "k: 1e+3", "k: e3", "k: 1e", "k: .inf", "k: -.Inf", "k: +.INF", "k: .nan", "k: .NaN",
	"k: inf", "k: NaN", "k: Infinity", "k: 999999999999999999", "k: 9999999999999999999", "k: 18446744073709551616", "k: 12345678901234567890123", "k: 8e249", "k: 1:30", "k: 12:30:45", "k: 190:20:30.15", "k: 2026-01-01", "k: 2026-1-1", "k: 2026-01-01T10:00:00Z", "k: 2026-01-01 10:00:00", "k: 2026", "k: 1 000", "k: 12 apples", "k: 1.2.3", "k: ١٢",
	// Tags, anchors, aliases, merge keys.
	"k: !!str 1", "k: !!int \"1\"", "k: !!binary aGk=", "k: !t x", "k: !", "!!str k: v", "k: &a x", "k: &a x\nl: *a", "&a k: v", "*a : v", "k: *a", "<<: x", "a: &a {b: c}\n<<: *a", "<<: {k: v}", "k: <<", "k: =", "=: k",
	// Block scalars, collections, several lines.
	"k: |\n  x", "k: >\n  x", "k: |-\n  x\n", "k: >+2\n   x", "k: |\nl: x", "k: | # c\n  x", "k: [a, b]", "k: {a: b}", "k: [a,\n  b]", "k: [", "k: {", "k: ]", "k: }", "k: ,", "k: a, b", "k: a]", "k: a}", "{k: v}", "[k]", "{k: v\n}", "- k", "k:\n- a", "k:\n  - a", "k: - a", "k: -a", "k: -", "k:\n  a: b", "k: a\n  b", "k: a\n b: c", "k:\n  a", "k: a\n\n  b", "k: a\n\tb", "k: a\n# c\n  b", "k: 'a\n  b'", "k: \"a\n  b\"", "k: \"a\\\n  b\"", "k: ?", "k: ? a", "? k\n: v", "? k", ": v",
	// Quotes.
	`k: ""`, `k: ''`, `k: "a\n"`, `k: "\u263a"`, `k: "\x41"`, `k: "\q"`, `k: "a\"b"`, `k: "a`, `k: 'a`, `k: 'it''s'`, `k: 'a' 'b'`, `k: "a"b`, `k: "a" # c`, `k: "a"# c`, `k: 'a'#`, `k: a"b"`, `k: a'b'`, `"k": v`, `'k': v`, `"k" : v`, `k: "a: b"`, `k: 'a #b'`, "k: \"a\tb\"", `k: "yes"`, `k: '1'`, "k: \"\x7f\"", "k: '\u00a0'", "k: \"a\\\\b\"",
	// Comments, blanks, tabs.
	"k: a # c", "k: a #c", "k: a#c", "k: a# c", "k: #c", "k: # c", "k:#c", "#k: v", " # c", "k: v\n# c", "k: v\n  # c", "k: a\t# c", "k: a\t", "k:\ta", "k\t: a", "\tk: a", "k: \ta", "k: a\tb", "k: a ", "k: a   ", "k:  a", "k : a", " k: a", "k: a\n ", "k: a\n\t", "k: v\n \t\nl: w", "# c\tc", "# \x01", "#", "# c\u0085k: v", "# \ufeff",
	// Colons.
	"k:v", "k:v:w", "k: a:b", "k: a: b", "k: a:", "k: a :", "k: a : b", "k: :", "k: :a", "k: a:\tb", "k: a:#b", "k:: v", "k: http://a/b", "k: a:登", "k: 登:a", "k: 登: a", "a:b: c", "a b: c", "a.b: c", "a/b: c", "a-b: c", "-a: b", "_: a", "9: a", "a9: b", "%a: b", "@a: b", "`a: b",
	// Keys twice, long, not ASCII.
	"k: 1\nk: 2", "k: 1\n\"k\": 2", "k:\nk:", "k: 1\nK: 2", "标题: 登录", "é: a", "k\u00a0: a", "😀: a", strings.Repeat("k", 128) + ": v", strings.Repeat("k", 129) + ": v", strings.Repeat("k", 1024) + ": v", strings.Repeat("k", 1025) + ": v", "k: " + strings.Repeat("v", 5000),
	// Characters that end lines for some, and others that are not printed.
	"k: a\u0085b", "k: a\u0085l: b", "k: a\u2028b", "k: a\u2028l: b", "k: a\u2029b", "k: \u2028", "k: a\u2028", "\ufeffk: v", "k: \ufeffv", "k: v\ufeff", "k: a\x00b", "k: a\x01b", "k: a\x1b[1m", "k: a\x7f", "k: a\u0080", "k: a\u009f", "k: \u00a0", "k: \u00a0a", "k: a\u00a0", "k: \u3000a", "k: a\u3000", "k: \u200ba", "k: a\ufffeb", "k: a\uffff", "k: \ufffd", "k: \U0001F600", "k: \U0010FFFF", "k: \u0300", "k: \xff", "k: a\xe7\x99", "k: \xed\xa0\x80", "k: a\rb", "k: a\r", "k: a\x0bb", "k: a\x0cb",
	// Documents.
	"k: v\n...\n", "k: v\n---\nl: w", "--- k: v", "---", "...", "k: ---", "k: ...", "k: --- a", "---k: v", "k: a\n--- ", "%YAML 1.2", "%YAML 1.2\n---\nk: v", "k: %a", "k: @a", "k: `a", "k: !a", "k: &", "k: *", "k: |", "k: >", "k: \\", "k: /a", "k: $a", "k: (a)", "k: ^", "k: ;", "k: .", "k: ..", "k: _", "k: <a>", "k: +", "k: 登录", "k: é",
	"", " ", "\n\n", "k", "k v", "just words", "k: v\nwords", "words\nk: v",
}

// Each trap is tried alone, between other lines, and with every line end.
func TestPlainLinesReadAsYAMLReadsThem(t *testing.T) {
	accepted := 0
	for _, trap := range yamlTraps {
		for _, front := range []string{trap + "\n", trap, "a: b\n" + trap + "\nz: 1\n", trap + " \n", trap + " # c\n", trap + "\n# c\n", "# c\n\n" + trap + "\n"} {
			for _, front := range []string{front, strings.ReplaceAll(front, "\n", "\r\n")} {
				if plainEqualsYAML(t, front) {
					accepted++
				}
			}
		}
	}
	if accepted < len(yamlTraps) {
		t.Errorf("the scan accepts %d of %d traps in 14 forms: the test proves little", accepted, len(yamlTraps))
	}
}

// FuzzPlain compares the scan of plain lines with the YAML library.
func FuzzPlain(f *testing.F) {
	for _, trap := range yamlTraps {
		f.Add("a: b\n" + trap + "\nz: 1\n")
	}
	for _, src := range seeds(f) {
		if p := split(src); p.found {
			f.Add(string(src[p.front.Start:p.front.End]))
		}
	}
	f.Fuzz(func(t *testing.T, front string) {
		if len(front) < 4096 && !strings.Contains(front, "\x00") {
			plainEqualsYAML(t, front)
		}
	})
}
