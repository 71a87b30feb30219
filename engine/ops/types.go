package ops

import (
	"arbor/context/assemble"
	"arbor/mdstore/mdoc"
)

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
	Hint string `json:"hint,omitempty"` // one short line on what can be done next
}

// Wrote is what every writing operation's result carries.
type Wrote struct {
	Success bool       `json:"success"`
	Changed bool       `json:"changed"`           // false where everything was so already
	Adapted []string   `json:"adapted,omitempty"` // how given text was changed to fit in
	DryRun  bool       `json:"dryRun,omitempty"`
	Diff    string     `json:"diff,omitempty"` // unified, of a dry run
	Files   []FileDiff `json:"files,omitempty"`
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
	Damaged   int            `json:"damaged"`   // files with diagnostics
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

// WorkspaceInitIn makes a workspace.
type WorkspaceInitIn struct {
	Name  string   `json:"name" req:"true" help:"1 to 200 characters in one line"`
	Goal  string   `json:"goal" req:"true" help:"what the work is for"`
	Rules []string `json:"rules,omitempty" help:"rules that everybody working here must follow"`
	Docs  []Doc    `json:"docs,omitempty" help:"documents for the whole workspace"`
	Write
}

// WorkspaceInitOut names the new workspace.
type WorkspaceInitOut struct {
	WorkspaceID string `json:"workspaceId"`
	Path        string `json:"path"`
	ProjectRoot string `json:"projectRoot"`
	RootNodeID  string `json:"rootNodeId"`
	RulesHash   string `json:"rulesHash"`
	Wrote
}

// WorkspaceListIn filters workspaces.
type WorkspaceListIn struct {
	Status string `json:"status,omitempty" enum:"active,archived,all" help:"active unless said otherwise"`
}

// WorkspaceListOut lists workspaces, oldest first.
type WorkspaceListOut struct {
	Workspaces []WorkspaceHead `json:"workspaces"`
	Out
}

// WorkspaceHead is a workspace in a list.
type WorkspaceHead struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Goal          string `json:"goal"`
	Status        string `json:"status"`
	FocusedNodeID string `json:"focusedNodeId,omitempty"`
	CreatedAt     int64  `json:"createdAt"`
	UpdatedAt     int64  `json:"updatedAt"`
	Path          string `json:"path"`
	Damaged       bool   `json:"damaged,omitempty"`
}

// WorkspaceGetIn asks for a workspace.
type WorkspaceGetIn struct{ In }

// WorkspaceGetOut is a workspace.
type WorkspaceGetOut struct {
	Workspace WorkspaceInfo `json:"workspace"`
	Counts    Counts        `json:"counts"`
	Problem   *Problem      `json:"problem"`
	Log       []LogEntry    `json:"log"`                 // the newest 20, oldest first
	LogHidden int           `json:"logHidden,omitempty"` // older ones
	Out
}

// WorkspaceInfo is what a Workspace.md says.
type WorkspaceInfo struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Goal           string   `json:"goal"`
	Status         string   `json:"status"`
	Rules          []string `json:"rules"`
	RulesHash      string   `json:"rulesHash"` // of the rules as they stand
	RulesHashStale bool     `json:"rulesHashStale,omitempty"`
	Docs           []Doc    `json:"docs"`
	FocusedNodeID  string   `json:"focusedNodeId"`
	CreatedAt      int64    `json:"createdAt"`
	UpdatedAt      int64    `json:"updatedAt"`
	Path           string   `json:"path"`
	Version        string   `json:"version"`
}

// WorkspaceStatusIn asks for the tree of a workspace as text.
type WorkspaceStatusIn struct {
	In
	Format string `json:"format,omitempty" enum:"box,markdown" help:"box unless said otherwise"`
}

// WorkspaceStatusOut is the state of a workspace at a glance.
type WorkspaceStatusOut struct {
	Workspace   WorkspaceInfo     `json:"workspace"`
	Counts      Counts            `json:"counts"`
	Tree        []*TreeNode       `json:"tree"`
	Problem     *Problem          `json:"problem"`
	Problems    []NodeProblem     `json:"problems"` // of nodes, in tree order
	Diagnostics []mdoc.Diagnostic `json:"diagnostics"`
	Text        string            `json:"text"` // in the format asked for
	Out
}

