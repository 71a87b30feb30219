package assemble

import (
	"arbor/mdstore"
	"arbor/statemachine"
)

// A Bundle is the context of one node. No list in it is nil. Texts are as the
// files have them, with LF line ends; one that was cut ends in a line that
// says so.
type Bundle struct {
	Workspace        WorkspacePart  `json:"workspace"`
	Chain            []ChainPart    `json:"chain"`            // from the top down; the last is the focus
	ChildConclusions []ChildPart    `json:"childConclusions"` // terminal children that have one, in the order of the tree
	ChildCounts      map[string]int `json:"childCounts"`      // the other children, by status; StatusInvalid for one that is none
	References       []RefPart      `json:"references"`       // in the order of the file
	Omitted          []Omission     `json:"omitted"`
	Tokens           int            `json:"tokens"`     // the size of the rendered bundle, by the function Tokens
	Budget           int            `json:"budget"`     // 0 for none
	OverBudget       bool           `json:"overBudget"` // what is never left out is larger than the budget
}

// StatusInvalid counts the children whose files hold no status of their type.
const StatusInvalid = "invalid"

// Focus returns the node that the bundle is about.
func (b *Bundle) Focus() *ChainPart { return &b.Chain[len(b.Chain)-1] }

// A Range is a first and a last line, 1-based, heading included. The zero Range is none.
type Range [2]int

// Lines say where the texts of a part stand in its file. They name texts that were left out, too.
type Lines struct {
	Rules       Range `json:"rules,omitzero"`
	Requirement Range `json:"requirement,omitzero"`
	Conclusion  Range `json:"conclusion,omitzero"`
	Note        Range `json:"note,omitzero"`
	Docs        Range `json:"docs,omitzero"`
	Log         Range `json:"log,omitzero"`
	Problem     Range `json:"problem,omitzero"`
}

// A WorkspacePart is what holds for every node.
type WorkspacePart struct {
	ID        mdstore.ID       `json:"id"`
	Name      string           `json:"name"`
	Goal      string           `json:"goal"`
	Rules     []string         `json:"rules"`
	RulesHash string           `json:"rulesHash"` // of Rules, whatever the file stores; "" where that is closed to edits
	Docs      []Doc            `json:"docs"`
	Problem   *mdstore.Problem `json:"problem"` // nil for none
	At        mdstore.Path     `json:"at"`
	Version   string           `json:"version"`
	Lines     Lines            `json:"lines"`
}

// A ChainPart is a node on the way down to the focus, or the focus.
type ChainPart struct {
	NodeID      mdstore.ID          `json:"nodeId"`
	Title       string              `json:"title"`
	Type        statemachine.Type   `json:"type"`
	Status      statemachine.Status `json:"status"`
	Role        mdstore.Role        `json:"role,omitempty"`
	Isolated    bool                `json:"isolated,omitempty"`
	Requirement string              `json:"requirement"`
	Docs        []Doc               `json:"docs"`
	Note        string              `json:"note"`
	Conclusion  string              `json:"conclusion"`
	Problem     *mdstore.Problem    `json:"problem"` // nil for none
	LogEntries  []LogEntry          `json:"logEntries"`
	At          mdstore.Path        `json:"at"`
	Version     string              `json:"version"`
	Lines       Lines               `json:"lines"`
}

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
	At         mdstore.Path        `json:"at"`
	Version    string              `json:"version"`
	Lines      Lines               `json:"lines"`

	age int64 // when it was last changed, Unix milliseconds
}

// The kinds of references.
const (
	RefNode = "node"
	RefDoc  = "doc"
)

// A RefPart is what a reference of the focus leads to: a node's passages, or a document's path.
type RefPart struct {
	Kind           string              `json:"kind"`             // RefNode or RefDoc
	NodeID         mdstore.ID          `json:"nodeId,omitempty"` // of a node
	Path           string              `json:"path,omitempty"`   // of a document, as the reference has it
	Description    string              `json:"description"`      // what the focus says about it
	Title          string              `json:"title"`
	Status         statemachine.Status `json:"status,omitempty"`
	Requirement    string              `json:"requirement,omitempty"`
	Conclusion     string              `json:"conclusion,omitempty"`
	DocDescription string              `json:"docDescription,omitempty"` // what the document says about itself
	Dangling       bool                `json:"dangling,omitempty"`       // the workspace has no such node, or the project no such document
	Line           int                 `json:"line"`                     // of the reference in the focus's file
	At             mdstore.Path        `json:"at,omitempty"`             // the node's file
	Version        string              `json:"version,omitempty"`
	Lines          Lines               `json:"lines,omitzero"`
}
