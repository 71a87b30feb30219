package mdoc

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is composed as a list reads back, and another list can be put in its place, whatever the texts are.
func TestListsReadBack(t *testing.T) {
	texts := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[ -~äö需求\n]{0,12}`), rapid.SampledFrom([]string{"yes", "12:30", "a, b", "[x]", "#tag", "null", "- a", " b "})), 0, 5)
	rapid.Check(t, func(t *rapid.T) {
		want, next := texts.Draw(t, "items"), texts.Draw(t, "next")
		fields := []FieldValue{{"id", Text("x")}, {"tags", List(want...)}, {"last", Integer(1)}}
		d, _, err := Compose("f.md", nil, fields, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.List("tags"); !slices.Equal(got, want) {
			t.Fatalf("%q reads %q, want %q", d.Bytes(), got, want)
		}
		p, err := d.SetField("tags", List(next...))
		if err != nil {
			t.Fatal(err)
		}
		after, err := d.Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := after.List("tags"); !slices.Equal(got, next) {
			t.Fatalf("%q reads %q, want %q", after.Bytes(), got, next)
		}
	})
}

// People and Obsidian write a list in lines of their own.
func TestAListInLinesIsReplaced(t *testing.T) {
	for _, written := range []string{"tags:\n  - a\n  - b c\n", "tags:\n- a\n- b c\n", "tags: [a, b c]\n", "tags: [a,\n  b c]\n", "tags:\r\n  - a\r\n  - b c\r\n"} {
		src := "---\nid: x\n" + written + "# below\nlast: 1\n---\ntext\n"
		d, problems := Parse("f.md", []byte(src), nil)
		if len(problems) > 0 || !slices.Equal(d.List("tags"), []string{"a", "b c"}) {
			t.Fatalf("%q reads %q %v", src, d.List("tags"), problems)
		}
		p, err := d.SetField("tags", List("c"))
		if err != nil {
			t.Fatal(err)
		}
		after, err := d.Apply(p)
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		eol := "\n"
		if strings.Contains(written, "\r") {
			eol = "\r\n"
		}
		if want := "---\nid: x\ntags: [c]" + eol + "# below\nlast: 1\n---\ntext\n"; string(after.Bytes()) != want {
			t.Errorf("%q became %q, want %q", src, after.Bytes(), want)
		}
	}
}

// A list with a comment in it, or with more than texts, is not replaced.
func TestAListThatHoldsMoreIsKept(t *testing.T) {
	for _, written := range []string{"tags:\n  - a # why\n  - b\n", "tags: [a, [b]]\n", "tags: {a: b}\n", "tags: &x [a]\n", "tags:\n  - |\n    a\n"} {
		d, _ := Parse("f.md", []byte("---\n"+written+"---\n"), nil)
		if _, err := d.SetField("tags", List("c")); err == nil {
			t.Errorf("%q is replaced", written)
		}
	}
}