// NodeProblem is the open problem of a node.
type NodeProblem struct {
	NodeID string `json:"nodeId"`
	Title  string `json:"title"`
	Problem
}

// WorkspaceUpdateIn renames a workspace or gives it another goal.
type WorkspaceUpdateIn struct {
	In
	Name *string `json:"name,omitempty"`
	Goal *string `json:"goal,omitempty"`
	Match
	Write
}

// WorkspaceUpdateOut is the result of workspace_update.
type WorkspaceUpdateOut struct{ Wrote }

// WorkspaceUpdateRulesIn changes the rules.
type WorkspaceUpdateRulesIn struct {
	In
	Action string   `json:"action" req:"true" enum:"add,remove,replace"`
	Rule   string   `json:"rule,omitempty" help:"one rule, for add and remove"`
	Rules  []string `json:"rules,omitempty" help:"several; all of them, for replace"`
	Match
	Write
}

// WorkspaceUpdateRulesOut carries the rules as they are now.
type WorkspaceUpdateRulesOut struct {
	Rules     []string `json:"rules"`
	RulesHash string   `json:"rulesHash"`
	Wrote
}

// WorkspaceUpdateDocsIn changes the documents of a workspace.
type WorkspaceUpdateDocsIn struct {
	In
	Action      string `json:"action" req:"true" enum:"add,remove,expire,activate"`
	Path        string `json:"path" req:"true"`
	Description string `json:"description,omitempty"`
	Match
	Write
}

// WorkspaceUpdateDocsOut carries the documents as they are now.
type WorkspaceUpdateDocsOut struct {
	Docs []Doc `json:"docs"`
	Wrote
}

// WorkspaceArchiveIn moves a workspace into the archive.
type WorkspaceArchiveIn struct {
	In
	Write
}

// WorkspaceRestoreIn takes a workspace out of the archive.
type WorkspaceRestoreIn struct {
	In
	Write
}

// WorkspaceMoveOut says where the workspace is now.
type WorkspaceMoveOut struct {
	Path string `json:"path"`
	Wrote
}

// WorkspaceDeleteIn moves a workspace to the trash.
type WorkspaceDeleteIn struct {
	WorkspaceID string `json:"workspaceId" req:"true"`
	Force       bool   `json:"force,omitempty" help:"also an active one with open nodes"`
	Write
}

// WorkspaceDeleteOut says where the workspace went.
type WorkspaceDeleteOut struct {
	DeletedCount int    `json:"deletedCount"`
	Trash        string `json:"trash"`
	Wrote
}

// NodeCreateIn makes a node.
type NodeCreateIn struct {
	In
	ParentID    string `json:"parentId" req:"true"`
	Type        string `json:"type" req:"true" enum:"planning,execution"`
	Title       string `json:"title" req:"true" help:"1 to 200 characters in one line"`
	Requirement string `json:"requirement" req:"true" help:"what is to be done, in Markdown"`
	RulesHash   string `json:"rulesHash,omitempty" help:"the hash of the rules, which proves that they were read; required where there are rules"`
	Role        string `json:"role,omitempty" enum:"info_collection,validation,summary"`
	Docs        []Doc  `json:"docs,omitempty"`
	Cascade     bool   `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Write
}

// NodeCreateOut names the new node.
type NodeCreateOut struct {
	NodeID         string    `json:"nodeId"`
	Path           string    `json:"path"`
	CascadeUpdates []Cascade `json:"cascadeUpdates"`
	Wrote
}

// NodeGetIn asks for a node.
type NodeGetIn struct {
	In
	NodeID string `json:"nodeId" req:"true"`
}

// NodeGetOut is a node.
type NodeGetOut struct {
	Node NodeInfo `json:"node"`
	Out
}

// NodeInfo is what a Node.md says.
type NodeInfo struct {
	ID          string            `json:"id"`
	Title       string            `json:"title"`
	Type        string            `json:"type"`
	Status      string            `json:"status"`
	Role        string            `json:"role"`
	ParentID    string            `json:"parentId"`
	Isolated    bool              `json:"isolated"`
	Requirement string            `json:"requirement"`
	Conclusion  string            `json:"conclusion"`
	Note        string            `json:"note"`
	Docs        []Doc             `json:"docs"`
	References  []Reference       `json:"references"`
	Problem     *Problem          `json:"problem"`
	Log         []LogEntry        `json:"log"`
	Children    []string          `json:"children"`
	Allowed     []string          `json:"allowed"` // the actions that its status allows
	CreatedAt   int64             `json:"createdAt"`
	UpdatedAt   int64             `json:"updatedAt"`
	Path        string            `json:"path"`
	Version     string            `json:"version"`
	Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty"`
}

