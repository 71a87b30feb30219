// Package statemachine holds the life cycles of nodes: one table of rules, and
// pure decisions over it.
//
// The rules alone say which status follows which. Allowed actions, refusals, the audit of a status that was written by
// hand, the steps of an ancestor that follows its child, the help and the diagrams are all computed from them. The
// package has no state: the caller passes the facts and carries out the decision. Every function is deterministic and
// safe for concurrent use.
package statemachine

// A Type is the type of a node, which determines its life cycle.
type Type string

// The types of nodes.
const (
	Planning  Type = "planning"  // divides work among its children
	Execution Type = "execution" // does the work, and has no children
)

// A Status is a node's place in its life cycle. A file may hold any text as a status; Valid reports whether it is
// valid.
type Status string

// The statuses of both life cycles. Statuses lists those of one type.
const (
	Pending      Status = "pending"
	InPlanning   Status = "planning" // the status; Planning is the type
	Monitoring   Status = "monitoring"
	Implementing Status = "implementing"
	Validating   Status = "validating"
	Completed    Status = "completed"
	Failed       Status = "failed"
	Cancelled    Status = "cancelled"
)

// An Action moves a node from one status to another.
type Action string

// The actions. A caller may ask for all but Adopt. All but Drop are rows of the table.
const (
	Start    Action = "start"
	Submit   Action = "submit"
	Complete Action = "complete"
	Fail     Action = "fail"
	Retry    Action = "retry"
	Reopen   Action = "reopen"
	Cancel   Action = "cancel"
	Adopt    Action = "adopt" // automatic, when a child is added or runs: only Rise returns it
	Drop     Action = "drop"  // gives the node up in any status: see Steps
)

// A Need is a set of conditions of an action. The zero Need is always met.
type Need uint8

// The conditions.
const (
	NeedConclusion       Need = 1 << iota // the node has a conclusion that is not blank
	NeedChildrenTerminal                  // every direct child is terminal
)

// A Rule is one row of a life cycle: in a node of type Type and status From, the
// action Do leads to the status To if Need is met.
type Rule struct {
	Type      Type
	From      Status
	Do        Action
	To        Status
	Need      Need
	Automatic bool // follows from another operation; a caller cannot ask for it
}

// A Standing has the facts about the node itself that the rules need. Both fields are as read from the file, and may
// hold any text.
type Standing struct {
	Type   Type
	Status Status
}

// Facts are the input of the conditions. The zero Facts are those of a node without a conclusion and without open
// children.
type Facts struct {
	Conclusion   bool     // the call gives a conclusion that is not blank, or the file has one
	OpenChildren []string // ids of the direct children that are not terminal, in tree order
}
