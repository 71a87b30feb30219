package assemble

import (
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// sections says which sections a document has, so that nobody asks for the others.
type sections struct {
	rules, requirement, conclusion, note, docs, log, problem bool
}

// located is what locate finds in a document: where its sections stand, and the texts that several parts of bundles show.
type located struct {
	lines                         Lines
	has                           sections
	requirement, conclusion, note string
}

// linesKey is the key of what was located in a document.
type linesKey struct{}

// locate returns where the sections of a document stand. A section that stands more than once reaches from the first to the last.
func locate(d *mdoc.Doc) *located {
	return d.Found(linesKey{}, func() any {
		at := &located{}
		at.has = at.lines.locate(d)
		if at.has.requirement {
			at.requirement = d.Text(mdstore.SecRequirement)
		}
		if at.has.conclusion {
			at.conclusion = d.Text(mdstore.SecConclusion)
		}
		if at.has.note {
			at.note = d.Text(mdstore.SecNote)
		}
		return at
	}).(*located)
}

func (l *Lines) locate(d *mdoc.Doc) sections {
	var has sections
	for _, s := range d.Sections() {
		switch s.Name {
		case mdstore.SecRules:
			has.rules = true
			l.Rules.extend(d, s)
		case mdstore.SecRequirement:
			has.requirement = true
			l.Requirement.extend(d, s)
		case mdstore.SecConclusion:
			has.conclusion = true
			l.Conclusion.extend(d, s)
		case mdstore.SecNote:
			has.note = true
			l.Note.extend(d, s)
		case mdstore.SecDocs:
			has.docs = true
			l.Docs.extend(d, s)
		case mdstore.SecLog:
			has.log = true
			l.Log.extend(d, s)
		case mdstore.SecProblem:
			has.problem = true
			l.Problem.extend(d, s)
		}
	}
	return has
}

func (r *Range) extend(d *mdoc.Doc, s mdoc.Section) {
	_, last := d.Lines(mdoc.Span{Start: s.Heading.Start, End: s.Body.End})
	if r[0] == 0 {
		r[0] = s.Line
	}
	r[1] = last
}