// NodeListIn asks for nodes as a tree.
type NodeListIn struct {
	In
	RootID string   `json:"rootId,omitempty" help:"the node to start at; the root unless said otherwise"`
	Depth  int      `json:"depth,omitempty" help:"levels below the start; 0 for all"`
	Status []string `json:"status,omitempty" help:"only nodes in one of these statuses, and the way to them"`
	Type   string   `json:"type,omitempty" enum:"planning,execution"`
	Limit  int      `json:"limit,omitempty" help:"at most so many nodes; 200 unless said otherwise, -1 for all"`
	Cursor string   `json:"cursor,omitempty" help:"where an earlier answer stopped"`
}

// NodeListOut is a tree of nodes.
type NodeListOut struct {
	Tree   []*TreeNode `json:"tree"`
	Total  int         `json:"total"` // nodes that match
	Shown  int         `json:"shown"`
	Cursor string      `json:"cursor,omitempty"` // brings what follows; "" at the end
	Out
}

// NodeUpdateIn changes a node's texts; what is absent stays.
type NodeUpdateIn struct {
	In
	NodeID      string  `json:"nodeId" req:"true"`
	Title       *string `json:"title,omitempty"`
	Requirement *string `json:"requirement,omitempty"`
	Note        *string `json:"note,omitempty"`
	Conclusion  *string `json:"conclusion,omitempty"`
	Match
	Write
}

// NodeUpdateOut is the result of node_update.
type NodeUpdateOut struct{ Wrote }

// NodeMoveIn gives a node another parent or place.
type NodeMoveIn struct {
	In
	NodeID      string `json:"nodeId" req:"true"`
	NewParentID string `json:"newParentId" req:"true"`
	Before      string `json:"before,omitempty" help:"the sibling it is to stand before"`
	After       string `json:"after,omitempty" help:"the sibling it is to stand after"`
	Cascade     bool   `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Match
	Write
}

// NodeMoveOut is the result of node_move.
type NodeMoveOut struct {
	PreviousParentID string    `json:"previousParentId"`
	CascadeUpdates   []Cascade `json:"cascadeUpdates"`
	Wrote
}

// NodeDeleteIn moves a node and all below it to the trash.
type NodeDeleteIn struct {
	In
	NodeID string `json:"nodeId" req:"true"`
	Match
	Write
}

// NodeDeleteOut says where the nodes went.
type NodeDeleteOut struct {
	DeletedCount int    `json:"deletedCount"`
	Trash        string `json:"trash"`
	Wrote
}

// NodeTransitionIn moves a node along its life cycle.
type NodeTransitionIn struct {
	In
	NodeID     string `json:"nodeId" req:"true"`
	Action     string `json:"action" req:"true" enum:"start,submit,complete,fail,retry,reopen,cancel"`
	Conclusion string `json:"conclusion,omitempty" help:"what came of it, in Markdown; complete, fail and cancel need one"`
	Reason     string `json:"reason,omitempty" help:"for the log"`
	Cascade    bool   `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Match
	Write
}

