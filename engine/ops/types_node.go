package ops

import (
	"arbor/mdstore/mdoc"
)

// NodeCreateIn makes a node.
type NodeCreateIn struct {
	In
	ParentID    string `json:"parentId" req:"true"`
	Type        string `json:"type" req:"true" enum:"planning,execution" judge:"engine"`
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
	ID          string      `json:"id"`
	Title       string      `json:"title"`
	Type        string      `json:"type"`
	Status      string      `json:"status"`
	Role        string      `json:"role"`
	ParentID    string      `json:"parentId"`
	Isolated    bool        `json:"isolated"`
	Requirement string      `json:"requirement"`
	Conclusion  string      `json:"conclusion"`
	Note        string      `json:"note"`
	Docs        []Doc       `json:"docs"`
	References  []Reference `json:"references"`
	Problem     *Problem    `json:"problem"`
	Log         []LogEntry  `json:"log"`
	LogHidden   int         `json:"logHidden,omitempty"` // older entries, where results are bounded
	Children    []string    `json:"children"`
	MoreKids    int         `json:"childrenHidden,omitempty"` // further children, where results are bounded
	Allowed     []string    `json:"allowed"`                  // the actions that its status allows; none in an archived workspace
	CreatedAt   int64       `json:"createdAt"`
	UpdatedAt   int64       `json:"updatedAt"`
	Path        string      `json:"path"`
	Version     string      `json:"version"`
	Claim
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
	Above  int         `json:"above,omitempty"` // levels above the tree that are left out of it, where results are bounded
	Total  int         `json:"total"`           // nodes that match
	Shown  int         `json:"shown"`
	Cursor string      `json:"cursor,omitempty"` // brings what follows; "" at the end
	Lost   int         `json:"lost,omitempty"`   // files of nodes that are in no place of the tree: damaged ones, and those below a parent that is missing
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
	Action     string `json:"action" req:"true" enum:"start,submit,complete,fail,retry,reopen,cancel" judge:"engine"`
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
