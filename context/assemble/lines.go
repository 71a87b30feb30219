package assemble

import (
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// linesOf returns the lines of a document's sections. A section that occurs more than once reaches from the first
// heading to the last line.
func linesOf(d *mdoc.Doc) (l Lines) {
	for _, s := range d.Sections() {
		r := l.of(s.Name)
		if r == nil {
			continue
		}
		if r[0] == 0 {
			r[0] = s.Line
		}
		_, r[1] = d.Lines(mdoc.Span{Start: s.Heading.Start, End: s.Body.End})
	}
	return l
}

func (l *Lines) of(section string) *Range {
	switch section {
	case mdstore.SecRules:
		return &l.Rules
	case mdstore.SecRequirement:
		return &l.Requirement
	case mdstore.SecConclusion:
		return &l.Conclusion
	case mdstore.SecNote:
		return &l.Note
	case mdstore.SecDocs:
		return &l.Docs
	case mdstore.SecLog:
		return &l.Log
	case mdstore.SecProblem:
		return &l.Problem
	}
	return nil
}
