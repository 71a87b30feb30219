package ops

import "arbor/mdstore"

// In names the workspace that an operation is about.
type In struct {
	WorkspaceID string `json:"workspaceId,omitempty" help:"the workspace; may be left out where one is meant without doubt: the bound one, or the only active one"`
}

// Write are the parameters that every writing operation takes.
type Write struct {
	DryRun bool `json:"dryRun,omitempty" help:"plan only: return the unified diff and write nothing"`
}

// Match is the precondition of operations on one file that was read before.
type Match struct {
	IfMatch string `json:"ifMatch,omitempty" help:"the version that a read returned; refused with CONFLICT when the file moved on"`
}

// Out is what every result carries.
type Out struct {
	Hint string `json:"hint"` // one short line on what can be done next
}

// Wrote is what every writing operation's result carries.
type Wrote struct {
	Success bool                `json:"success"`
	Changed bool                `json:"changed"`             // false where everything was so already
	Adapted []string            `json:"adapted,omitempty"`   // how given text was changed to fit in
	Met     []mdstore.Collision `json:"conflicts,omitempty"` // saves by others that the write met, and what became of both
	DryRun  bool                `json:"dryRun,omitempty"`
	Diff    string              `json:"diff,omitempty"` // unified, of a dry run; of a repair also where it was made
	Files   []FileDiff          `json:"files,omitempty"`
	More    int                 `json:"filesHidden,omitempty"` // further files, where results are bounded
	Out
}

// A FileDiff says what a writing operation changed in one file.
type FileDiff struct {
	Path    string   `json:"path"`              // relative to the vault
	To      string   `json:"to,omitempty"`      // where the file or folder moved
	Version string   `json:"version,omitempty"` // of the file as it is now; for ifMatch
	Lines   int      `json:"lines"`             // lines that differ: the larger of those added and those removed
	What    []string `json:"what,omitempty"`    // "node-… status pending → implementing"
}

// Doc is a document of a workspace or node, or a node's reference.
type Doc struct {
	Path        string `json:"path"`
	Description string `json:"description"`
	Expired     bool   `json:"expired,omitempty"`
}

// Reference is a node's reference to another node or to a document.
type Reference struct {
	Target      string `json:"target"`
	Description string `json:"description,omitempty"`
	Expired     bool   `json:"expired,omitempty"`
}

// LogEntry is an entry of a log; a line of another form has only Event.
type LogEntry struct {
	Timestamp string `json:"timestamp,omitempty"`
	Operator  string `json:"operator,omitempty"`
	Event     string `json:"event"`
}

// Problem is what is wrong now; null in results where nothing is.
type Problem struct {
	Problem  string `json:"problem"`
	NextStep string `json:"nextStep,omitempty"`
}

// Counts are the numbers of a workspace's nodes.
type Counts struct {
	Total     int            `json:"total"`
	ByStatus  map[string]int `json:"byStatus"`
	Done      int            `json:"done"`      // terminal execution nodes
	Work      int            `json:"work"`      // execution nodes
	Problems  int            `json:"problems"`  // nodes with an open problem
	Damaged   int            `json:"damaged"`   // diagnostics of files
	Unreached int            `json:"unreached"` // nodes that hang below no root: orphans and cycles
}

// TreeNode is a node in a tree or list.
type TreeNode struct {
	ID         string      `json:"id"`
	Title      string      `json:"title"`
	Type       string      `json:"type"`
	Status     string      `json:"status"`
	Role       string      `json:"role,omitempty"`
	Isolated   bool        `json:"isolated,omitempty"`
	Focused    bool        `json:"focused,omitempty"`
	HasProblem bool        `json:"hasProblem,omitempty"`
	Damaged    bool        `json:"damaged,omitempty"`
	Hidden     int         `json:"hidden,omitempty"` // nodes below that depth, limit or filter left out
	Children   []*TreeNode `json:"children"`
}

// Cascade is a node that an operation on another one moved along.
type Cascade struct {
	NodeID string `json:"nodeId"`
	From   string `json:"from"`
	To     string `json:"to"`
}

// Archived is what a completed info_collection node brought into its workspace.
type Archived struct {
	Rules []string `json:"rules"`
	Docs  []Doc    `json:"docs"`
}