// NodeTransitionOut says what moved.
type NodeTransitionOut struct {
	NodeID         string    `json:"nodeId"`
	PreviousStatus string    `json:"previousStatus"`
	CurrentStatus  string    `json:"currentStatus"`
	Conclusion     string    `json:"conclusion"`
	CascadeUpdates []Cascade `json:"cascadeUpdates"`
	Archived       *Archived `json:"archived,omitempty"`
	Wrote
}

// NodeIsolateIn cuts a node's context off from its ancestors, or joins it again.
type NodeIsolateIn struct {
	In
	NodeID  string `json:"nodeId" req:"true"`
	Isolate bool   `json:"isolate" req:"true"`
	Match
	Write
}

// NodeIsolateOut is the result of node_isolate.
type NodeIsolateOut struct {
	Isolated bool `json:"isolated"`
	Wrote
}

// NodeReferenceIn changes a node's references.
type NodeReferenceIn struct {
	In
	NodeID         string `json:"nodeId" req:"true"`
	TargetIDOrPath string `json:"targetIdOrPath" req:"true"`
	Action         string `json:"action" req:"true" enum:"add,remove,expire,activate"`
	Description    string `json:"description,omitempty"`
	Match
	Write
}

// NodeReferenceOut carries the references as they are now.
type NodeReferenceOut struct {
	References []Reference `json:"references"`
	Wrote
}

// ContextGetIn asks for what somebody working on a node must know.
type ContextGetIn struct {
	In
	NodeID         string `json:"nodeId,omitempty" help:"the focused node unless said otherwise"`
	IncludeLog     *bool  `json:"includeLog,omitempty" help:"true unless said otherwise"`
	MaxLogEntries  int    `json:"maxLogEntries,omitempty" help:"for each node, the newest; 20 unless said otherwise"`
	ReverseLog     bool   `json:"reverseLog,omitempty" help:"newest first"`
	IncludeProblem *bool  `json:"includeProblem,omitempty" help:"true unless said otherwise"`
	Budget         int    `json:"budget,omitempty" help:"tokens, counted as bytes/4"`
	Format         string `json:"format,omitempty" enum:"json,markdown"`
}

// ContextGetOut is the context of a node.
type ContextGetOut struct {
	*assemble.Bundle
	Changes  int    `json:"changes"`            // files that others changed since the session last looked
	Markdown string `json:"markdown,omitempty"` // with format markdown; the parts are left out then
	Out
}

// ContextFocusIn moves a workspace's focus.
type ContextFocusIn struct {
	In
	NodeID string `json:"nodeId" req:"true"`
	Write
}

// ContextFocusOut is the result of context_focus.
type ContextFocusOut struct {
	FocusedNodeID         string `json:"focusedNodeId"`
	PreviousFocusedNodeID string `json:"previousFocusedNodeId"`
	Wrote
}

// LogAppendIn adds to the log of a node, or of the workspace.
type LogAppendIn struct {
	In
	NodeID   string `json:"nodeId,omitempty" help:"the workspace itself unless said otherwise"`
	Operator string `json:"operator" req:"true" enum:"AI,Human"`
	Event    string `json:"event" req:"true"`
	Write
}

// LogAppendOut carries the entry's time, UTC.
type LogAppendOut struct {
	Timestamp string `json:"timestamp"`
	Wrote
}

// ProblemUpdateIn says what is wrong now.
type ProblemUpdateIn struct {
	In
	NodeID   string `json:"nodeId,omitempty" help:"the workspace itself unless said otherwise"`
	Problem  string `json:"problem" req:"true"`
	NextStep string `json:"nextStep,omitempty"`
	Match
	Write
}

// ProblemUpdateOut is the result of problem_update.
type ProblemUpdateOut struct{ Wrote }

// ProblemClearIn says that nothing is wrong any more.
type ProblemClearIn struct {
	In
	NodeID string `json:"nodeId,omitempty" help:"the workspace itself unless said otherwise"`
	Match
	Write
}

// ProblemClearOut is the result of problem_clear.
type ProblemClearOut struct{ Wrote }

// SessionBindIn makes a workspace the default of a session.
type SessionBindIn struct {
	SessionID   string `json:"sessionId" req:"true"`
	WorkspaceID string `json:"workspaceId" req:"true"`
	NodeID      string `json:"nodeId,omitempty" help:"the session's focus"`
}

