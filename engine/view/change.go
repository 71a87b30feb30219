package view

import (
	"bytes"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
)

// A FieldChange is a key of the front matter that got another value. nil stands for null and for a missing key.
type FieldChange struct {
	Key  string  `json:"key"`
	From *string `json:"from"`
	To   *string `json:"to"`
}

// A SectionChange is a section that got another text. Of sections that are lists it has the items that came and went,
// as their lines have them.
type SectionChange struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // Added, Altered, Removed
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// FieldChanges returns the keys whose values changed from one document to another, in the order of the file. With nil
// for was, every key with a value changed; with nil for is, none did.
func FieldChanges(was, is *mdoc.Doc) []FieldChange {
	if is == nil {
		return nil
	}
	var out []FieldChange
	add := func(key string) {
		from, to := wordOf(was, key), wordOf(is, key)
		if from != to && (from == nil || to == nil || *from != *to) && !slices.ContainsFunc(out, func(c FieldChange) bool { return c.Key == key }) {
			out = append(out, FieldChange{key, from, to})
		}
	}
	for _, f := range is.Fields() {
		add(f.Key)
	}
	if was != nil {
		for _, f := range was.Fields() {
			add(f.Key)
		}
	}
	return out
}

// wordOf returns the value of a key as text: the meaning of a scalar, the source text of anything else.
func wordOf(d *mdoc.Doc, key string) *string {
	if d == nil {
		return nil
	}
	f, ok := d.Field(key)
	if !ok || f.Kind == mdoc.Null {
		return nil
	}
	v := f.Value
	if f.Kind == mdoc.Nested {
		v = d.Slice(f.Span)
	}
	return &v
}

// lists are the sections whose items are entries.
var lists = []string{mdstore.SecRules, mdstore.SecDocs, mdstore.SecReferences, mdstore.SecCriteria, mdstore.SecLog}

// SectionChanges returns the sections whose texts changed, as FieldChanges does.
func SectionChanges(was, is *mdoc.Doc) []SectionChange {
	if is == nil {
		return nil
	}
	if added, ok := loggedOnly(was, is); ok {
		return added
	}
	old, now := bodies(was), bodies(is)
	var out []SectionChange
	for _, name := range sectionNames(is, was) {
		from, had := old[name]
		to, has := now[name]
		c := SectionChange{Name: name, Kind: Altered}
		switch {
		case from == to && had == has, !had && to == "", !has && from == "":
			continue
		case !had:
			c.Kind = Added
		case !has:
			c.Kind = Removed
		}
		if slices.Contains(lists, name) {
			old, now := items(was, name), items(is, name)
			itself := func(item string) string { return item }
			c.Added, c.Removed = Surplus(now, old, itself), Surplus(old, now, itself)
		}
		out = append(out, c)
	}
	return out
}

// loggedOnly returns the change of a body to which only log entries were added, and none for the same body, without
// parsing it, which takes longer the more entries there are. ok is false for every other change.
func loggedOnly(was, is *mdoc.Doc) (changes []SectionChange, ok bool) {
	if was == nil {
		return nil, false
	}
	old, now := was.Bytes()[len(was.Front()):], is.Bytes()[len(is.Front()):]
	if bytes.Equal(old, now) {
		return nil, true
	}
	same := 0 // bytes of whole lines that both begin with
	for i := 0; i < min(len(old), len(now)) && old[i] == now[i]; i++ {
		if old[i] == '\n' {
			same = i + 1
		}
	}
	heading := bytes.LastIndex(old[:same], []byte("\n## ")) + 1
	more, ok := bytes.CutSuffix(now[same:], old[same:])
	if !ok || !aLog().Match(old[heading:same]) || !entries().Match(more) || !mayFollow().Match(old[same:]) {
		return nil, false
	}
	c := SectionChange{Name: mdstore.SecLog, Kind: Altered}
	for line := range strings.Lines(string(more)) {
		c.Added = append(c.Added, strings.TrimSpace(line[2:]))
	}
	return []SectionChange{c}, true
}

// The usual forms of a log with entries, of entries alone, and of the text after an entry.
var (
	aLog      = pattern.Of(`^## (Log|日志)\r?\n\s*- \[`)
	entries   = pattern.Of(`^(- \[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] \[.*\n)+$`)
	mayFollow = pattern.Of(`^(\r?\n|- \[|$)`)
)

// bodies returns the text of each section by name; those of one name are joined.
func bodies(d *mdoc.Doc) map[string]string {
	out := map[string]string{}
	if d != nil {
		for _, s := range d.Sections() {
			out[s.Name] += d.Slice(s.Body)
		}
	}
	return out
}

// sectionNames returns the names of the sections of all documents, each once.
func sectionNames(docs ...*mdoc.Doc) []string {
	var out []string
	met := map[string]bool{}
	for _, d := range docs {
		if d == nil {
			continue
		}
		for _, s := range d.Sections() {
			if !met[s.Name] {
				met[s.Name] = true
				out = append(out, s.Name)
			}
		}
	}
	return out
}

func items(d *mdoc.Doc, section string) []string {
	if d == nil {
		return nil
	}
	var out []string
	for _, it := range d.Items(section) {
		if text := strings.TrimSpace(it.Text); it.Listed && text != "" {
			out = append(out, text)
		}
	}
	return out
}

// Surplus returns the elements that all has more often than some, in the order of all. Elements with the same key count
// as equal.
func Surplus[T any, K comparable](all, some []T, key func(T) K) []T {
	left := make(map[K]int, len(some))
	for _, x := range some {
		left[key(x)]++
	}
	var out []T
	for _, x := range all {
		if left[key(x)]--; left[key(x)] < 0 {
			out = append(out, x)
		}
	}
	return out
}
