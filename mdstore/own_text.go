package mdstore

import (
	"slices"

	"arbor/mdstore/mdoc"
)

// An OwnText is a text in the body of a node that NodeForm has no place for. A person wrote it, or another program.
type OwnText struct {
	Name string `json:"name"` // the heading; "" for the text above the first section
	Text string `json:"text"` // the text below it, as Doc.Slice returns it

	Span mdoc.Span `json:"-"` // of the text, with its heading
}

// OwnTexts returns all text of the node's body that no other method returns, in the order of the file: the text above
// the first section, sections that NodeForm does not know, the text after a heading of level 1, and text besides the
// items in a section that is a list.
func (n *Node) OwnTexts() (all []OwnText) {
	d := n.Doc()
	if d.Opaque() {
		return nil
	}
	add := func(name string, whole, body mdoc.Span) {
		if text := d.Slice(body); name != "" || text != "" {
			all = append(all, OwnText{name, text, whole})
		}
	}
	var tops []mdoc.Heading // these end the sections above them
	for _, h := range d.Headings() {
		if h.Level == 2 || h.Level == 1 && len(tops) > 0 {
			tops = append(tops, h)
		}
	}
	sections, next := d.Sections(), 0
	above := mdoc.Span{Start: len(d.Front()), End: len(d.Readable())}
	if len(tops) > 0 {
		above.End = tops[0].Span.Start
	}
	add("", above, above)
	for i, h := range tops {
		whole := mdoc.Span{Start: h.Span.Start, End: len(d.Readable())}
		if i+1 < len(tops) {
			whole.End = tops[i+1].Span.Start
		}
		body := mdoc.Span{Start: h.Span.End, End: whole.End}
		if h.Level == 1 {
			add(h.Title, whole, body)
			continue
		}
		s := sections[next]
		next++
		at := slices.IndexFunc(NodeForm.Sections, func(f mdoc.SectionForm) bool { return f.Name == s.Name })
		if at < 0 {
			add(h.Title, whole, body)
		} else if rest := unread(d, s, NodeForm.Sections[at].Key != nil); rest != "" {
			all = append(all, OwnText{h.Title, rest, whole})
		}
	}
	return all
}

// unread returns the text of a section of NodeForm that no other method of Node returns.
func unread(d *mdoc.Doc, s mdoc.Section, list bool) (text string) {
	add := func(more string) {
		if text != "" && more != "" {
			text += "\n\n"
		}
		text += more
	}
	switch {
	case s.Name == SecCriteria: // CriteriaText has all of it
	case s.Name == SecProblem: // of several, only the first is split into problem and next step
		first, _ := d.Section(SecProblem)
		if _, split := nextStepIn(d, first); split && first.Line != s.Line {
			add(d.Slice(s.Body))
		}
	case list:
		if s.Name != SecLog { // entries of a log can be any text
			for _, it := range d.Items(s.Name) {
				in := it.Span.Start >= s.Body.Start && it.Span.End <= s.Body.End
				if in && (!it.Listed || ParseRef(it.Text).Target == "") {
					add(it.Text)
				}
			}
		}
		add(d.Slice(d.Below(s)))
	}
	return text
}
