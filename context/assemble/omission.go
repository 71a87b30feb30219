package assemble

import (
	"slices"
	"strconv"

	"arbor/mdstore"
)

// An Omission is a passage that belongs to the context and is not in the bundle, or is there only in part.
type Omission struct {
	What   string     `json:"what"`             // see the What constants
	Role   string     `json:"role"`             // see the Role constants; "" for a sum of several
	NodeID mdstore.ID `json:"nodeId,omitempty"` // "" for the workspace, and for a sum of several nodes
	Reason string     `json:"reason"`           // see the Reason constants
	Count  int        `json:"count"`            // how many of them
	Bytes  int        `json:"bytes"`            // bytes of their texts; 0 if unknown
	Tokens int        `json:"tokens"`
	Detail string     `json:"detail,omitempty"` // the first problem of the file, or the names of what is left out
}

// The values of What.
const (
	WhatNode        = "node" // all of its texts; with ReasonUnreadable, those that could not be read
	WhatRequirement = "requirement"
	WhatCriteria    = "criteria"
	WhatConclusion  = "conclusion"
	WhatNote        = "note"
	WhatSection     = "section" // that Arbor does not know
	WhatField       = "field"   // a key of the front matter that Arbor does not know
	WhatDoc         = "doc"
	WhatLog         = "log" // entries
	WhatProblem     = "problem"
	WhatReference   = "reference"
	WhatDependency  = "dependency"
	WhatFile        = "file" // of the workspace
	WhatRule        = "rule" // of the workspace
	WhatGoal        = "goal" // of the workspace
	WhatText        = "text" // several of these, summed up
)

// The values of Role: the owner.
const (
	RoleWorkspace  = "workspace"
	RoleAncestor   = "ancestor"
	RoleFocus      = "focus"
	RoleChild      = "child"
	RoleReference  = "reference"  // a node that the focus refers to
	RoleDependency = "dependency" // a node that the focus or an ancestor depends on
)

// The values of Reason.
const (
	ReasonIsolated   = "isolated"      // an isolated node below hides it
	ReasonMissing    = "missing"       // a parent that does not exist, or is not named
	ReasonCycle      = "cycle"         // the parents lead back to a node of the chain
	ReasonUnreadable = "unreadable"    // its file has problems; what could be read is in the bundle
	ReasonExpired    = "expired"       // marked so
	ReasonLimit      = "maxLogEntries" // older than the entries asked for
	ReasonExcluded   = "excluded"      // the options leave it out
	ReasonBudget     = "budget"        // larger than the budget, or than a reply may be
)

// reasons in the order of the list.
var reasons = []string{
	ReasonIsolated, ReasonMissing, ReasonCycle, ReasonUnreadable, ReasonExpired, ReasonLimit, ReasonExcluded, ReasonBudget,
}

const (
	separate  = 8   // up to this many omissions of one kind are listed one by one; more are summed up
	maxDetail = 200 // bytes
	maxNames  = 400 // bytes of a Detail that is names
)

// nameFiles sets the file of each node of the chain of which a passage is left out that the reader may want.
func (b *Bundle) nameFiles(omitted []Omission) {
	for _, o := range omitted {
		if !slices.Contains([]string{ReasonUnreadable, ReasonLimit, ReasonBudget}, o.Reason) {
			continue
		}
		for i := range b.Chain {
			if p := &b.Chain[i]; p.NodeID == o.NodeID {
				p.File = p.file
			}
		}
	}
}

// String returns the omission as one line, without its detail.
func (o Omission) String() string {
	s := o.What
	if o.Count != 1 {
		s = strconv.Itoa(o.Count) + " × " + s
	}
	if o.Role != "" {
		s += " of " + o.Role
	}
	if o.NodeID != "" && o.Role != RoleFocus {
		s += " " + string(o.NodeID)
	}
	if o.Bytes > 0 {
		s += ", " + strconv.Itoa(o.Bytes) + " bytes"
	}
	return s + ": " + o.Reason
}

// plus returns the sum of two omissions with one reason.
func (o Omission) plus(p Omission) Omission {
	o.Count += p.Count
	o.Bytes += p.Bytes
	o.Tokens = Tokens(o.Bytes)
	o.Detail = ""
	if o.What != p.What {
		o.What = WhatText
	}
	if o.Role != p.Role {
		o.Role = ""
	}
	if o.NodeID != p.NodeID {
		o.NodeID = ""
	}
	return o
}

// kind returns the key by which omissions are summed up if there are too many.
func (o Omission) kind() string { return o.What + " " + o.Role + " " + o.Reason }

func kinds(all []Omission) []string {
	groups := make([]string, len(all))
	for i, o := range all {
		groups[i] = o.kind()
	}
	return groups
}

// summed returns the omissions. A group with more than most of them becomes one sum at the place of its first.
func summed(all []Omission, groups []string, most int) []Omission {
	members := map[string]int{}
	for _, g := range groups {
		members[g]++
	}
	out := []Omission{}
	sums := map[string]int{} // index in out
	for i, o := range all {
		at, begun := sums[groups[i]]
		switch {
		case members[groups[i]] <= most:
			out = append(out, o)
		case begun:
			out[at] = out[at].plus(o)
		default:
			sums[groups[i]] = len(out)
			out = append(out, o)
		}
	}
	return out
}
