package plan

import (
	"bytes"
	"slices"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// An Edit is the planned change of one existing file.
type Edit struct {
	path    mdstore.Path
	doc     *mdoc.Doc
	node    *mdstore.Node // nil for another file
	base    mdstore.Version
	fields  []fieldEdit
	texts   []func() (mdoc.Patch, error) // of whole sections, computed by Finish
	items   []func() (mdoc.Patch, error) // of items of sections, also computed by Finish
	ticks   []func() (mdoc.Patch, error) // of task boxes
	touched bool                         // set updatedAt
	page    bool                         // a page has no updatedAt
	spare   bool                         // only a line of a trace: if it cannot be written, the rest still is
	thaws   int                          // for a reopened ancestor: its number from below, the nearest being 1
	what    []view.Change

	after   *mdoc.Doc // set by Finish; nil if nothing changes
	adapted []string
}

type fieldEdit struct {
	key   string
	value mdoc.Scalar
}

// on returns the edit of a file, the same one each time.
func (d *Draft) on(p mdstore.Path, v mdstore.Version, doc *mdoc.Doc) *Edit {
	e, ok := d.edits[p]
	if !ok {
		e = &Edit{path: p, doc: doc, base: v}
		d.edits[p] = e
		d.order = append(d.order, e)
	}
	return e
}

// OnNode returns the edit of a node's file.
func (d *Draft) OnNode(n *mdstore.Node) *Edit {
	if e, ok := d.edits[n.Path]; ok {
		return e
	}
	doc, v := n.File()
	e := d.on(n.Path, v, doc)
	e.node = n
	return e
}

// Settle writes what the node's file leaves out, because another file is about to name the node by its id.
func (d *Draft) Settle(n *mdstore.Node) {
	if n.Gaps().ID && n.Editable() == nil {
		d.OnNode(n).touched = true
	}
}

// Name writes what the files of nodes leave out, because something else is about to name the nodes by their ids: a
// claim, or a focus. A node that is not there is passed over.
type Name []mdstore.ID

// Plan plans the change.
func (x Name) Plan(d *Draft) (None, error) {
	for _, id := range x {
		if n, ok := d.View.Node(id); ok {
			d.Settle(n)
		}
	}
	return None{}, nil
}

// settle puts what the node's file leaves out before the other fields of the edit.
func (e *Edit) settle() {
	if e.node == nil {
		return
	}
	var first []fieldEdit
	for _, m := range e.node.Missing() {
		if !slices.ContainsFunc(e.fields, func(f fieldEdit) bool { return f.key == m.Key }) {
			first = append(first, fieldEdit{m.Key, m.Value})
		}
	}
	e.fields = append(first, e.fields...)
}

// OnWorkspace returns the edit of the workspace's own file.
func (d *Draft) OnWorkspace() *Edit {
	w := d.View.Workspace()
	return d.on(w.Path, w.Version, w.Doc)
}

// Set gives a front matter key another value; a value that it has already changes nothing.
func (e *Edit) Set(key string, v mdoc.Scalar) {
	if e.doc.Holds(key, v) {
		e.fields = slices.DeleteFunc(e.fields, func(x fieldEdit) bool { return x.key == key })
		return
	}
	e.touched = true
	for i, x := range e.fields {
		if x.key == key {
			e.fields[i].value = v
			return
		}
	}
	e.fields = append(e.fields, fieldEdit{key, v})
}

// Rename gives a front matter key another name; its value stays as it is written.
func (e *Edit) Rename(key, to string) {
	e.item(func() (mdoc.Patch, error) { return e.doc.RenameField(key, to) })
}

// write gives a section another text; the text that it has already changes nothing. What belongs to the whole file
// stays at its end. It reports whether the section will change.
func (e *Edit) write(section, body string) bool {
	body, kept := e.doc.KeepTail(section, body)
	if nested, _, err := mdoc.Nest(body, 2); err == nil && e.doc.Text(section) == nested {
		return false
	}
	e.texts = append(e.texts, func() (mdoc.Patch, error) {
		p, err := e.doc.SetSection(section, body)
		if kept != "" {
			first, _, _ := strings.Cut(kept, "\n")
			p.Adapted = append(p.Adapted, "what belongs to the whole file stays at the end of the section: "+first)
		}
		return p, err
	})
	e.touched = true
	return true
}

// Join puts the texts of the sections whose headings mean a section below that section, and takes their headings out.
func (e *Edit) Join(section string) {
	text := e.doc.Text(section)
	for _, s := range e.doc.Sections() {
		if mdstore.Meant(e.doc, s) != section {
			continue
		}
		if more := e.doc.Slice(s.Body); more != "" {
			text = strings.TrimPrefix(text+"\n\n"+more, "\n\n")
		}
		e.texts = append(e.texts, func() (mdoc.Patch, error) { return e.doc.SetSection(s.Title, "") },
			func() (mdoc.Patch, error) { return e.doc.DropSection(s.Title) })
	}
	e.write(section, text)
}

// Relink gives links in the node's text other targets: pairs of the old one and the new one. Its log stays.
func (e *Edit) Relink(pairs ...string) {
	var all []string
	for i := 0; i+1 < len(pairs); i += 2 {
		for _, open := range []string{"](", "](<"} {
			for _, end := range []string{")", ">", "#", " "} {
				all = append(all, open+pairs[i]+end, open+pairs[i+1]+end)
			}
		}
	}
	links, done := strings.NewReplacer(all...), map[string]bool{mdstore.SecLog: true}
	for _, s := range e.doc.Sections() {
		if text := e.doc.Text(s.Name); !done[s.Name] && e.write(s.Name, links.Replace(text)) {
			e.Did(view.Change{ID: e.node.ID, Key: strings.ToLower(s.Name), Do: "mended"})
		}
		done[s.Name] = true
	}
}

func (e *Edit) append(section, item string) {
	e.item(func() (mdoc.Patch, error) { return e.doc.AppendItem(section, item) })
}

func (e *Edit) replace(section string, index int, item string) {
	e.item(func() (mdoc.Patch, error) { return e.doc.ReplaceItem(section, index, item) })
}

func (e *Edit) remove(section string, index int) {
	e.item(func() (mdoc.Patch, error) { return e.doc.RemoveItem(section, index) })
}

func (e *Edit) item(patch func() (mdoc.Patch, error)) {
	e.items = append(e.items, patch)
	e.touched = true
}

// Log adds an entry to a file's log. Only a person may write an entry in the form of an answer.
func (d *Draft) Log(e *Edit, event string) {
	by := d.act.Operator
	if by == mdstore.OperatorHuman && !d.act.Person && mdstore.IsAnswer(event) {
		by = mdstore.OperatorAI
		d.noAnswer()
	}
	e.append(mdstore.SecLog, mdstore.FormatLog(d.now.Format(mdstore.TimeLayout), by, d.named(event)))
}

// named returns an event with the name of the person by whose token it happens, if the options ask for that.
func (d *Draft) named(event string) string {
	person, _, _ := strings.Cut(d.act.Who, "/")
	if person == "" || !d.opt.Names {
		return event
	}
	return mdstore.NamedEvent(person, event)
}

// noAnswer warns that an entry in the form of an answer does not count as one.
func (d *Draft) noAnswer() {
	const only = "logged as AI: an answer counts only from a person, at a terminal, on the page or in the file"
	if !slices.Contains(d.warnings, only) {
		d.warn(only)
	}
}

// logText is Log for an event with a text of a section below its first line. It quotes a text that cannot be in an item
// of a list, so that every operation can be logged.
func (d *Draft) logText(e *Edit, event string) {
	event = strings.ReplaceAll(event, "\r\n", "\n")
	if first, rest, below := strings.Cut(event, "\n"); below {
		if _, adapted, err := mdoc.ItemText(event); err != nil || adapted != nil {
			event = first + "\n\n> " + strings.ReplaceAll(rest, "\n", "\n> ")
		}
	}
	d.Log(e, event)
}

// Did adds what the edit does.
func (e *Edit) Did(c view.Change) { e.what = append(e.what, c) }

// dated reports whether the edit moves updatedAt. Ticks alone do not: they change one character each.
func (e *Edit) dated() bool {
	return !e.page && (len(e.ticks) == 0 || len(e.fields)+len(e.texts)+len(e.items) > 0)
}

func (e *Edit) apply() error {
	if err := e.doc.Editable(); err != nil {
		return err
	}
	var fields []func() (mdoc.Patch, error)
	for _, f := range e.fields {
		fields = append(fields, func() (mdoc.Patch, error) { return e.doc.SetField(f.key, f.value) })
	}
	var ps []mdoc.Patch
	for _, patch := range slices.Concat(fields, e.texts, e.items, e.ticks) {
		p, err := patch()
		if err != nil {
			return err
		}
		ps = append(ps, p)
		e.adapted = append(e.adapted, p.Adapted...)
	}
	after, err := e.doc.Apply(ps...)
	if err != nil {
		return err
	}
	if !bytes.Equal(after.Bytes(), e.doc.Bytes()) {
		e.after = after
	}
	return nil
}
