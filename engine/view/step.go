package view

import (
	"fmt"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// An Edition is one version of a node's file or of a workspace's own, as a revision of git or the vault has it.
type Edition struct {
	ID, Parent mdstore.ID // the id of the workspace for its own file
	Title      string     // or name
	Status     statemachine.Status
	Doc        *mdoc.Doc
	Damage     string // why the file cannot be read, or not all of it; "" where it can be
}

// EditionOf reads a version of the file at a path.
func EditionOf(p mdstore.Path, data []byte) *Edition {
	e := &Edition{}
	if mdstore.AllKinds().Of(p) == mdstore.WorkspaceKind {
		w := mdstore.ParseWorkspace(mdstore.File{Path: p, Data: data})
		status, _ := w.Doc.Field(mdstore.KeyStatus)
		*e = Edition{ID: w.ID, Title: w.Name, Status: statemachine.Status(status.Value), Doc: w.Doc}
	} else {
		n := mdstore.ParseNode(mdstore.File{Path: p, Data: data})
		*e = Edition{ID: n.ID, Parent: n.Parent, Title: n.Title, Status: n.Status, Doc: n.Doc()}
	}
	if err := e.Doc.Editable(); err != nil {
		e.Damage = err.Error()
	}
	return e
}

// A Step is what became of a file from one edition to the next.
type Step struct {
	What         []string           // in words: all but creation, status, parent, log
	Log          []mdstore.LogEntry // that came
	Rules, Taken []string           // rules that came, and that went
	Conclusion   string             // the first line of one that came or is another one
}

// StepOf compares two editions of a file; was is nil for one that was not there.
func StepOf(was, is *Edition) (s Step) {
	var old *mdoc.Doc
	if was != nil {
		old = was.Doc
		for _, c := range FieldChanges(old, is.Doc) {
			if w := fieldWords(c); w != "" {
				s.What = append(s.What, w)
			}
		}
	}
	for _, c := range SectionChanges(old, is.Doc) {
		name := strings.ToLower(c.Name)
		switch {
		case c.Name == mdstore.SecLog:
			for _, text := range c.Added {
				s.Log = append(s.Log, mdstore.ParseLog(text))
			}
			if n := len(c.Removed); n > 0 {
				s.What = append(s.What, fmt.Sprintf("log −%d", n))
			}
			continue
		case c.Name == mdstore.SecRules:
			s.Rules, s.Taken = c.Added, c.Removed
		case c.Name == mdstore.SecConclusion:
			s.Conclusion, _, _ = strings.Cut(is.Doc.Text(mdstore.SecConclusion), "\n")
		}
		switch {
		case was == nil:
		case len(c.Added)+len(c.Removed) > 0:
			s.What = append(s.What, fmt.Sprintf("%s +%d −%d", name, len(c.Added), len(c.Removed)))
		case c.Kind == Added:
			s.What = append(s.What, name+" written")
		default:
			s.What = append(s.What, name+" "+c.Kind)
		}
	}
	return s
}

// fieldWords says how a key changed, "" for one that another part of a step tells of, or that follows from others.
func fieldWords(c FieldChange) string {
	switch c.Key {
	case mdstore.KeyStatus, mdstore.KeyParent, mdstore.KeyUpdated, mdstore.KeyRulesHash:
		return ""
	}
	value := func(s *string) string {
		if s == nil {
			return "none"
		}
		return fmt.Sprintf("%.100q", *s)
	}
	return c.Key + " " + value(c.From) + " → " + value(c.To)
}
