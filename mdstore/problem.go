package mdstore

import (
	"strings"

	"arbor/mdstore/mdoc"
)

// A Problem is what keeps a node or workspace from going on, and what to do about it.
type Problem struct {
	Text     string `json:"problem"`
	NextStep string `json:"nextStep,omitempty"`
}

// IsZero reports whether there is no problem.
func (p Problem) IsZero() bool { return p == Problem{} }

// Raised returns the event of the log entry of a problem that is raised, and Cleared that of one that is cleared: both
// with its text, so that the log still has the problem when it is gone.
func (p Problem) Raised() string { return "problem:" + p.below() }

// Cleared is Raised for a problem that is cleared.
func (p Problem) Cleared() string { return "problem cleared:" + p.below() }

// below returns a text to follow a word: on the same line if it has one line, or else on the lines below.
func (p Problem) below() string {
	text := p.Text
	if p.NextStep != "" {
		text += "\n" + NextStep + ": " + p.NextStep
	}
	if strings.Contains(text, "\n") {
		return "\n" + text
	}
	return " " + text
}

// Body returns the text of the section that holds the problem, with its parts nested so that each reads back by itself;
// adapted names what was changed for that. It is for the document in, nil for a new one: the parts of its problem that
// stay keep their form, and so does the heading of the next step; a new heading is in the language of the section's.
// The error is an *mdoc.EditError for a text that no document can hold.
func (p Problem) Body(in *mdoc.Doc) (body string, adapted []string, err error) {
	f := formOf(in)
	if p == f.was {
		return f.all, nil, nil
	}
	text, adapted, err := mdoc.Nest(p.Text, 2)
	if err != nil {
		return "", nil, err
	}
	if holdsNextStep(text) { // it would be read as the next step
		var more []string
		if text, more, err = mdoc.Nest(text, 3); err != nil {
			return "", nil, err
		}
		adapted = append(adapted, more...)
	}
	if p.NextStep == "" {
		return text, adapted, nil
	}
	next, more, err := mdoc.Nest(p.NextStep, 3)
	if err != nil {
		return "", nil, err
	}
	above := f.above
	if text != f.was.Text {
		above = "\n\n" // the text above may not have needed them
	}
	return strings.TrimLeft(text+above+f.heading+f.below+next, "\n"), append(adapted, more...), nil
}

// A problemForm is how a document has its problem.
type problemForm struct {
	was          Problem
	all          string // the section's text
	heading      string // of the next step
	above, below string // the line ends and blank lines around it
}

func formOf(d *mdoc.Doc) problemForm {
	f := problemForm{heading: "### " + NextStep, above: "\n\n", below: "\n\n"}
	if d == nil {
		return f
	}
	if !strings.EqualFold(d.Title(SecProblem), SecProblem) {
		f.heading = "### " + nextStepAlias
	}
	s, ok := d.Section(SecProblem)
	if !ok {
		return f
	}
	f.was, f.all = problemOf(d), d.Text(SecProblem)
	if h, ok := nextStepIn(d, s); ok {
		f.heading = d.Slice(h.Span)
		if f.was.Text != "" {
			f.above = strings.TrimSuffix(strings.TrimPrefix(d.Slice(mdoc.Span{Start: s.Body.Start, End: h.Span.End}), f.was.Text), f.heading)
		}
		if f.was.NextStep != "" {
			f.below = strings.TrimSuffix(strings.TrimPrefix(d.Slice(mdoc.Span{Start: h.Span.Start, End: s.Body.End}), f.heading), f.was.NextStep)
		}
	}
	return f
}

func holdsNextStep(text string) bool {
	d, _ := mdoc.Parse("", []byte("---\n---\n\n"+text+"\n"), nil)
	for _, h := range d.Headings() {
		if isNextStep(h) {
			return true
		}
	}
	return false
}

func isNextStep(h mdoc.Heading) bool {
	return h.Level == 3 && (strings.EqualFold(h.Title, NextStep) || h.Title == nextStepAlias)
}

// problemOf splits the Problem section at its last level-3 heading that names the next step.
func problemOf(d *mdoc.Doc) Problem {
	s, ok := d.Section(SecProblem)
	if !ok {
		return Problem{}
	}
	h, ok := nextStepIn(d, s)
	if !ok {
		return Problem{Text: d.Text(SecProblem)}
	}
	return Problem{Text: d.Slice(mdoc.Span{Start: s.Body.Start, End: h.Span.Start}), NextStep: d.Slice(mdoc.Span{Start: h.Span.End, End: s.Body.End})}
}

// nextStepIn returns the last heading of the section that names the next step.
func nextStepIn(d *mdoc.Doc, s mdoc.Section) (at mdoc.Heading, ok bool) {
	for _, h := range d.Headings() {
		if h.Span.Start >= s.Body.Start && h.Span.End <= s.Body.End && isNextStep(h) {
			at, ok = h, true
		}
	}
	return at, ok
}
