package mdoc

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The oracle shares no code with the package: it compares the bytes around the change, the
// YAML library's decoding and the Markdown library's tree. The variable
// ARBOR_PROPERTY_CASES sets the number of cases.
func TestEditChangesOnlyWhatIsRequested(t *testing.T) {
	cases := "4000"
	if n := os.Getenv("ARBOR_PROPERTY_CASES"); n != "" {
		cases = n
	}
	was := flag.Lookup("rapid.checks").Value.String()
	if err := flag.Set("rapid.checks", cases); err != nil {
		t.Fatal(err)
	}
	defer flag.Set("rapid.checks", was)

	made := map[string]int{}
	refused := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		src := drawDocument(t)
		d, problems := Parse("Node.md", []byte(src), nodeForm)
		if len(problems) > 0 {
			made["closed: "+problems[0].Code]++
			checkClosed(t, d)
			return
		}
		e := drawEdit(t, d)
		after, err := e.apply(d)
		if err != nil {
			var ee *EditError
			if !errors.As(err, &ee) {
				t.Fatalf("%v on %q: %v is no *EditError", e, src, err)
			}
			key := e.kind + ": " + strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return -1
				}
				return r
			}, ee.Text)
			refused[key]++
			if show := os.Getenv("ARBOR_SHOW_REFUSED"); show != "" && strings.Contains(key, show) {
				fmt.Printf("%v: %v\n on %q\n", e, err, src)
			}
			made[e.kind+" refused"]++
			return
		}
		made[e.kind]++
		if string(d.Bytes()) != src {
			t.Fatalf("%v changed its document", e)
		}
		if what := e.oracle(src, string(after.Bytes())); what != "" {
			t.Fatalf("%v: %s\n   on %q\nmakes %q", e, what, src, after.Bytes())
		}
		again, err := e.apply(after)
		if e.idempotent() && (err != nil || again != after) {
			t.Fatalf("%v: a second time it makes %v, %v\n   on %q", e, again, err, after.Bytes())
		}
	})
	report(t, made)
	if testing.Verbose() {
		report(t, refused)
	}
	if made["field"] == 0 || made["section"] == 0 || made["append"] == 0 || made["replace"] == 0 || made["remove"] == 0 || made["several"] == 0 {
		t.Errorf("some kinds of edits were never made: %v", made)
	}
}

func report(t *testing.T, counts map[string]int) {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return counts[keys[i]] > counts[keys[j]] })
	var b strings.Builder
	for _, k := range keys[:min(len(keys), 60)] {
		fmt.Fprintf(&b, "\n%7d %s", counts[k], k)
	}
	t.Log(b.String())
}

// checkClosed fails unless a closed document is readable and refuses every edit.
func checkClosed(t *rapid.T, d *Doc) {
	d.Fields()
	d.Headings()
	for _, s := range d.Sections() {
		d.Text(s.Name)
		d.Items(s.Name)
	}
	var unreadable *UnreadableError
	if _, err := d.SetField("status", Text("x")); !errors.As(err, &unreadable) {
		t.Fatalf("SetField on a closed document: %v", err)
	}
	if _, err := d.Apply(); !errors.As(err, &unreadable) {
		t.Fatalf("Apply on a closed document: %v", err)
	}
}

// A drawnEdit is one edit, or several in one splice.
type drawnEdit struct {
	kind  string // field, section, append, replace, remove, several
	name  string
	value Scalar
	text  string
	index int
	parts []drawnEdit
}

func (e drawnEdit) String() string {
	return fmt.Sprintf("%s %q %v %q %d %v", e.kind, e.name, e.value, e.text, e.index, e.parts)
}

func (e drawnEdit) idempotent() bool { return e.kind == "field" || e.kind == "section" }

func drawEdit(t *rapid.T, d *Doc) drawnEdit {
	if rapid.IntRange(0, 4).Draw(t, "several") > 0 {
		return drawOne(t, d)
	}
	e := drawnEdit{kind: "several"}
	for range rapid.IntRange(2, 4).Draw(t, "edits") {
		e.parts = append(e.parts, drawOne(t, d))
	}
	return e
}

func drawOne(t *rapid.T, d *Doc) drawnEdit {
	section := rapid.SampledFrom([]string{"Log", "Log", "Note", "Conclusion", "Own section", "New one"})
	kind := rapid.IntRange(0, 9).Draw(t, "edit")
	if len(d.Items("Log")) == 0 && (kind == 5 || kind == 6) {
		kind = 7
	}
	switch kind {
	case 0, 1, 2:
		return drawnEdit{kind: "field", value: drawScalar(t),
			name: rapid.SampledFrom([]string{"status", "status", "title", "role", "note", "new", "a b", "true"}).Draw(t, "key")}
	case 3, 4:
		return drawnEdit{kind: "section", name: section.Draw(t, "section"), text: drawJoined(t, "text", bodyBag, 0, 4)}
	case 5:
		return drawnEdit{kind: "replace", name: "Log", index: drawIndex(t, d), text: drawJoined(t, "item", bodyBag, 1, 2)}
	case 6:
		return drawnEdit{kind: "remove", name: "Log", index: drawIndex(t, d)}
	}
	return drawnEdit{kind: "append", name: section.Draw(t, "section"), text: drawJoined(t, "item", bodyBag, 1, 3)}
}

// drawIndex returns the index of an item of the log, rarely one that does not exist.
func drawIndex(t *rapid.T, d *Doc) int {
	i := rapid.IntRange(0, 40).Draw(t, "index")
	if n := len(d.Items("Log")); n > 0 && i < 40 {
		i %= n
	}
	return i
}

func (e drawnEdit) patch(d *Doc) (Patch, error) {
	switch e.kind {
	case "field":
		return d.SetField(e.name, e.value)
	case "section":
		return d.SetSection(e.name, e.text)
	case "replace":
		return d.ReplaceItem(e.name, e.index, e.text)
	case "remove":
		return d.RemoveItem(e.name, e.index)
	}
	return d.AppendItem(e.name, e.text)
}

func (e drawnEdit) apply(d *Doc) (*Doc, error) {
	parts := e.parts
	if parts == nil {
		parts = []drawnEdit{e}
	}
	var ps []Patch
	for _, one := range parts {
		p, err := one.patch(d)
		if err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	return d.Apply(ps...)
}