// SessionBindOut is the result of session_bind.
type SessionBindOut struct {
	WorkspaceID   string   `json:"workspaceId"`
	WorkspaceName string   `json:"workspaceName"`
	FocusedNodeID string   `json:"focusedNodeId"`
	Rules         []string `json:"rules"`
	RulesHash     string   `json:"rulesHash"`
	Wrote
}

// SessionIn names a session.
type SessionIn struct {
	SessionID string `json:"sessionId" req:"true"`
}

// SessionUnbindOut is the result of session_unbind.
type SessionUnbindOut struct{ Wrote }

// SessionStatusOut says what a session is bound to.
type SessionStatusOut struct {
	Bound               bool            `json:"bound"`
	WorkspaceID         string          `json:"workspaceId,omitempty"`
	WorkspaceName       string          `json:"workspaceName,omitempty"`
	FocusedNodeID       string          `json:"focusedNodeId,omitempty"`
	Rules               []string        `json:"rules,omitempty"`
	AvailableWorkspaces []WorkspaceHead `json:"availableWorkspaces,omitempty"`
	Out
}

// ChangesGetIn asks what others changed.
type ChangesGetIn struct {
	In
	SessionID string `json:"sessionId,omitempty" help:"since this session last looked"`
	Since     string `json:"since,omitempty" help:"a time instead: 2026-01-01 10:00:00 UTC, RFC 3339, Unix milliseconds, or a duration as 2h30m"`
}

// ChangesGetOut lists the changes file by file.
type ChangesGetOut struct {
	Changes []FileChange `json:"changes"`
	First   bool         `json:"first,omitempty"` // the session looks for the first time: there is nothing to compare with
	Out
}

// FileChange says what changed in one file.
type FileChange struct {
	Path     string   `json:"path"`
	NodeID   string   `json:"nodeId,omitempty"`
	Title    string   `json:"title,omitempty"`
	Kind     string   `json:"kind" enum:"created,changed,removed"`
	Fields   []string `json:"fields,omitempty"`   // front matter keys concerned
	Sections []string `json:"sections,omitempty"` // sections concerned
}

// WorkspaceCheckIn asks for every diagnostic.
type WorkspaceCheckIn struct {
	WorkspaceID string `json:"workspaceId,omitempty" help:"every workspace of the vault unless said otherwise"`
	Fix         bool   `json:"fix,omitempty" help:"mend what can be mended without losing text"`
	Write
}

// WorkspaceCheckOut lists what is wrong.
type WorkspaceCheckOut struct {
	Diagnostics []mdoc.Diagnostic `json:"diagnostics"`
	Fixed       []mdoc.Diagnostic `json:"fixed"`
	Checked     int               `json:"filesChecked"`
	Wrote
}

// NodeNextIn asks for nodes that are ready to be worked on.
type NodeNextIn struct {
	In
	Count        int    `json:"count,omitempty" help:"at most so many; 1 unless said otherwise"`
	Claim        bool   `json:"claim,omitempty" help:"take them, so that nobody else is given them while the lease lasts"`
	SessionID    string `json:"sessionId,omitempty" help:"who claims"`
	LeaseSeconds int    `json:"leaseSeconds,omitempty" help:"1800 unless said otherwise"`
}

// NodeNextOut lists ready nodes in tree order.
type NodeNextOut struct {
	Nodes []NextNode `json:"nodes"`
	Ready int        `json:"ready"` // ready nodes in all
	Out
}

// NextNode is a node that is ready to be worked on.
type NextNode struct {
	NodeID      string   `json:"nodeId"`
	Title       string   `json:"title"`
	Type        string   `json:"type"`
	Status      string   `json:"status"`
	Way         []string `json:"way"` // titles from the root to its parent
	Allowed     []string `json:"allowed"`
	ClaimedBy   string   `json:"claimedBy,omitempty"`
	LeasedUntil int64    `json:"leasedUntil,omitempty"` // Unix milliseconds
}
