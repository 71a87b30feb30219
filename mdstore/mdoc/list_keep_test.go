package mdoc

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func edited(t interface{ Fatalf(string, ...any) }, src, key string, v Scalar) string {
	d, problems := Parse("f.md", []byte(src), nil)
	if len(problems) > 0 {
		t.Fatalf("%q: %v", src, problems)
	}
	p, err := d.SetField(key, v)
	if err != nil {
		return "refused: " + err.Error()
	}
	after, err := d.Apply(p)
	if err != nil {
		return "refused: " + err.Error()
	}
	return string(after.Bytes())
}

// What a person types behind a key is what YAML reads there, without quotes where it needs none.
func TestTypedValues(t *testing.T) {
	for typed, want := range map[string]string{"3": "3", "-3.50": "-3.50", "007": `"007"`, "true": "true",
		"yes": `"yes"`, "2026-12-01": "2026-12-01",
		"12:30": `"12:30"`, "nia": "nia", "@nia": `"@nia"`, "a: b": `"a: b"`, "null": `"null"`, "": `""`, "付款": "付款",
		"1e5": `"1e5"`} {
		got := edited(t, "---\nid: x\n---\n", "own", Typed(typed))
		if got != "---\nid: x\nown: "+want+"\n---\n" {
			t.Errorf("%s is written as %q, want %s", typed, got, want)
		}
	}
	if got := edited(t, "---\nown: '2026-12-01'\n---\n", "own",
		Typed("2026-12-02")); got != "---\nown: 2026-12-02\n---\n" {
		t.Errorf("a date in quotes became %q", got)
	}
}

// A list to which items come, or from which items go, keeps the bytes of the others.
func TestAListKeepsItsItems(t *testing.T) {
	for _, tt := range []struct{ written, want string }{
		{"own: [a, 'b', \"c\"]  # why\n", "own: [a, 'b', \"c\", d]  # why\n"},
		{"own: [ a,b , c ]\n", "own: [ a,b , c, d ]\n"},
		{"own:\n  - a # first\n  - 'b'\n  - c\n", "own:\n  - a # first\n  - 'b'\n  - c\n  - d\n"},
		{"own:\n- a\n-   b\n- c\n# end\n", "own:\n- a\n-   b\n- c\n- d\n# end\n"},
		{"own: []\n", "own: [d]\n"},
	} {
		items := []string{"a", "b", "c", "d"}
		if strings.Contains(tt.written, "[]") {
			items = items[3:]
		}
		if got := edited(t, "---\n"+tt.written+"last: 1\n---\n", "own",
			List(items...)); got != "---\n"+tt.want+"last: 1\n---\n" {
			t.Errorf("%q became %q", tt.written, got)
		}
	}
	if got := edited(t, "---\nown:\n  - a # first\n  - b\n  - 'c'\n---\n", "own", List("a",
		"c")); got != "---\nown:\n  - a # first\n  - 'c'\n---\n" {
		t.Errorf("without b it is %q", got)
	}
	item := rapid.SampledFrom([]string{"a", "b c", "'d'", "\"e: f\"", "7", "#g", "h # i", "键", "", "~", "- j", "[k]"})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(item, 1, 5).Draw(t, "items")
		src := "---\nid: x\nown:\n  - " + strings.Join(lines, "\n  - ") + "\n# c\nlast: 1\n---\ntext\n"
		d, problems := Parse("f.md", []byte(src), nil)
		if len(problems) > 0 {
			return
		}
		texts, _ := d.Texts("own")
		next := slices.DeleteFunc(slices.Clone(texts), func(string) bool { return rapid.Bool().Draw(t, "goes") })
		next = append(next, rapid.SliceOfN(rapid.SampledFrom([]string{"n", "o p", "q: r", "7"}), 0, 2).Draw(t, "more")...)
		got := edited(t, src, "own", List(next...))
		if strings.HasPrefix(got, "refused") {
			return
		}
		after, _ := Parse("f.md", []byte(got), nil)
		if is, plain := after.Texts("own"); !plain || !slices.Equal(is, next) {
			t.Fatalf("%q has %q, want %q", got, is, next)
		}
		if rest, _ := strings.CutPrefix(got, "---\nid: x\nown:"); !strings.HasSuffix(rest, "\n# c\nlast: 1\n---\ntext\n") {
			t.Fatalf("%q became %q", src, got)
		}
	})
}
