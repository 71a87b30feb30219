package mdoc

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// seeds returns the documents of the fixtures.
func seeds(f *testing.F) (all [][]byte) {
	paths, _ := filepath.Glob("../../testdata/mdoc/*/*.txtar")
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if file.Name == "before" {
				all = append(all, []byte(escapes.Replace(string(file.Data))))
			}
		}
	}
	if len(all) == 0 {
		f.Fatal("no fixtures found")
	}
	return append(all, nodeFile(600), bytes.ReplaceAll(nodeFile(600), []byte("\n"), []byte("\r\n")))
}

// checkDoc fails unless what holds for every document holds for src.
func checkDoc(t *testing.T, src []byte) *Doc {
	t.Helper()
	d, problems := Parse("Node.md", src, nodeForm)
	if (d.Editable() != nil) != (len(problems) > 0) {
		t.Fatalf("%q: %v, but Editable is %v", src, problems, d.Editable())
	}
	for _, p := range problems {
		if p.Code == "" || p.Text == "" || p.File != "Node.md" || p.Line < 0 || p.Line > 1+bytes.Count(src, []byte{'\n'})+bytes.Count(src, []byte{'\r'}) {
			t.Fatalf("%q: diagnostic %+v", src, p)
		}
	}
	inside := func(s Span) {
		if s.Start < 0 || s.End < s.Start || s.End > len(src) {
			t.Fatalf("%q: span %v", src, s)
		}
	}
	for _, f := range d.Fields() {
		inside(f.Span)
		if (f.Kind == Null || f.Kind == Nested) && f.Value != "" || f.Line < 1 {
			t.Fatalf("%q: field %+v", src, f)
		}
	}
	at := 0
	for _, h := range d.Headings() {
		inside(h.Span)
		if h.Span.Start < at || h.Level < 1 || h.Level > 6 || strings.Contains(h.Title, "\n") || h.Line != lineNumber(d.text, h.Span.Start) {
			t.Fatalf("%q: heading %+v", src, h)
		}
		at = h.Span.End
	}
	for _, s := range d.Sections() {
		inside(s.Heading)
		inside(s.Body)
		if strings.Contains(d.Text(s.Name), "\r\n") {
			t.Fatalf("%q: text %q", src, d.Text(s.Name))
		}
		for _, it := range d.Items(s.Name) {
			inside(it.Span)
			if first, last := d.Lines(it.Span); first != it.Line || last < first {
				t.Fatalf("%q: item %+v in lines %d to %d", src, it, first, last)
			}
		}
	}
	if d.Editable() == nil {
		plainEqualsYAML(t, string(src[d.parts.front.Start:d.parts.front.End]))
	}
	return d
}

// applied returns the document after the edit, nil if the edit is refused with a documented error.
func applied(t *testing.T, d *Doc, p Patch, err error) *Doc {
	t.Helper()
	src := bytes.Clone(d.Bytes())
	var after *Doc
	if err == nil {
		after, err = d.Apply(p)
	}
	if !bytes.Equal(src, d.Bytes()) {
		t.Fatalf("the edit changed its document %q", src)
	}
	if err == nil {
		checkDoc(t, after.Bytes())
		return after
	}
	var e *EditError
	var u *UnreadableError
	if !errors.As(err, &e) && !errors.As(err, &u) || errors.As(err, &u) != (d.Editable() != nil) && !errors.As(err, &e) {
		t.Fatalf("%q: %v", src, err)
	}
	return nil
}

func FuzzParse(f *testing.F) {
	for _, src := range seeds(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		checkDoc(t, src)
		ReadForeign(src)
		ListsUnder(string(src), "Log")
	})
}

// FuzzSetField holds that a field reads back, that the body and every other field stay, and that doing it
// again changes nothing.
func FuzzSetField(f *testing.F) {
	for i, src := range seeds(f) {
		f.Add(src, "status", scalarBag[i%len(scalarBag)])
		f.Add(src, "new", scalarBag[(i*7)%len(scalarBag)])
	}
	f.Fuzz(func(t *testing.T, src []byte, key, value string) {
		d := checkDoc(t, src)
		p, err := d.SetField(key, Text(value))
		after := applied(t, d, p, err)
		if after == nil {
			return
		}
		if got, ok := after.Field(key); !ok || !Text(value).Equal(got) {
			t.Fatalf("SetField(%q, %q) on %q reads %+v", key, value, src, got)
		}
		if !bytes.Equal(src[d.parts.body:], after.src[after.parts.body:]) {
			t.Fatalf("SetField(%q, %q) on %q changed the body", key, value, src)
		}
		others := func(d *Doc) (out []string) {
			for _, f := range d.Fields() {
				if f.Key != key {
					out = append(out, f.Key, f.Value, string([]byte{byte(f.Kind)}))
					if f.Kind == Nested {
						out = append(out, string(d.src[f.Span.Start:f.Span.End]))
					}
				}
			}
			return out
		}
		if a, b := others(d), others(after); !slices.Equal(a, b) {
			t.Fatalf("SetField(%q, %q) on %q\n was %q\n now %q", key, value, src, a, b)
		}
		p, err = after.SetField(key, Text(value))
		if again, err2 := after.Apply(p); err != nil || err2 != nil || again != after {
			t.Fatalf("SetField(%q, %q) on %q a second time: %v %v", key, value, src, err, err2)
		}
	})
}

