package ops

import (
	"arbor/mdstore/mdoc"
)

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
	Hidden     int             `json:"hidden,omitempty"` // further workspaces, where results are bounded
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

	Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty"` // of its own file
	Out
}

// WorkspaceInfo is what a Workspace.md says.
type WorkspaceInfo struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Goal           string   `json:"goal"`
	Status         string   `json:"status"`
	Rules          []string `json:"rules"`
	RulesHidden    int      `json:"rulesHidden,omitempty"` // further rules, where results are bounded
	RulesHash      string   `json:"rulesHash"`             // of the rules as they stand; "" where the file is closed to edits
	RulesHashStale bool     `json:"rulesHashStale,omitempty"`
	Docs           []Doc    `json:"docs"`
	DocsHidden     int      `json:"docsHidden,omitempty"` // further documents, where results are bounded
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

	All bool `json:"-"` // the whole tree; for front ends that bound it themselves
}

// WorkspaceStatusOut is the state of a workspace at a glance.
type WorkspaceStatusOut struct {
	Workspace   WorkspaceInfo     `json:"workspace"`
	Counts      Counts            `json:"counts"`
	Tree        []*TreeNode       `json:"tree,omitzero"` // not where results are bounded: the text shows it
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
	Match
	Write
}

// WorkspaceRestoreIn takes a workspace out of the archive.
type WorkspaceRestoreIn struct {
	In
	Match
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
	Force       bool   `json:"force,omitempty" help:"also an active one"`
	Match
	Write
}

// WorkspaceDeleteOut says where the workspace went.
type WorkspaceDeleteOut struct {
	DeletedCount int    `json:"deletedCount"`
	Trash        string `json:"trash"`
	Wrote
}
