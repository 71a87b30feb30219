package plan

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// TickLine ticks the task box in a line of a node's text, or takes the tick away.
type TickLine struct {
	Node  mdstore.ID
	Field string // "requirement", "conclusion", "note", or the index of an own text: see mdstore.Node.OwnTexts
	Line  int    // of that text, from 0
	Done  bool
}

// Plan plans the tick.
func (x TickLine) Plan(d *Draft) (None, error) {
	n, e, err := d.editNode(x.Node)
	if err != nil {
		return None{}, err
	}
	name, line := lineInFile(n, x.Field, x.Line)
	if p, err := e.doc.TickLine(line, x.Done); line == 0 || err != nil {
		return None{}, errs.New(errs.InvalidParams, "there is no task box in this line now; look again")
	} else if p.Empty() {
		return None{}, nil
	}
	e.ticks = append(e.ticks, func() (mdoc.Patch, error) { return e.doc.TickLine(line, x.Done) })
	e.touched = true
	e.Did(view.Change{ID: n.ID, Key: name, Do: map[bool]string{true: "ticked", false: "unticked"}[x.Done]})
	return None{}, nil
}

// lineInFile returns the line of a node's file that has a line of one of its texts, and the name of that text; 0 for
// none.
func lineInFile(n *mdstore.Node, field string, line int) (name string, at int) {
	d, text, spans := n.Doc(), "", []mdoc.Span(nil)
	sections := map[string]string{"requirement": mdstore.SecRequirement, "conclusion": mdstore.SecConclusion,
		"note": mdstore.SecNote}
	if section, ok := sections[field]; ok {
		name, text = field, d.Text(section)
		for _, s := range d.Sections() {
			if s.Name == section {
				spans = append(spans, s.Body)
			}
		}
	} else if i, err := strconv.Atoi(field); err == nil && i >= 0 && i < len(n.OwnTexts()) {
		own := n.OwnTexts()[i]
		name, text, spans = cmp.Or(own.Name, "text"), own.Text, []mdoc.Span{own.Span}
	}
	lines := strings.Split(text, "\n")
	if line < 0 || line >= len(lines) {
		return "", 0
	}
	want, nth := strings.TrimSpace(lines[line]), 0 // the nth line that says the same
	for _, l := range lines[:line] {
		if strings.TrimSpace(l) == want {
			nth++
		}
	}
	for _, s := range spans {
		number, _ := d.Lines(s)
		for l := range bytes.Lines(d.Readable()[s.Start:s.End]) {
			if string(bytes.TrimSpace(l)) == want {
				if nth == 0 {
					return name, number
				}
				nth--
			}
			number++
		}
	}
	return "", 0
}