// FuzzSetSection: a text reads back as it was adapted, a text that needs no adaptation as
// it was given; other sections and the front matter stay; a second edit changes nothing.
func FuzzSetSection(f *testing.F) {
	for i, src := range seeds(f) {
		f.Add(src, "Note", bodyBag[i%len(bodyBag)]+"\n\n"+bodyBag[(i*5)%len(bodyBag)])
		f.Add(src, "Log", bodyBag[(i*3)%len(bodyBag)]+"\n"+bodyBag[(i*11)%len(bodyBag)])
	}
	f.Fuzz(func(t *testing.T, src []byte, name, text string) {
		d := checkDoc(t, src)
		p, err := d.SetSection(name, text)
		after := applied(t, d, p, err)
		if after == nil {
			return
		}
		text, _ = nodeForm.withoutOwnHeading(name, d.likeFile(text))
		want, _, _ := Nest(text, 2)
		if len(p.Adapted) == 0 {
			if clean, _, _ := cleanText(text); clean != want {
				t.Fatalf("SetSection(%q, %q) was adapted to %q and says nothing", name, text, want)
			}
		}
		if got := after.Text(name); got != want {
			t.Fatalf("SetSection(%q, %q) on %q\n got %q\nwant %q", name, text, src, got, want)
		}
		if !bytes.HasPrefix(after.src, src[:d.parts.body]) {
			t.Fatalf("SetSection(%q, %q) on %q changed the front matter", name, text, src)
		}
		others := func(d *Doc) (out []string) {
			for _, s := range d.Sections() {
				if !strings.EqualFold(strings.TrimSpace(s.Name), strings.TrimSpace(nodeForm.canonical(name))) {
					out = append(out, s.Title, d.Slice(s.Body))
				}
			}
			return out
		}
		if a, b := others(d), others(after); !slices.Equal(a, b) {
			t.Fatalf("SetSection(%q, %q) on %q\n was %q\n now %q", name, text, src, a, b)
		}
		p, err = after.SetSection(name, text)
		if again, err2 := after.Apply(p); err != nil || err2 != nil || again != after {
			t.Fatalf("SetSection(%q, %q) on %q a second time: %v %v", name, text, src, err, err2)
		}
	})
}

// FuzzApply: the edits of a transition, made in one splice, all read back, and the removal
// of the items restores the section.
func FuzzApply(f *testing.F) {
	for i, src := range seeds(f) {
		f.Add(src, scalarBag[i%len(scalarBag)], bodyBag[(i*3)%len(bodyBag)]+"\n"+bodyBag[(i*7)%len(bodyBag)], bodyBag[(i*5)%len(bodyBag)])
	}
	f.Fuzz(func(t *testing.T, src []byte, value, item, text string) {
		d := checkDoc(t, src)
		var all Patch
		for _, one := range []func() (Patch, error){
			func() (Patch, error) { return d.SetField("status", Text(value)) },
			func() (Patch, error) { return d.AppendItem("Log", item) },
			func() (Patch, error) { return d.AppendItem("Log", "last") },
			func() (Patch, error) { return d.SetSection("Conclusion", text) },
		} {
			p, err := one()
			if err != nil {
				applied(t, d, p, err)
				return
			}
			all.doc, all.ops = p.doc, append(all.ops, p.ops...)
		}
		after := applied(t, d, all, nil)
		if after == nil {
			return
		}
		was, now := d.Items("Log"), after.Items("Log")
		wantItem, _, _ := ItemText(item)
		if len(now) != len(was)+2 || now[len(was)].Text != wantItem || now[len(was)+1].Text != "last" {
			t.Fatalf("items %q\n was %+v\n now %+v", src, was, now)
		}
		for i := range was {
			if was[i].Text != now[i].Text || was[i].Listed != now[i].Listed {
				t.Fatalf("items %q\n was %+v\n now %+v", src, was, now)
			}
		}
		p, err := after.RemoveItem("Log", len(now)-1)
		q, err2 := after.RemoveItem("Log", len(now)-2)
		if err != nil || err2 != nil {
			t.Fatalf("RemoveItem on %q: %v %v", after.src, err, err2)
		}
		back, err := after.Apply(p, q)
		if err != nil {
			t.Fatalf("taking back on %q: %v", after.src, err)
		}
		if got, want := back.Text("Log"), d.Text("Log"); got != want {
			t.Fatalf("taking back on %q\n got %q\nwant %q", after.src, got, want)
		}
	})
}
