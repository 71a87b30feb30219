package view

import (
	"fmt"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// An Edition is one version of a node's or workspace's file, in a revision of git or in the vault.
type Edition struct {
	ID, Parent mdstore.ID // the id of the workspace for its own file
	Title      string     // of the node, or the name of the workspace
	Status     statemachine.Status
	Doc        *mdoc.Doc
	Gaps       mdstore.Gaps
	Damage     string // why the file cannot be read, or not all of it; "" if it can be
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
		*e = Edition{ID: n.ID, Parent: n.Parent, Title: n.Title, Status: n.Status, Gaps: n.Gaps(), Doc: n.Doc()}
	}
	if err := e.Doc.Editable(); err != nil {
		e.Damage = err.Error()
	}
	return e
}

// A Step is the change of a file from one edition to the next.
type Step struct {
	What         []Change           // all but creation, status, parent, log
	Log          []mdstore.LogEntry // entries that were added
	Rules, Taken []string           // rules that came, and that went
	Conclusion   string             // the first line of a new or changed conclusion
}

// StepOf compares two editions of a file; was is nil for a new file.
func StepOf(was, is *Edition) (s Step) {
	var old *mdoc.Doc
	if was != nil {
		old = was.Doc
		for _, c := range FieldChanges(old, is.Doc) {
			if !follows(c.Key) && !was.leaves(c.Key) && !is.leaves(c.Key) {
				s.What = append(s.What, Change{Key: c.Key, From: quoted(c.From), To: quoted(c.To)})
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
				s.What = append(s.What, Change{Key: name, Do: fmt.Sprintf("−%d", n)})
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
			s.What = append(s.What, Change{Key: name, Do: fmt.Sprintf("+%d −%d", len(c.Added), len(c.Removed))})
		case c.Kind == Added:
			s.What = append(s.What, Change{Key: name, Do: "written"})
		default:
			s.What = append(s.What, Change{Key: name, Do: c.Kind})
		}
	}
	return s
}

// leaves reports whether the file leaves a key out that a node always has: writing it is no change of the node.
func (e *Edition) leaves(key string) bool {
	return key == mdstore.KeyID && e.Gaps.ID || key == mdstore.KeyType && e.Gaps.Life
}

// follows reports whether another part of a step reports a key, or the key follows from others.
func follows(key string) bool {
	switch key {
	case mdstore.KeyStatus, mdstore.KeyParent, mdstore.KeyUpdated, mdstore.KeyRulesHash:
		return true
	}
	return false
}

func quoted(value *string) string {
	if value == nil {
		return "none"
	}
	return fmt.Sprintf("%.100q", *value)
}
