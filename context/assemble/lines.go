package assemble

import (
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// linesOf returns the lines of a document's sections. A section that occurs more than once reaches from the first
// heading to the last line.
func linesOf(d *mdoc.Doc) (l Lines) {
	at := map[string]*Range{
		mdstore.SecRules: &l.Rules, mdstore.SecRequirement: &l.Requirement, mdstore.SecConclusion: &l.Conclusion,
		mdstore.SecCriteria: &l.Criteria,
		mdstore.SecNote:     &l.Note, mdstore.SecDocs: &l.Docs, mdstore.SecLog: &l.Log, mdstore.SecProblem: &l.Problem,
	}
	for _, s := range d.Sections() {
		r := at[s.Name]
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
