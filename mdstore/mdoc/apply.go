package mdoc

// Apply makes the edits of all patches, which must have been computed against d, in one
// splice, parses the result, and refuses it with an *EditError unless exactly the requested
// values changed.
//
// Patches are made in their order: items appended to one section keep it, and of two values
// for one field or two texts for one section the later is used. A section cannot get a text
// and other items at once. If nothing changes the result is d itself.
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
