package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"arbor/engine/ops"
	"arbor/statemachine"
)

// A kanban shows execution nodes by status: all in one lane, or a lane for each group.
type kanban struct {
	Filter, Wrong string // as in an outline
	By            string // what makes the lanes: byBranch or byAssignee; "" for one lane
	Lanes         []*lane
	More          int // nodes of further lanes
}

// A lane of the board is a group of nodes.
type lane struct {
	Key, Title string // Title is "" for the only lane, and for nodes without an assignee
	Into       string // the id of the planning node that takes new nodes; "" for none
	Columns    []*column
}

// A column of a lane is a status with the nodes that have it.
type column struct {
	Status string
	Cards  []card
	Nodes  int // with those that are not shown
}

// More is how many nodes are not shown.
func (c column) More() int { return c.Nodes - len(c.Cards) }

// A card is a node on the board. To has, as JSON, the action that leads to each status.
type card struct {
	*ops.TreeNode
	Above string // the title of the node above it; "" if the head of the lane has it
	To    string
}

const (
	byBranch   = "branch"   // lanes by the nodes right below the root
	byAssignee = "assignee" // lanes by the first assignee

	cards   = 50  // at most in a column
	onBoard = 400 // cards on the board
	lanes   = 30
)

// board shows the execution nodes by status, in lanes if by=branch or by=assignee asks for them.
func (s *Site) board(r *http.Request, v *screen) error {
	v.Title = "Board"
	if len(v.All) == 0 {
		return nil
	}
	b := kanban{Filter: strings.TrimSpace(r.FormValue("filter")), By: r.FormValue("by")}
	list := ops.NodeListIn{In: ops.In{WorkspaceID: v.Workspace}, Limit: everyNode, Where: b.Filter}
	out, wrong, err := s.filtered(r.Context(), list)
	if b.Wrong = wrong; err != nil {
		return err
	}
	b.deal(out.Tree)
	v.Body = b
	return nil
}

// deal puts the execution nodes of a tree into their columns.
func (b *kanban) deal(tree []*ops.TreeNode) {
	root, of, left := &ops.TreeNode{}, map[string]*lane{}, onBoard
	if len(tree) > 0 {
		root = tree[0]
	}
	in := func(key, title string, into *ops.TreeNode) *lane {
		if l := of[key]; l != nil {
			return l
		}
		l := &lane{Key: key, Title: title}
		if into != nil && takes(into) {
			l.Into = into.ID
		}
		for _, status := range statemachine.Statuses(statemachine.Execution) {
			l.Columns = append(l.Columns, &column{Status: string(status)})
		}
		of[key], b.Lanes = l, append(b.Lanes, l)
		return l
	}
	var below func(n, branch *ops.TreeNode)
	below = func(n, branch *ops.TreeNode) {
		for _, c := range n.Children {
			at := branch
			if n == root && len(c.Children) > 0 {
				at = c
			}
			if c.Type == statemachine.Execution && !c.Passed {
				l := in("", "", root)
				switch {
				case b.By == byBranch && at != nil:
					l = in(at.ID, at.Title, at)
				case b.By == byAssignee && len(c.Assignee) > 0:
					l = in(c.Assignee[0], c.Assignee[0], nil)
				}
				above := n.Title
				if b.By == byBranch && n == at { // the head of the lane says it
					above = ""
				}
				l.add(c, above, &left)
			}
			below(c, at)
		}
	}
	in("", "", root)
	if below(root, nil); len(b.Lanes) > 1 { // what belongs to no group comes last
		b.Lanes = append(b.Lanes[1:], b.Lanes[0])
	}
	for len(b.Lanes) > lanes {
		b.More += b.Lanes[lanes].nodes()
		b.Lanes = slices.Delete(b.Lanes, lanes, lanes+1)
	}
}

// add puts a node into its column, as long as there is room.
func (l *lane) add(n *ops.TreeNode, above string, left *int) {
	for _, c := range l.Columns {
		if c.Status != string(n.Status) {
			continue
		}
		if c.Nodes++; len(c.Cards) < cards && *left > 0 {
			*left--
			c.Cards = append(c.Cards, card{n, above, actions(n)})
		}
	}
}

func (l *lane) nodes() (n int) {
	for _, c := range l.Columns {
		n += c.Nodes
	}
	return n
}

// actions returns, as JSON, the action that leads from the node's status to each other one.
func actions(n *ops.TreeNode) string {
	to := map[string]string{}
	for _, rule := range statemachine.Rules() {
		if rule.Type == n.Type && rule.From == n.Status && !rule.Automatic {
			to[string(rule.To)] = string(rule.Do)
		}
	}
	data, _ := json.Marshal(to) // cannot fail: it is all strings
	return string(data)
}
