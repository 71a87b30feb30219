package view

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// Mark returns the state of the plan as texts for a front matter: the focus and the nodes above it with status and
// version, and the number of nodes with each status. SinceMark reads it.
func Mark(v *View, focus mdstore.ID) []string {
	var out []string
	if n, ok := v.Node(focus); ok {
		up, _ := v.Ancestors(focus)
		for _, n := range append([]*mdstore.Node{n}, up...) {
			out = append(out, fmt.Sprintf("node:%s:%s:%s", n.ID, n.Status, n.Version()))
		}
	}
	now := byStatus(v)
	for _, status := range slices.Sorted(maps.Keys(now)) {
		out = append(out, "count:"+status+":"+strconv.Itoa(now[status]))
	}
	return out
}

// A NodeSince is the change of a node since a mark.
type NodeSince struct {
	NodeID mdstore.ID `json:"nodeId"`
	Title  string     `json:"title,omitempty"`
	From   string     `json:"from"`              // its status then
	To     string     `json:"to"`                // its status now, "gone" or "unreadable"
	Edited bool       `json:"changed,omitempty"` // its file has changed since
}

// A CountSince is how many nodes had a status, and have it now.
type CountSince struct {
	Status string `json:"status"`
	From   int    `json:"from" always:"true"`
	To     int    `json:"to" always:"true"`
}

// SinceMark returns the changes since a mark: of each node that the mark has, and of the numbers of nodes by status.
// It skips entries of the mark that it cannot read.
func SinceMark(v *View, mark []string) (nodes []NodeSince, counts []CountSince) {
	was, now := map[string]int{}, byStatus(v)
	for _, m := range mark {
		parts := strings.Split(m, ":")
		switch {
		case len(parts) == 4 && parts[0] == "node":
			x := NodeSince{NodeID: mdstore.ID(parts[1]), From: parts[2], To: "gone"}
			if n, ok := v.Node(x.NodeID); ok {
				x.Title, x.To, x.Edited = n.Title, string(n.Status), n.Version().String() != parts[3]
			} else if _, broken := v.BrokenFolder(parts[1]); broken {
				x.To = "unreadable"
			}
			if x.Edited || x.To != x.From {
				nodes = append(nodes, x)
			}
		case len(parts) == 3 && parts[0] == "count":
			if n, err := strconv.Atoi(parts[2]); err == nil {
				was[parts[1]] = n
				now[parts[1]] += 0
			}
		}
	}
	for _, status := range slices.Sorted(maps.Keys(now)) {
		if len(was) > 0 && v.Unread() == nil && was[status] != now[status] {
			counts = append(counts, CountSince{status, was[status], now[status]})
		}
	}
	return nodes, counts
}

// MarkedFocus returns the focus of a mark, empty if it had none.
func MarkedFocus(mark []string) mdstore.ID {
	if len(mark) > 0 {
		if parts := strings.Split(mark[0], ":"); len(parts) == 4 && parts[0] == "node" {
			return mdstore.ID(parts[1])
		}
	}
	return ""
}

// byStatus returns how many nodes have each status.
func byStatus(v *View) map[string]int {
	n := map[string]int{}
	for _, x := range v.nodes {
		n[string(x.Status)]++
	}
	return n
}
