package plan

import (
	"slices"
	"strings"
	"time"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Alters reports whether a draft changes anything so far.
func Alters(d *Draft) bool {
	return len(d.extra) > 0 || slices.ContainsFunc(d.order, func(e *Edit) bool { return e.touched || e.after != nil })
}

// OnPage returns the edit of a page.
func OnPage(d *Draft, p *mdstore.Page) *Edit {
	doc, v := p.File()
	e := d.on(p.Path, v, doc)
	e.page = true
	return e
}

// A front is the front matter of a new page. What has no value is left out of it.
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

// AddPage adds a new page, of a kind that has that form.
func AddPage(d *Draft, k *mdstore.Kind, path mdstore.Path, fields front, sections []mdoc.SectionText, what string) error {
	doc, adapted, err := mdoc.Compose(string(path), k.Form, fields, sections)
	if err != nil {
		return err
	}
	d.adapted = append(d.adapted, adapted...)
	d.whole(mdstore.Change{Path: path, New: doc.Bytes()}, what)
	return nil
}

// SetList gives a front matter key a list of texts; the texts that it has already change nothing.
func (e *Edit) SetList(key string, items []string) {
	if slices.Equal(e.doc.List(key), items) {
		return
	}
	e.fields = slices.DeleteFunc(e.fields, func(x fieldEdit) bool { return x.key == key })
	e.fields = append(e.fields, fieldEdit{key, mdoc.List(items...)})
	e.touched = true
}

// freshFile returns the path of a new file of a kind whose files are named by the time, with before and the time in its name.
func freshFile(d *Draft, k *mdstore.Kind, folder mdstore.Path, before string) mdstore.Path {
	for at := d.now; ; at = at.Add(time.Millisecond) {
		p := k.FileFor(folder, before+at.Format(mdstore.StampLayout))
		_, there := d.View.Pages().At(p)
		if _, broken := d.View.Broken()[p]; !there && !broken {
			return p
		}
	}
}

// FreshPage returns an id with that prefix that no page of the kind has.
func FreshPage(d *Draft, k *mdstore.Kind, prefix string) (mdstore.ID, error) {
	for range 100 {
		id, err := d.opt.NewID(prefix)
		if err != nil {
			return "", err
		}
		same := func(p *mdstore.Page) bool { return strings.EqualFold(string(p.ID), string(id)) }
		if !slices.ContainsFunc(d.View.Pages().Of(k), same) && !slices.Contains(d.drawn, id) {
			d.drawn = append(d.drawn, id)
			return id, nil
		}
	}
	return "", errs.New(errs.InternalError, "no free id found in 100 tries; the source of randomness repeats itself")
}
