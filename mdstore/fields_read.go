package mdstore

import (
	"iter"
	"reflect"
	"strings"

	"arbor/mdstore/mdoc"
)

// fields reads Fields from front matter.
func (r *reader) fields() (x Fields) {
	for _, f := range AllFields() {
		is, ok := r.doc.Field(f.Key)
		if !ok || is.Kind == mdoc.Null {
			continue
		}
		text := is.Value
		switch {
		case f.Rule.List:
			text = strings.Join(f.items(r.doc, is), "\n")
		case is.Kind == mdoc.Nested:
			r.complain(f.Key, CodeFieldInvalid, f.Key+" is a list or a mapping; one plain value is expected")
			continue
		case is.Kind == mdoc.Bool:
			text = strings.ToLower(text)
		case f.Rule.Kind == reflect.Bool: // "true" in quotes is a text
			r.complain(f.Key, CodeFieldInvalid, f.Rule.refusal(f.Key, text).Error())
			continue
		}
		if text == "" {
			continue
		}
		if f.means != nil {
			text = f.Fold(text)
		}
		if err := f.check(text); err != nil {
			r.complain(f.Key, CodeFieldInvalid, err.Error())
			continue
		}
		x.set(f, text)
	}
	return x
}

// Lookalikes yields the keys of a document that are other names of fields, each with its field.
func Lookalikes(d *mdoc.Doc) iter.Seq2[string, *Field] {
	return func(yield func(string, *Field) bool) {
		for _, f := range AllFields() {
			for _, key := range f.Also {
				if _, ok := d.Field(key); ok && !yield(key, f) {
					return
				}
			}
		}
	}
}

// items returns the items of a list in front matter. A node may be named by a link, as Obsidian writes it.
func (f *Field) items(doc *mdoc.Doc, is mdoc.Field) (items []string) {
	all := doc.List(f.Key)
	if f.words && is.Kind != mdoc.Nested {
		all = strings.FieldsFunc(is.Value, func(r rune) bool { return r == ',' })
	}
	if f.Node {
		all = doc.Links(f.Key)
	}
	for _, item := range all {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
