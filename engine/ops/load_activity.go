package ops

import (
	"cmp"
	"slices"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
)

const activityText = 200 // bytes of an entry that a load shows

// activity returns the newest entries of the logs of a workspace, its nodes and its sessions, newest first, one text
// each. It only reads the logs of the nodes that were changed last.
func activity(s *view.View, limit int) []string {
	type entry struct{ time, text string }
	var all []entry
	add := func(of string, log []mdstore.LogEntry) {
		log = slices.DeleteFunc(log, func(e mdstore.LogEntry) bool { return e.Time == "" })
		for _, e := range slices.Backward(log[max(0, len(log)-limit):]) {
			event, _, _ := strings.Cut(e.Event, "\n")
			all = append(all, entry{e.Time, beginning(e.Time+" "+e.Operator+of+": "+event, activityText)})
		}
	}
	nodes := slices.Collect(s.All())
	slices.SortStableFunc(nodes, func(a, b *mdstore.Node) int { return cmp.Compare(b.UpdatedAt, a.UpdatedAt) })
	for _, n := range nodes[:min(len(nodes), 3*limit)] {
		add(", "+n.Title, n.Log())
	}
	sessions := s.Pages().Newest(mdstore.SessionKind)
	picked := slices.Clone(sessions[:min(len(sessions), limit)])
	slices.SortStableFunc(sessions, func(a, b *mdstore.Page) int { return cmp.Compare(b.Stamp.Mtime, a.Stamp.Mtime) })
	for _, p := range sessions[:min(len(sessions), 2*limit)] { // an older session may go on
		if !slices.ContainsFunc(picked, func(o *mdstore.Page) bool { return o.Path == p.Path }) {
			picked = append(picked, p)
		}
	}
	for _, p := range picked {
		add(", session "+p.Name(), p.Log())
	}
	add("", s.Workspace().Log()) // last, as of one second its first line is the oldest
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(b.time, a.time) })
	out := []string{}
	for _, e := range all[:min(len(all), limit)] {
		out = append(out, e.text)
	}
	return out
}
