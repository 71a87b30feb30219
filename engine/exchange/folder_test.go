package exchange

import (
	"slices"
	"testing"
)

// Links are found as Obsidian finds them, and not in code.
func TestLinksOfNotes(t *testing.T) {
	text := map[string]string{"a/One.md": "[[two]] [[b/Two|2]] ![[Three#h]] [x](../b/Th%20ree.md#y) [[One]] `[[Four]]` [[pic.png]]",
		"a/Two.md": "", "b/Two.md": "[[a/one.md]] [[../a/Two]]\n```\n[[Three]]\n```\n", "b/Th ree.md": "", "Three.md": "", "Four.md": "[[None]] [y](https://x/One.md)"}
	want := map[string][]string{"N/a/One.md": {"N/a/Two.md", "N/b/Two.md", "N/Three.md", "N/b/Th ree.md"},
		"N/b/Two.md": {"N/a/One.md", "N/a/Two.md"}}
	s := Source{Name: "N", Read: func(name string) ([]byte, error) { return []byte(text[name]), nil }}
	for name := range text {
		s.Files = append(s.Files, name)
	}
	r, err := Read(s, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range r.Items {
		var got []string
		for _, ref := range it.References {
			got = append(got, ref.Target)
		}
		if !slices.Equal(got, want[it.Key]) {
			t.Errorf("%s refers to %q, want %q", it.Key, got, want[it.Key])
		}
	}
}

// TestDueTimes reads a due date with a time as its day; the time stays as a key.
func TestDueTimes(t *testing.T) {
	for due, want := range map[string]string{
		"2026-12-01T10:00": "2026-12-01", "2026-12-01 23:30:00+02:00": "2026-12-01", "2026-12-01": "2026-12-01", "soon": "",
	} {
		files := map[string]string{"a.md": "---\ndue: " + due + "\n---\nx\n", "b.md": "y\n"}
		r, err := Read(Source{Name: "notes", Files: []string{"a.md", "b.md"},
			Read: func(p string) ([]byte, error) { return []byte(files[p]), nil }}, "folder")
		if err != nil {
			t.Fatal(err)
		}
		it, got, kept := r.Items[0], "", ""
		if it.Due != nil {
			got = *it.Due
		}
		for _, o := range it.Own {
			kept = o.Value.String()
		}
		if got != want || (kept != due) != (got == due) {
			t.Errorf("due %q is %q, and %q is kept", due, got, kept)
		}
	}
}
