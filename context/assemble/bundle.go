package assemble

import (
	"arbor/mdstore"
	"arbor/statemachine"
)

// A Bundle is the context of one node. No list that JSON always has is nil. Texts are those of the files, with LF line
// ends. A text that was cut ends in a line that says how much is left out.
type Bundle struct {
	Workspace        WorkspacePart    `json:"workspace"`
	Chain            []ChainPart      `json:"chain"`                  // from the top down; the last is the focus
	ChildConclusions []ChildPart      `json:"childConclusions"`       // terminal children that have one, in the order of the tree
	ChildCounts      map[string]int   `json:"childCounts"`            // the other children, by status or StatusInvalid
	Dependencies     []DependencyPart `json:"dependencies,omitempty"` // of the focus, then of its ancestors
	References       []RefPart        `json:"references"`             // in the order of the file
	Omitted          []Omission       `json:"omitted" only:"rarely"`
	Have             []string         `json:"have,omitempty"` // with Options.Have: "ID@VERSION" of each part in full
	Tokens           int              `json:"tokens"`         // of the rendered bundle, by the function Tokens
	Budget           int              `json:"budget"`         // 0 for none
	OverBudget       bool             `json:"overBudget"`     // the passages that always stay are larger than the budget
}

// StatusInvalid is the key in ChildCounts of the children whose status is not one of their type.
const StatusInvalid = "invalid"

// Focus returns the node that the bundle is about.
func (b *Bundle) Focus() *ChainPart { return &b.Chain[len(b.Chain)-1] }

// A Range is a first and a last line, 1-based, heading included. The zero Range stands for no lines.
type Range [2]int

// Lines are the places of a part's texts in its file, those of texts that were left out included. They, versions, and
// lines of references are there with Options.Places only.
type Lines struct {
	Rules       Range `json:"rules,omitzero"`
	Requirement Range `json:"requirement,omitzero"`
	Criteria    Range `json:"criteria,omitzero"`
	Conclusion  Range `json:"conclusion,omitzero"`
	Note        Range `json:"note,omitzero"`
	Docs        Range `json:"docs,omitzero"`
	Log         Range `json:"log,omitzero"`
	Problem     Range `json:"problem,omitzero"`
}

// A WorkspacePart has the facts that every node of the workspace needs.
type WorkspacePart struct {
	ID        mdstore.ID       `json:"id" only:"verbose"`
	Name      string           `json:"name"`
	Goal      string           `json:"goal"`
	Rules     []string         `json:"rules"`
	RulesHash string           `json:"rulesHash"` // computed from the rules of the file; "" for no rules
	Docs      []Doc            `json:"docs"`
	Problem   *mdstore.Problem `json:"problem"` // nil for none
	File      mdstore.Path     `json:"file" only:"verbose"`
	Version   string           `json:"version,omitempty" only:"rarely"`
	Lines     Lines            `json:"lines,omitzero" only:"rarely"`
}

// A ChainPart is an ancestor of the focus, or the focus.
type ChainPart struct {
	NodeID mdstore.ID `json:"nodeId"`
	mdstore.Head
	Requirement string           `json:"requirement"`
	Criteria    string           `json:"criteria,omitempty"` // with the numbers of the boxes
	Docs        []Doc            `json:"docs"`
	Note        string           `json:"note"`
	Own         mdstore.Owns     `json:"fields,omitempty" only:"rarely"`   // of the focus
	Sections    []Section        `json:"sections,omitempty" only:"rarely"` // those of an ancestor without their texts
	Conclusion  string           `json:"conclusion"`
	Form        string           `json:"form,omitempty" only:"rarely"` // the required form of the focus's conclusion
	Problem     *mdstore.Problem `json:"problem"`                      // nil for none
	LogEntries  []LogEntry       `json:"logEntries"`
	File        mdstore.Path     `json:"file"` // without Options.Places only if something of the node is missing here
	Version     string           `json:"version,omitempty" only:"rarely"`
	Lines       Lines            `json:"lines,omitzero" only:"rarely"`

	file mdstore.Path
}

// A Section is a text of a node that Arbor has no place for, see mdstore.Node.OwnTexts.
type Section struct {
	Name  string `json:"name"` // "" for the text above the first section
	Text  string `json:"text,omitempty"`
	Lines Range  `json:"lines,omitzero" only:"rarely"`
}

// TextAbove is the name, in an ancestor, of the text above its first section.
const TextAbove = "text above the first section"

// A Doc is a document that belongs to a node or the workspace.
type Doc struct {
	Path        string `json:"path"`
	Description string `json:"description"`
}

// A LogEntry is one line of a log. Timestamp and Operator are "" for a line that a person wrote in another form.
type LogEntry struct {
	Timestamp string `json:"timestamp"` // "2006-01-02 15:04:05", UTC
	Operator  string `json:"operator"`
	Event     string `json:"event"`
}

// A ChildPart is a finished child of the focus.
type ChildPart struct {
	NodeID     mdstore.ID          `json:"nodeId"`
	Title      string              `json:"title"`
	Status     statemachine.Status `json:"status"`
	Conclusion string              `json:"conclusion"`
	File       mdstore.Path        `json:"file"` // without Options.Places only of a file with problems
	Version    string              `json:"version,omitempty" only:"rarely"`
	Lines      Lines               `json:"lines,omitzero" only:"rarely"`

	changed int64 // Unix milliseconds
	known   bool  // the reader has it; only the id is here
}

// A DependencyPart is a node that the focus, or an ancestor of it, depends on.
type DependencyPart struct {
	NodeID     string              `json:"nodeId"` // the text in the file if there is no such node
	Title      string              `json:"title,omitempty"`
	Status     statemachine.Status `json:"status,omitempty"` // "" if there is no such node
	Conclusion string              `json:"conclusion,omitempty"`
	File       mdstore.Path        `json:"file,omitempty" only:"verbose"`
	Version    string              `json:"version,omitempty" only:"rarely"`
	Lines      Lines               `json:"lines,omitzero" only:"rarely"`
}

// The kinds of references.
const (
	RefNode = "node"
	RefDoc  = "doc"
)

// A RefPart is the target of a reference of the focus: a node's passages, or a document's path.
type RefPart struct {
	TargetID       string              `json:"targetId"`    // a node's id, or a document's path as in the reference
	Type           string              `json:"type"`        // RefNode or RefDoc
	Description    string              `json:"description"` // of the reference
	Title          string              `json:"title"`
	Status         statemachine.Status `json:"status,omitempty"` // of a node; the reference itself is always active
	Requirement    string              `json:"requirement,omitempty"`
	Conclusion     string              `json:"conclusion,omitempty"`
	DocDescription string              `json:"docDescription,omitempty"`     // from the document's front matter
	Dangling       bool                `json:"dangling,omitempty"`           // there is no such node or document
	Line           int                 `json:"line,omitempty" only:"rarely"` // of the reference in the focus's file
	File           mdstore.Path        `json:"file,omitempty"`               // the node's; without Options.Places only of a file with problems
	Version        string              `json:"version,omitempty" only:"rarely"`
	Lines          Lines               `json:"lines,omitzero" only:"rarely"`
}
