package exchange

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf16"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// changes are changes of an item at its source, with what a later import says of its node.
var changes = []struct {
	says string
	make func(it *plan.ImportItem, other string)
}{
	{`the title "Another one"`, func(it *plan.ImportItem, _ string) { it.Title = "Another one" }},
	{"another requirement", func(it *plan.ImportItem, _ string) { it.Requirement += "\n\nMore of it." }},
	{"other criteria", func(it *plan.ImportItem, _ string) { it.Criteria = append(it.Criteria, "[ ] and this") }},
	{"another note", func(it *plan.ImportItem, _ string) { it.Note += "\n\n# Heading\n\nremember" }},
	{"the docs other.md", func(it *plan.ImportItem, _ string) { it.Docs = append(it.Docs, mdstore.Ref{Target: "other.md"}) }},
	{"1 new comment(s)", func(it *plan.ImportItem, _ string) {
		it.Log = append(it.Log, mdstore.LogEntry{Time: "2026-01-01 10:00:00", Operator: "Human", Event: "ann: ```\nx"})
	}},
	{"due: 2031-01-01", func(it *plan.ImportItem, _ string) { due := "2031-01-01"; it.Due = &due }},
	{"colour: red", func(it *plan.ImportItem, _ string) {
		it.Own = append(it.Own, mdoc.FieldValue{Key: "colour", Value: mdoc.Text("red")})
	}},
	{"dependencies on ", func(it *plan.ImportItem, other string) { it.After = append(it.After, other) }},
}

// TestChangesAtTheSource imports each case, changes each item at the source in some ways, one after the other, and imports
// it again: the change is listed, with nothing else, and no file changes.
func TestChangesAtTheSource(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.name, func(t *testing.T) {
			first, err := Read(c.Source, "")
			if err != nil || len(first.Items) == 0 || first.Items[0].File != nil {
				return // of a workspace of Arbor each file is compared
			}
			w := enginetest.New(t, enginetest.Plan("ws-a"))
			_, before := imported(t, w, first)
			for i := range first.Items {
				for n, x := range changes {
					if (i+n)%4 > 0 {
						continue // a quarter of them for each item
					}
					again, err := Read(c.Source, c.kind)
					if err != nil {
						t.Fatal(err)
					}
					it, other := &again.Items[i], again.Items[(i+1)%len(again.Items)].Key
					if strings.HasPrefix(x.says, "dependencies") && (len(again.Items) == 1 || strings.Contains(strings.Join(it.After, "\n"), other)) {
						continue
					}
					x.make(it, other)
					out, after := imported(t, w, again)
					if len(out.Made) > 0 || len(out.Differ) != 1 || !strings.Contains(out.Differ[0], ": the source now has "+x.says) {
						t.Fatalf("%s, changed so that it has %s: %d new nodes, differs: %q", it.Title, x.says, len(out.Made), out.Differ)
					}
					for p, data := range after {
						if !bytes.Equal(data, before[p]) {
							t.Fatalf("a second import changes %s", p)
						}
					}
				}
			}
		})
	}
}

// TestWorkIsNoChangeAtTheSource works on nodes that were imported: an import of the same source lists nothing, and of a
// changed one only that.
func TestWorkIsNoChangeAtTheSource(t *testing.T) {
	source := func(text string) *Result {
		r, err := Read(Source{Name: "tasks.json", Read: func(string) ([]byte, error) { return []byte(text), nil }}, "taskmaster")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const old = `{"tasks": [{"id": 1, "title": "A", "description": "One", "status": "pending"}]}`
	w := enginetest.New(t, enginetest.Plan("ws-a"))
	out, _ := imported(t, w, source(old))
	id := out.Made[0].ID
	mine := "Mine"
	for _, do := range []plan.Transition{{Node: id, Action: "start"}, {Node: id, Action: "complete", Conclusion: "done"}} {
		if _, _, err := engine.Apply(t.Context(), w.Engine, "ws-a", plan.Act{}, do); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := engine.Apply(t.Context(), w.Engine, "ws-a", plan.Act{}, plan.NodeTexts{Node: id, Requirement: &mine}); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ source, want string }{
		{old, ""},
		{strings.Replace(old, "pending", "done", 1), ""}, // as it is here
		{strings.Replace(old, "One", "Two", 1), "another requirement, which was edited here, too"},
		{strings.Replace(old, "One", "Mine", 1), ""},
		{strings.Replace(old, "pending", "in-progress", 1), "the status implementing (here completed)"},
	} {
		out, _ := imported(t, w, source(x.source))
		got := strings.Join(out.Differ, "\n")
		if x.want == "" && got != "" || !strings.HasSuffix(got, x.want) {
			t.Errorf("%s: differs: %q; want %q", x.source, got, x.want)
		}
	}
}

// TestLineEndsAndMarks reads each case with the line ends of Windows, with a byte order mark in each file, and in UTF-16: it
// becomes the same.
func TestLineEndsAndMarks(t *testing.T) {
	for _, c := range cases(t) {
		first, err := Read(c.Source, "")
		if err != nil || len(first.Items) > 0 && first.Items[0].File != nil {
			continue // the files of a workspace of Arbor keep their line ends
		}
		for name, change := range map[string]func([]byte) []byte{
			"CRLF": func(b []byte) []byte {
				return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
			},
			"UTF-16": func(b []byte) []byte {
				out := []byte("\xff\xfe")
				for _, u := range utf16.Encode([]rune(strings.TrimPrefix(string(b), "\uFEFF"))) {
					out = append(out, byte(u), byte(u>>8))
				}
				return out
			},
			"BOM": func(b []byte) []byte { return append([]byte("\uFEFF"), bytes.TrimPrefix(b, []byte("\uFEFF"))...) },
		} {
			source := c.Source
			source.Read = func(file string) ([]byte, error) {
				data, err := c.Source.Read(file)
				return change(data), err
			}
			r, err := Read(source, "")
			if err != nil || r.Kind != c.kind {
				t.Errorf("%s with %s: %v", c.name, name, err)
				continue
			}
			if got, want := drawn(r.Items), drawn(first.Items); got != want {
				t.Errorf("%s with %s becomes\n%s\nwant\n%s", c.name, name, got, want)
			}
			if got, want := strings.Join(r.Left, "\n"), strings.Join(first.Left, "\n"); got != want {
				t.Errorf("%s with %s leaves out\n%s\nwant\n%s", c.name, name, got, want)
			}
		}
	}
}

// TestChangesOfSessions imports a workspace whose traces and states have changed at the source.
func TestChangesOfSessions(t *testing.T) {
	for _, c := range cases(t) {
		if r, err := Read(c.Source, ""); err != nil || len(r.Pages) == 0 {
			continue
		}
		w := enginetest.New(t, enginetest.Plan("ws-a"))
		r, _ := Read(c.Source, "")
		imported(t, w, r)
		r, _ = Read(c.Source, "")
		at := r.Pages[0].Sections
		at[0].Items = append(at[0].Items, "- [2030-01-01 10:00:00] [AI] new")
		if out, _ := imported(t, w, r); len(out.Differ) != 1 || !strings.Contains(out.Differ[0], "the source has another log") {
			t.Errorf("%s: differs: %q", c.name, out.Differ)
		}
	}
}
