package ops

import (
	"fmt"
	"strings"
	"time"

	"arbor/context/render"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/mdoc"
)

// NextLines is a NodeNextOut in brief.
type NextLines struct {
	Next     []string `json:"next"`              // "ID TYPE STATUS TITLE · in WAY · MARK …", with open questions below
	Runs     []string `json:"runs,omitempty"`    // "ID STATUS TITLE · claimed by …", as Running of NodeNextOut
	Ready    int      `json:"ready,omitempty"`   // ready nodes in all, if these are more than are shown
	Claimed  int      `json:"claimed,omitempty"` // as in NodeNextOut
	Lost     int      `json:"lost,omitempty"`
	Released bool     `json:"released,omitempty"`
	Out
}

func (out *NodeNextOut) lean(short func(id string) string) any {
	l := &NextLines{Claimed: out.Claimed, Lost: out.Lost, Released: out.Released, Out: out.Out}
	if out.Ready > len(out.Nodes) {
		l.Ready = out.Ready
	}
	for _, n := range out.Nodes {
		l.Next = append(l.Next, n.line(short))
	}
	for _, r := range out.Running {
		l.Runs = append(l.Runs, strings.Join(append([]string{short(r.NodeID) + " " + r.Status + " " + r.Title},
			r.Claim.marks()...), " · "))
	}
	return l
}

func (n *NextNode) line(short func(id string) string) string {
	marks := []string{fmt.Sprintf("%s %s %s %s", short(n.ID), n.Type, n.Status, n.Title)}
	if len(n.Way) > 1 { // below the root otherwise
		marks = append(marks, "in "+strings.Join(n.Way[1:], view.WayMark))
	}
	marks = append(marks, n.Marks()...)
	if len(n.BlockedBy) > 0 {
		marks = append(marks, "waits for "+strings.Join(shorts(short, n.BlockedBy), ", "))
	}
	if len(n.Allowed) > 0 {
		marks = append(marks, "can "+strings.Join(n.Allowed, ", "))
	}
	line := strings.Join(append(marks, n.Claim.marks()...), " · ")
	for _, q := range n.Questions {
		line += "\n" + q.Time + " ? " + q.Text
	}
	return line
}

// marks returns what lines say of a claim.
func (c Claim) marks() (all []string) {
	if c.ClaimedBy != "" {
		all = append(all, "claimed by "+c.ClaimedBy+" until "+
			time.UnixMilli(c.LeasedUntil).UTC().Format(mdstore.TimeLayout)+" UTC")
	}
	if l := c.Lapsed; l != nil {
		all = append(all, "started by "+l.By()+", which is gone")
	}
	return all
}

// StatusLines is a WorkspaceStatusOut in brief.
type StatusLines struct {
	Workspace   WorkspaceInfo     `json:"workspace"`
	Progress    string            `json:"progress"` // "2 of 5 done · 1 given up"
	Nodes       []string          `json:"nodes"`    // "ID STATUS TITLE · MARK …", indented below their parents
	Problem     *mdstore.Problem  `json:"problem"`
	Problems    []NodeProblem     `json:"problems"` // as in WorkspaceStatusOut
	Diagnostics []mdoc.Diagnostic `json:"diagnostics" only:"rarely"`
	Text        string            `json:"text"` // in the format asked for, if one is
	Git         *gitrepo.Status   `json:"git,omitempty"`
	Out
}

func (out *WorkspaceStatusOut) lean(func(id string) string) any {
	l := &StatusLines{Workspace: out.Workspace, Progress: out.Counts.Outcomes.String(), Problem: out.Problem,
		Problems: out.Problems, Diagnostics: out.Diagnostics, Git: out.Git, Out: out.Out}
	l.Workspace.CreatedAt, l.Workspace.UpdatedAt, l.Workspace.Version = 0, 0, ""
	if out.marked {
		l.Text = out.Text
		return l
	}
	for _, r := range out.lines {
		marks := append([]string{r.ID + " " + string(r.Status) + " " + r.Title}, r.Marks()...)
		mark := func(is bool, text string) {
			if is {
				marks = append(marks, text)
			}
		}
		mark(r.Blocked, "waits")
		mark(r.By != "", "claimed by "+r.By)
		mark(r.Problem, "problem")
		mark(r.Damaged, "damaged")
		mark(r.Hidden > 0, fmt.Sprintf("%d more below", r.Hidden))
		mark(r.Focus, "focus")
		l.Nodes = append(l.Nodes, strings.Repeat(" ", r.Depth)+strings.Join(marks, " · "))
	}
	return l
}

var _ = []leaner{&NodeNextOut{}, &WorkspaceStatusOut{}}

// board draws a status with these rows of its tree: as the text, and for a brief reply.
func (out *WorkspaceStatusOut) board(head render.BoardHead, rows []render.TreeRow, style render.Style) {
	out.Text, out.lines, out.marked = render.Board(head, rows, style), rows, style.Markdown
}
