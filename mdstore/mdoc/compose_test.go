package mdoc

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestComposedDocumentIsAsExpected(t *testing.T) {
	d, adapted, err := Compose("Node.md", nodeForm, []FieldValue{
		{"id", Text("n1")}, {"title", Text("Fix: \"it\"")}, {"role", NullValue()}, {"isolated", Boolean(false)}, {"createdAt", Integer(1767225600000)}, {"order", Number(1.5)}, {"a key", Text("")},
	}, []SectionText{
		{Name: "Requirement", Text: "\r\n# Users\r\n\r\nsign in\n\n"},
		{Name: "Conclusion"},
		{Name: "Docs", Items: []string{"/a: b", "/c: d\n\nmore"}},
		{Name: "References", Items: []string{}},
		{Name: "日志", Items: []string{"x\n```"}},
		{Name: "Own", Text: "- y"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `---
id: n1
title: "Fix: \"it\""
role: null
isolated: false
createdAt: 1767225600000
order: 1.5
"a key": ""
---

## Requirement

### Users

sign in

## Conclusion

## Docs

- /a: b
- /c: d

  more

## References

## 日志

- x
  ` + "```\n  ```" + `

## Own

- y
`
	if got := string(d.Bytes()); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if want := []string{"line ends became those of the file", "headings moved down by 2", "closed an open code fence"}; !slices.Equal(adapted, want) {
		t.Errorf("adapted %q, want %q", adapted, want)
	}
}

func TestComposeRefusesWhatADocumentCannotHold(t *testing.T) {
	id := []FieldValue{{"id", Text("n1")}}
	for _, c := range []struct {
		name     string
		fields   []FieldValue
		sections []SectionText
		words    string
	}{
		{"two fields of one key", []FieldValue{{"id", Text("a")}, {"id", Text("b")}}, nil, "stands in line 2 already"},
		{"invalid UTF-8 in a field", []FieldValue{{"id", Text("a\xff")}}, nil, "UTF-8"},
		{"NUL in a text", id, []SectionText{{Name: "Note", Text: "a\x00"}}, "NUL"},
		{"an empty item", id, []SectionText{{Name: "Log", Items: []string{"x", ""}}}, "needs a text"},
		{"two sections of one name", id, []SectionText{{Name: "Log"}, {Name: "日志"}}, "given twice"},
		{"a name of two lines", id, []SectionText{{Name: "a\nb"}}, "heading"},
		{"no name", id, []SectionText{{Name: " "}}, "heading"},
		{"a name that reads otherwise", id, []SectionText{{Name: "a #"}}, "read back"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, _, err := Compose("Node.md", nodeForm, c.fields, c.sections)
			var e *EditError
			if d != nil || !errors.As(err, &e) || !strings.Contains(e.Text, c.words) {
				t.Errorf("got %v, want an *EditError with %q", err, c.words)
			}
		})
	}
}

func TestComposedDocumentReadsBackAsGiven(t *testing.T) {
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		var fields []FieldValue
		for i, key := range []string{"id", "a b", "null", "😀"}[:rapid.IntRange(0, 4).Draw(t, "fields")] {
			v := drawScalar(t)
			if i%2 == 0 {
				v = Text(rapid.String().Draw(t, "text"))
			}
			fields = append(fields, FieldValue{key, v})
		}
		var sections []SectionText
		for _, name := range []string{"Requirement", "Note", "Log"}[:rapid.IntRange(0, 3).Draw(t, "sections")] {
			s := SectionText{Name: name, Text: drawJoined(t, "text", bodyBag, 0, 4)}
			if rapid.Bool().Draw(t, "list") {
				s.Items = []string{"first", drawJoined(t, "item", bodyBag, 1, 3)}
			}
			sections = append(sections, s)
		}
		d, _, err := Compose("Node.md", nodeForm, fields, sections)
		if err != nil {
			var e *EditError
			if !errors.As(err, &e) {
				t.Fatalf("%v is no *EditError", err)
			}
			return
		}
		made++
		for _, f := range fields {
			if got, ok := d.Field(f.Key); !ok || !f.Value.Equal(got) {
				t.Fatalf("field %s: got %+v, want %+v in %q", f.Key, got, f.Value, d.Bytes())
			}
		}
		for _, s := range sections {
			if s.Items != nil {
				if items := d.Items(s.Name); len(items) != 2 || items[0].Text != "first" {
					t.Fatalf("items of %s: %+v in %q", s.Name, items, d.Bytes())
				}
			}
		}
		if !strings.HasSuffix(string(d.Bytes()), "\n") || strings.Contains(string(d.Bytes()), "\r") {
			t.Fatalf("line ends of %q", d.Bytes())
		}
	})
	if made == 0 {
		t.Error("no document was made")
	}
}
