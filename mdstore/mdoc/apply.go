package mdoc

import (
	"cmp"
	"fmt"
	"slices"
)

// Apply makes the edits of all patches in one splice and parses the result. It refuses the result with an *EditError
// unless exactly the requested values changed. The patches must have been computed against d.
//
// Apply follows the order of the patches: items appended to one section keep that order, and of two values for one
// field, or two texts for one section, it uses the later one. One call cannot both set the text of a section and edit
// its items. If nothing changes, Apply returns d itself.
func (d *Doc) Apply(ps ...Patch) (*Doc, error) {
	if err := d.Editable(); err != nil {
		return nil, err
	}
	var ops []op
	for _, p := range ps {
		if p.doc != d && p.doc != nil {
			return nil, d.refuse(0, "the edit was computed against another version of the document")
		}
		ops = append(ops, p.ops...)
	}
	p, err := d.plan(ops)
	if err != nil {
		return nil, err
	}
	if len(p.edits) == 0 {
		return d, nil
	}
	out, err := splice(d.src, p.edits)
	if err != nil {
		return nil, d.refuse(0, "the edits contradict each other: %v", err)
	}
	after, problems := Parse(d.name, out, d.form)
	if len(problems) > 0 {
		return nil, d.refuse(problems[0].Line, "the edit would make the file unreadable: %s", problems[0].Text)
	}
	if err := p.check(after); err != nil {
		return nil, err
	}
	return after, nil
}

// An edit replaces a span by a text.
type edit struct {
	span Span
	text string
}

// splice makes all edits in one pass. Edits of the same place keep their given order. Edits that overlap are an error.
func splice(src []byte, edits []edit) ([]byte, error) {
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.span.Start, b.span.Start), cmp.Compare(a.span.End, b.span.End))
	})
	size := len(src)
	for _, e := range edits {
		size += len(e.text) - e.span.Len()
	}
	out := make([]byte, 0, max(size, 0))
	at := 0
	for _, e := range edits {
		if e.span.Start < at || e.span.End < e.span.Start || e.span.End > len(src) {
			return nil, fmt.Errorf("edit of bytes %d to %d overlaps another", e.span.Start, e.span.End)
		}
		out = append(out, src[at:e.span.Start]...)
		out = append(out, e.text...)
		at = e.span.End
	}
	return append(out, src[at:]...), nil
}
