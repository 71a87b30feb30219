package assemble

import (
	"slices"
	"sort"
	"strconv"

	"arbor/mdstore"
)

// An Omission is something that belongs into the context and is not in the bundle, or is there only in part.
type Omission struct {
	What   string     `json:"what"`             // see the What constants
	Role   string     `json:"role"`             // see the Role constants; "" where several are summed up
	NodeID mdstore.ID `json:"nodeId,omitempty"` // "" for the workspace, and where several nodes are summed up
	Reason string     `json:"reason"`           // see the Reason constants
	Count  int        `json:"count"`            // how many of them
	Bytes  int        `json:"bytes"`            // of their texts; 0 where nobody can tell
	Tokens int        `json:"tokens"`
	Detail string     `json:"detail,omitempty"` // the first thing that is wrong, where something is
}

// What is left out.
const (
	WhatNode        = "node" // all of its texts; where the reason is ReasonUnreadable, what could not be read of them
	WhatRequirement = "requirement"
	WhatConclusion  = "conclusion"
	WhatNote        = "note"
	WhatDoc         = "doc"
	WhatLog         = "log" // entries
	WhatProblem     = "problem"
	WhatReference   = "reference"
	WhatFile        = "file" // of the workspace
	WhatText        = "text" // several of these, summed up
)

// Whose it is.
const (
	RoleWorkspace = "workspace"
	RoleAncestor  = "ancestor"
	RoleFocus     = "focus"
	RoleChild     = "child"
	RoleReference = "reference" // a node that the focus refers to
)

// Why it is left out.
const (
	ReasonIsolated   = "isolated"      // an isolated node below hides it
	ReasonMissing    = "missing"       // a parent that does not exist, or is not named
	ReasonCycle      = "cycle"         // the parents lead back to a node of the chain
	ReasonUnreadable = "unreadable"    // its file has problems; what could be read is in the bundle
	ReasonExpired    = "expired"       // marked so
	ReasonLimit      = "maxLogEntries" // older than the entries asked for
	ReasonExcluded   = "excluded"      // the options leave it out
	ReasonBudget     = "budget"
)

// reasons in the order of the list.
var reasons = []string{
	ReasonIsolated, ReasonMissing, ReasonCycle, ReasonUnreadable, ReasonExpired, ReasonLimit, ReasonExcluded, ReasonBudget,
}

const (
	separate  = 8   // omissions of one kind are listed one by one up to this many, and as their sum beyond
	maxDetail = 200 // bytes
)

// String returns the omission as one line, without its detail.
func (o Omission) String() string {
	b := make([]byte, 0, 96)
	if o.Count != 1 {
		b = strconv.AppendInt(b, int64(o.Count), 10)
		b = append(b, " × "...)
	}
	b = append(b, o.What...)
	if o.Role != "" {
		b = append(b, " of "...)
		b = append(b, o.Role...)
	}
	if o.NodeID != "" && o.Role != RoleFocus {
		b = append(b, ' ')
		b = append(b, o.NodeID...)
	}
	if o.Bytes > 0 {
		b = append(b, ", "...)
		b = strconv.AppendInt(b, int64(o.Bytes), 10)
		b = append(b, " bytes"...)
	}
	b = append(b, ": "...)
	b = append(b, o.Reason...)
	return string(b)
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

// A kind of omissions is summed up where there are too many.
type kind struct{ what, role, reason string }

func (o Omission) kind() kind { return kind{o.What, o.Role, o.Reason} }

// A ledger collects omissions in the order in which they are found.
type ledger struct{ all []Omission }

func (l *ledger) add(o Omission) {
	o.Tokens = Tokens(o.Bytes)
	if len(o.Detail) > maxDetail {
		o.Detail = o.Detail[:runeStart(o.Detail, maxDetail)]
	}
	l.all = append(l.all, o)
}

// list returns the omissions by reason, each kind of which there are more than most as one sum in the place of its first.
func (l *ledger) list(most int) []Omission {
	if len(l.all) == 0 {
		return []Omission{}
	}
	number := make(map[kind]int, len(l.all))
	for _, o := range l.all {
		number[o.kind()]++
	}
	out := make([]Omission, 0, min(len(l.all), 16))
	sums := map[kind]int{} // index in out
	for _, o := range l.all {
		k := o.kind()
		if number[k] <= most {
			out = append(out, o)
			continue
		}
		i, ok := sums[k]
		if !ok {
			sums[k] = len(out)
			out = append(out, o)
			continue
		}
		out[i] = out[i].plus(o)
	}
	sort.SliceStable(out, func(i, j int) bool {
		return slices.Index(reasons, out[i].Reason) < slices.Index(reasons, out[j].Reason)
	})
	return out
}

// byReason returns one sum for each reason.
func byReason(all []Omission) []Omission {
	out := all[:0:0]
	for _, o := range all {
		if n := len(out); n > 0 && out[n-1].Reason == o.Reason {
			out[n-1] = out[n-1].plus(o)
		} else {
			out = append(out, o)
		}
	}
	return out
}
