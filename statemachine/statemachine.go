// Package statemachine holds the life cycles of nodes: one table of rows, and
// pure decisions over it.
//
// The rows are the only place where a status leads to another one. What may be
// done, why something is refused, what a status written by hand breaks, the
// steps of an ancestor that follows its child, the help and the diagrams are
// all answers of the same rows. Nothing here remembers anything: the caller
// brings the facts and does what is decided, so every function is safe for
// concurrent use and gives the same answer to the same question.
package statemachine

// A Type is the kind of a node, which says which life cycle it has.
type Type string

// The types of nodes.
const (
	Planning  Type = "planning"  // divides work among its children
	Execution Type = "execution" // does the work, and has no children
)

// A Status is where a node stands in its life cycle. Files can hold any text
// as a status; Valid says whether it is one.
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

// An Action is what moves a node from one status to another.
type Action string

// The actions. All but Adopt are a caller's to ask for.
const (
	Start    Action = "start"
	Submit   Action = "submit"
	Complete Action = "complete"
	Fail     Action = "fail"
	Retry    Action = "retry"
	Reopen   Action = "reopen"
	Cancel   Action = "cancel"
	Adopt    Action = "adopt" // automatic: a child is added or runs; Rise takes it, Decide never does
)

// A Need is a set of conditions that an action asks for. The zero Need asks
// for nothing.
type Need uint8

// The conditions.
const (
	NeedConclusion       Need = 1 << iota // the node has a conclusion that is not blank
	NeedChildrenTerminal                  // every direct child is terminal
)

// A Rule is one row of a life cycle: a node of this type and status takes this
// action to that status if the needs are met.
type Rule struct {
	Type      Type
	From      Status
	Do        Action
	To        Status
	Need      Need
	Automatic bool // follows from something else, and is never a caller's to ask for
}

// A Standing is what the table needs to know of a node itself. Both fields are
// as read from the file, and may hold anything.
type Standing struct {
	Type   Type
	Status Status
}

// Facts are what the needs are judged by. The zero Facts are of a node without
// a conclusion and without open children.
type Facts struct {
	Conclusion   bool     // one that is not blank is given with the call or stands already
	OpenChildren []string // ids of the direct children that are not terminal, in tree order
}
