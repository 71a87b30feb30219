package feed

import (
	"slices"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// An Event is one change of a file in a vault, or of a workspace with all its files.
type Event struct {
	Kind      string       // view.Added, Altered, Removed, Relocated, or Diagnosed
	Workspace mdstore.ID   // that the file is in
	Node      mdstore.ID   // "" for the workspace itself: its own file, or all of it where it came, went or moved; the id of a page
	Page      string       // the name of a page's kind; "" for a node and the workspace
	Title     string       // of the node, or the name of the workspace; the last one known where the file does not say
	Path      mdstore.Path // where the file lies, or lay
	From      mdstore.Path // where a moved one lay
	Nodes     int          // of a workspace that came, went or moved: its nodes. Those of one that came are events as well, the others are not
	Blank     bool         // nothing of the file can be read now: what it says is as it was, until it can be

	Found  []mdoc.Diagnostic // what is wrong since this change, in the file or because of it
	Mended []mdoc.Diagnostic // what was wrong until this change

	was *mdoc.Doc // what the file said; nil for nothing
	is  *mdoc.Doc // what it says; nil for nothing, and for a blank one
}

// Diagnosed is the kind of an event that is no change of a file: diagnostics that came or went by themselves, as that of a folder without a file.
const Diagnosed = "diagnosed"

// A FieldChange is a key of the front matter that got another value. nil stands for null, and for a key that is not there.
type FieldChange struct {
	Key  string  `json:"key"`
	From *string `json:"from"`
	To   *string `json:"to"`
}

// A SectionChange is a section that got another text. Of sections that are lists it has the items that came and went, as their lines have them.
type SectionChange struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // view.Added, Altered, Removed
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// before returns where the file lay before.
func (v *Event) before() mdstore.Path {
	if v.From != "" {
		return v.From
	}
	return v.Path
}

// Fields returns the keys whose values changed, in the order of the file; of a file that came all that have one. Of one event to the next of a file, From is what To was.
func (v *Event) Fields() []FieldChange {
	if v.is == nil {
		return nil
	}
	var out []FieldChange
	add := func(key string) {
		from, to := wordOf(v.was, key), wordOf(v.is, key)
		if from != to && (from == nil || to == nil || *from != *to) && !slices.ContainsFunc(out, func(c FieldChange) bool { return c.Key == key }) {
			out = append(out, FieldChange{key, from, to})
		}
	}
	for _, f := range v.is.Fields() {
		add(f.Key)
	}
	if v.was != nil {
		for _, f := range v.was.Fields() {
			add(f.Key)
		}
	}
	return out
}

// wordOf returns what a key has for a value: a scalar as it is meant, anything else as it is written.
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
var lists = []string{mdstore.SecRules, mdstore.SecDocs, mdstore.SecReferences, mdstore.SecLog}

// Sections returns the sections whose texts changed, in the order of the file; of a file that came all that have one.
func (v *Event) Sections() []SectionChange {
	if v.is == nil {
		return nil
	}
	was, is := bodies(v.was), bodies(v.is)
	var out []SectionChange
	for _, name := range sectionNames(v.is, v.was) {
		from, had := was[name]
		to, has := is[name]
		c := SectionChange{Name: name, Kind: view.Altered}
		switch {
		case from == to && had == has, !had && to == "", !has && from == "":
			continue
		case !had:
			c.Kind = view.Added
		case !has:
			c.Kind = view.Removed
		}
		if slices.Contains(lists, name) {
			old, now := items(v.was, name), items(v.is, name)
			itself := func(item string) string { return item }
			c.Added, c.Removed = surplus(now, old, itself), surplus(old, now, itself)
		}
		out = append(out, c)
	}
	return out
}

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

// sectionNames returns each name that one of the documents has a section of.
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

// surplus returns what all has more often than some, in the order of all. What has one key counts as the same.
func surplus[T any, K comparable](all, some []T, key func(T) K) []T {
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
