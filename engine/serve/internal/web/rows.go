package web

import (
	"fmt"
	"strings"
	"time"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A planRow is a node of the outline. The numbers at its right need the whole plan.
type planRow struct {
	branch
	Level int // 1 for the top of the outline
	of    *outlineRows
}

// outlineRows are the rows of an outline.
type outlineRows struct {
	look
	workspace string
	plan      *view.View
	outcomes  map[mdstore.ID]statemachine.Outcomes // of the leaves below each node
	now       time.Time
}

func (l look) rowsOf(plan *view.View, workspace string, now time.Time) *outlineRows {
	o := &outlineRows{l, workspace, plan, map[mdstore.ID]statemachine.Outcomes{}, now}
	for n, frozen := range plan.Leaves() {
		for up := n.Parent; up != ""; {
			sum := o.outcomes[up]
			sum.Add(n.Status, frozen)
			o.outcomes[up] = sum
			above, ok := plan.Node(up)
			if !ok || above.ID == mdstore.Root {
				break
			}
			up = above.Parent
		}
	}
	return o
}

// rows returns the rows of a tree whose top is at a level.
func (o *outlineRows) rows(tree []*ops.TreeNode, level int) (all []planRow) {
	for _, n := range tree {
		all = append(all, planRow{branch{o.workspace, n}, level, o})
	}
	return all
}

// level returns the level of a node of the plan.
func (o *outlineRows) level(id string) int {
	level := 1
	for n, ok := o.plan.Node(mdstore.ID(id)); ok && n.ID != mdstore.Root && level < o.plan.Len(); level++ {
		n, ok = o.plan.Node(n.Parent)
	}
	return level
}

// Below returns the rows right below the node.
func (r planRow) Below() []planRow { return r.of.rows(r.Children, r.Level+1) }

// Share returns how many of the leaves below the node are done, as "2/5"; "" for a leaf.
func (r planRow) Share() string {
	sum, ok := r.of.outcomes[mdstore.ID(r.ID)]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d/%d", sum.Done, sum.Done+sum.Open)
}

// Notes returns what the row shows beside the title: the marks of lists but those that have columns.
func (r planRow) Notes() []string {
	h := r.Head
	h.Priority, h.Assignee, h.Due, h.Late = nil, nil, nil, false
	return h.Marks()
}

// Waits returns how many nodes the node waits for.
func (r planRow) Waits() int { return len(r.BlockedBy) }

// Who returns who works on the node, or else who is to.
func (r planRow) Who() string {
	if r.ClaimedBy != "" {
		return r.ClaimedBy
	}
	return strings.Join(r.Assignee, ", ")
}

// Urgent returns the node's priority; "" for none.
func (r planRow) Urgent() string {
	if r.Priority == nil {
		return ""
	}
	return *r.Priority
}

// Until returns the day by whose end the node is to be completed, without this year; "" for none.
func (r planRow) Until() string {
	if r.Due == nil {
		return ""
	}
	return strings.TrimPrefix(*r.Due, r.of.now.Format("2006-"))
}

// Changed returns when the node was last changed.
func (r planRow) Changed() string { return r.of.when(r.changed()) }

func (r planRow) changed() int64 {
	if n, ok := r.of.plan.Node(mdstore.ID(r.ID)); ok {
		return max(n.UpdatedAt, n.CreatedAt)
	}
	return 0
}

// Age returns how long the node has not been changed, as "now", "5 min", "3 h" or "12 d".
func (r planRow) Age() string {
	at := r.changed()
	if at == 0 {
		return ""
	}
	switch d := r.of.now.Sub(time.UnixMilli(at)); {
	case d < time.Minute:
		return r.of.say("now")
	case d < time.Hour:
		return fmt.Sprintf("%d %s", int(d.Minutes()), r.of.say("min"))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d %s", int(d.Hours()), r.of.say("h"))
	default:
		return fmt.Sprintf("%d %s", int(d.Hours()/24), r.of.say("d"))
	}
}
