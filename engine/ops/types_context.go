package ops

import (
	"arbor/context/assemble"
	"arbor/mdstore/mdoc"
)

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
	Match
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
	Write
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

// SessionUnbindIn names a session whose binding ends.
type SessionUnbindIn struct {
	SessionIn
	Write
}

// SessionUnbindOut is the result of session_unbind.
type SessionUnbindOut struct{ Wrote }

// SessionStatusOut says what a session is bound to.
type SessionStatusOut struct {
	Bound               bool            `json:"bound"`
	WorkspaceID         string          `json:"workspaceId,omitempty"`
	WorkspaceName       string          `json:"workspaceName,omitempty"`
	FocusedNodeID       string          `json:"focusedNodeId,omitempty"`
	LostWorkspaceID     string          `json:"lostWorkspaceId,omitempty"` // the one that it is bound to where the vault does not have it
	Rules               []string        `json:"rules"`
	AvailableWorkspaces []WorkspaceHead `json:"availableWorkspaces"` // where nothing is bound
	Hidden              int             `json:"hidden,omitempty"`    // further workspaces, where results are bounded
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
	Hidden  int          `json:"hidden,omitempty"` // further changes, where results are bounded
	First   bool         `json:"first,omitempty"`  // the session looks for the first time: there is nothing to compare with
	Out
}

// FileChange says what changed in one file.
type FileChange struct {
	Path     string   `json:"path"`
	NodeID   string   `json:"nodeId,omitempty"`
	Title    string   `json:"title,omitempty"`
	Kind     string   `json:"kind" enum:"created,changed,removed,moved"`
	From     string   `json:"from,omitempty"`     // where a moved file was
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
	Hidden      int               `json:"hidden,omitempty"` // further diagnostics, where results are bounded
	Fixed       []mdoc.Diagnostic `json:"fixed"`
	FixedHidden int               `json:"fixedHidden,omitempty"`
	Checked     int               `json:"filesChecked"`
	Wrote
}

// NodeNextIn asks for nodes that are ready to be worked on.
type NodeNextIn struct {
	In
	Count        *int   `json:"count,omitempty" help:"at most so many; 1 unless said otherwise"`
	Claim        bool   `json:"claim,omitempty" help:"take them, so that nobody else is given them while the lease lasts"`
	SessionID    string `json:"sessionId,omitempty" help:"who claims; without a session the operator does, and is not given the same node twice"`
	LeaseSeconds int    `json:"leaseSeconds,omitempty" help:"1800 unless said otherwise; 86400 at most"`
	Release      string `json:"release,omitempty" help:"a claimed node, to give it back instead"`
}

// NodeNextOut lists ready nodes in tree order.
type NodeNextOut struct {
	Nodes    []NextNode `json:"nodes"`
	Ready    int        `json:"ready"`              // ready nodes in all
	Claimed  int        `json:"claimed,omitempty"`  // of these, those that are claimed and not given to who asks
	Lost     int        `json:"lost,omitempty"`     // files of nodes that are in no place of the tree: none of them is ever ready
	Released bool       `json:"released,omitempty"` // the node was claimed, and is so no more
	Out
}

// NextNode is a node that is ready to be worked on.
type NextNode struct {
	NodeID  string   `json:"nodeId"`
	Title   string   `json:"title"`
	Type    string   `json:"type"`
	Status  string   `json:"status"`
	Way     []string `json:"way"` // titles from the root to its parent
	Allowed []string `json:"allowed"`
	Claim
}

// Claim says whose a node is, or was. A node that nobody has claimed has none of it.
type Claim struct {
	ClaimedBy   string  `json:"claimedBy,omitempty"`   // the session, or the operator who has none
	LeasedUntil int64   `json:"leasedUntil,omitempty"` // Unix milliseconds
	Lapsed      *Lapsed `json:"lapsed,omitempty"`
}

// Lapsed says who began the work of a node, and is gone or gave it back.
type Lapsed struct {
	Session  string `json:"session,omitempty"`
	Operator string `json:"operator,omitempty"`
	Since    int64  `json:"since"` // when it was claimed: Unix milliseconds
}
