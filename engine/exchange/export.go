package exchange

import (
	"slices"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
)

// A Plan is what an export writes.
type Plan struct {
	View  *view.View
	Nodes []*mdstore.Node // those that match, in the order of the tree
	All   bool            // Nodes has all of the workspace, and Files its other files
	Files []mdstore.File
	Graph string // the dependencies of the nodes as a diagram in Mermaid
}

// A Format is a form in which a plan is exported as one text.
type Format struct {
	Name  string
	Form  string // what it has
	write func(Plan) (string, error)
}

// Formats returns the formats of exports.
func Formats() []Format {
	return []Format{
		{"json", "all of a workspace with its files; arbor import reads it", writeJSON},
		{"csv", "a row for each node", writeCSV},
		{"md", "one Markdown document, to read or to paste into an issue", writeMarkdown},
		{"ics", "a calendar with the due dates", writeCalendar},
		{"mermaid", "the dependencies as a diagram for Markdown", func(p Plan) (string, error) { return p.Graph, nil }},
	}
}

// Write returns a plan in the format of that name. The error says what would work.
func Write(p Plan, format string) (string, error) {
	all := Formats()
	i := slices.IndexFunc(all, func(f Format) bool { return f.Name == format })
	if i < 0 {
		var names []string
		for _, f := range all {
			names = append(names, f.Name)
		}
		return "", refused("%q is no format; one of %s is expected", format, strings.Join(names, ", "))
	}
	return all[i].write(p)
}
