package plan

import (
	"slices"
	"strings"
	"time"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// OnPage returns the edit of a page.
func OnPage(d *Draft, p *mdstore.Page) *Edit {
	doc, v := p.File()
	e := d.on(p.Path, v, doc)
	e.page = true
	return e
}

// setText gives a key of a page another text, and notes the change. nil, and the text that it has, change nothing.
func (e *Edit) setText(p *mdstore.Page, key string, to *string) {
	if to == nil || *to == p.Field(key) {
		return
	}
	e.Set(key, mdoc.Text(*to))
	did := view.Change{ID: p.ID, Key: key}
	if key == mdstore.KeyName { // names are short
		did.From, did.To = p.Name(), *to
	}
	e.Did(did)
}

// setItems is setText for a key that is a list.
func (e *Edit) setItems(p *mdstore.Page, key string, to []string) {
	if to != nil && !slices.Equal(to, p.List(key)) {
		e.Set(key, mdoc.List(to...))
		e.Did(view.Change{ID: p.ID, Key: key})
	}
}

// A front is the front matter of a new page, without keys that have no value.
type front []mdoc.FieldValue

func (f *front) put(key string, v mdoc.Scalar) { *f = append(*f, mdoc.FieldValue{Key: key, Value: v}) }

func (f *front) text(key, text string) {
	if text != "" {
		f.put(key, mdoc.Text(text))
	}
}

func (f *front) list(key string, items []string) {
	if len(items) > 0 {
		f.put(key, mdoc.List(items...))
	}
}

// addPage adds a new page, of a kind that has that form.
func addPage(
	d *Draft, k *mdstore.Kind, path mdstore.Path, fields front, sections []mdoc.SectionText, what view.Change,
) error {
	doc, adapted, err := mdoc.Compose(string(path), k.Form, fields, sections)
	if err != nil {
		return err
	}
	d.adapted = append(d.adapted, adapted...)
	d.whole(mdstore.Change{Path: path, New: doc.Bytes()}, what)
	return nil
}

// freshFile returns the path of a new file of a kind whose files are named by the time, with before and the time in its
// name.
func freshFile(d *Draft, k *mdstore.Kind, folder mdstore.Path, before string) mdstore.Path {
	for at := d.now; ; at = at.Add(time.Millisecond) {
		p := k.FileFor(folder, before+at.Format(mdstore.StampLayout))
		_, there := d.View.Pages().At(p)
		if _, broken := d.View.Pages().Broken()[p]; !there && !broken {
			return p
		}
	}
}

// freshPage returns an id with that prefix that no page of the kind has.
func freshPage(d *Draft, k *mdstore.Kind, prefix string) (mdstore.ID, error) {
	return draw(d, prefix, func(id mdstore.ID) bool {
		same := func(p *mdstore.Page) bool { return strings.EqualFold(string(p.ID), string(id)) }
		return slices.ContainsFunc(d.View.Pages().Of(k), same)
	})
}
