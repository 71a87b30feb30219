package mdoc

import (
	"slices"
	"strings"
)

// A plan holds the edits for a list of ops, and what must hold after them.
type plan struct {
	doc      *Doc
	front    *front // nil unless fields are set
	fields   []FieldValue
	renames  map[string]string // the old keys by their new names
	sections []*sectionPlan
	edits    []edit
	lines    map[int]byte // the new characters of boxes that TickLine ticks, by their offsets
	dropped  []int        // the lines of the headings that are removed with their sections
}

// A sectionPlan is all that is requested of the sections of one name.
type sectionPlan struct {
	name    string
	at      []*Section // the sections of that name; empty if a section will be added
	text    *string
	appends []string
	items   map[int]*string // the new texts of items; nil for one that is removed
	places  []place         // the items of all sections in at; nil if no item is edited
	ticks   map[int]byte    // the new characters of boxes, by their offsets
	drop    bool            // remove a section with its heading if all of its items are removed
}

// removes reports whether item i of the sections is removed.
func (s *sectionPlan) removes(i int) bool {
	text, edited := s.items[i]
	return edited && text == nil
}

// plan collects the ops and computes their edits. Of two values for one field, or two
// texts for one section, the later is used.
func (d *Doc) plan(ops []op) (*plan, error) {
	p := &plan{doc: d}
	for _, o := range ops {
		if o.do == setField {
			p.addField(o)
		} else if o.do == renameField {
			if p.renames == nil {
				p.renames = map[string]string{}
			}
			p.renames[o.text] = o.name
		} else if o.do == tickLine {
			if p.lines == nil {
				p.lines = map[int]byte{}
			}
			p.lines[o.index] = o.text[0]
			p.replaceSpan(Span{o.index, o.index + 1}, o.text)
		} else if err := p.addSection(o); err != nil {
			return nil, err
		}
	}
	if p.lines != nil && len(p.sections) > 0 {
		return nil, d.refuse(0, "sections are changed and a line is ticked in one edit; do one after the other")
	}
	if len(p.fields)+len(p.renames) > 0 {
		if err := p.editFields(); err != nil {
			return nil, err
		}
	}
	var added []*sectionPlan
	p.dropSections()
	for _, s := range p.sections {
		switch {
		case len(s.at) == 0:
			added = append(added, s)
		case s.text != nil:
			p.editText(s)
		case s.ticks != nil:
			for mark, c := range s.ticks {
				p.replaceSpan(Span{mark, mark + 1}, string(c))
			}
		default:
			p.editItems(s)
		}
	}
	if len(added) > 0 {
		return p, p.addSections(added)
	}
	return p, nil
}

func (p *plan) addField(o op) {
	if f := p.field(o.name); f != nil {
		f.Value = o.scalar
		return
	}
	p.fields = append(p.fields, FieldValue{o.name, o.scalar})
}

// field returns the plan for a key, or nil.
func (p *plan) field(key string) *FieldValue {
	if i := slices.IndexFunc(p.fields, func(f FieldValue) bool { return f.Key == key }); i >= 0 {
		return &p.fields[i]
	}
	return nil
}

func (p *plan) addSection(o op) error {
	s := p.section(o.name)
	if o.do == setSection {
		if len(s.at) > 1 {
			return p.doc.refuse(s.at[1].Line, "section %s stands twice, in lines %d and %d; merge the two by hand first",
				s.name, s.at[0].Line, s.at[1].Line)
		}
		s.text = &o.text
	} else if err := p.addPart(s, o); err != nil {
		return err
	}
	if s.text != nil && len(s.appends)+len(s.items) > 0 {
		return p.doc.refuse(0, "section %s is given a text and other items in one edit; do one after the other", s.name)
	}
	if s.ticks != nil && (s.text != nil || len(s.appends)+len(s.items) > 0) {
		return p.doc.refuse(0, "section %s is given another text and ticks in one edit; do one after the other", s.name)
	}
	return nil
}

func (p *plan) addPart(s *sectionPlan, o op) error {
	if o.do == tickBox {
		return p.addTick(s, o)
	}
	return p.addItem(s, o)
}

func (p *plan) addItem(s *sectionPlan, o op) error {
	if s.places == nil {
		s.places = p.doc.places(s.at...)
	}
	switch o.do {
	case dropSection:
		s.drop = true
		return nil
	case appendItem:
		s.appends = append(s.appends, o.text)
		return nil
	}
	if n := len(s.places); o.index < 0 || o.index >= n {
		return p.doc.refuse(0, "section %s has no item %d: it has %d, counted from 0", s.name, o.index, n)
	}
	s.items[o.index] = nil
	if o.do == replaceItem {
		s.items[o.index] = &o.text
	}
	return nil
}

// section returns the plan for the sections of that name, and adds it if there is none.
func (p *plan) section(name string) *sectionPlan {
	name = strings.TrimSpace(p.doc.form.canonical(name))
	if s := p.find(name); s != nil {
		return s
	}
	s := &sectionPlan{name: name, at: slices.Collect(p.doc.named(name)), items: map[int]*string{}}
	p.sections = append(p.sections, s)
	return s
}

// find returns the plan for the sections of that canonical name, or nil.
func (p *plan) find(name string) *sectionPlan {
	for _, s := range p.sections {
		if strings.EqualFold(s.name, name) {
			return s
		}
	}
	return nil
}

// replaceSpan adds an edit unless it changes nothing.
func (p *plan) replaceSpan(s Span, text string) {
	if string(p.doc.text[s.Start:s.End]) != text {
		p.edits = append(p.edits, edit{s, text})
	}
}
