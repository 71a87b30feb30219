package ops

import (
	"cmp"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

const (
	activityText  = 200 // bytes of an entry that a load shows
	activityNodes = 10  // nodes whose logs are read, for each entry that is shown
)

// A recentEntry is an entry of a log that a load may show.
type recentEntry struct {
	time, operator string
	node, session  string // their names; "" for none
	event          string
}

func (a recentEntry) String() string {
	who := a.time + " " + a.operator
	if a.node != "" {
		who += ", " + a.node
	}
	if a.session != "" {
		who += ", session " + a.session
	}
	event, more, _ := strings.Cut(a.event, "\n")
	if strings.HasSuffix(event, ":") && more != "" { // problem:, with its text on the lines that follow
		more, _, _ = strings.Cut(more, "\n")
		event += " " + more
	}
	return beginning(who+": "+event, activityText)
}

// activity returns what people and assistants did last in a workspace, newest first, one text each; the entries of one
// session follow each other. It leaves out what Arbor logs by itself, and shows the conclusion of a node that ended. It
// only reads the logs of the nodes and sessions that were changed last.
func activity(s *view.View, limit int) []string {
	all, sessions := sessionActs(s, limit)
	nodes := slices.Collect(s.All())
	slices.SortStableFunc(nodes, func(a, b *mdstore.Node) int { return cmp.Compare(b.UpdatedAt, a.UpdatedAt) })
	for _, n := range nodes[:min(len(nodes), activityNodes*limit)] {
		log := n.Log()
		end := ending(n, log)
		for i, e := range log {
			switch {
			case e.Time == "":
				continue
			case i == end:
				e.Event = n.StatusChange(e).By + ": " + n.Conclusion()
			case e.Own():
				continue
			}
			all = append(all, recentEntry{e.Time, e.Operator, n.Title, sessions[e.Time+" "+string(n.ID)], e.Event})
		}
	}
	for _, e := range s.Workspace().Log() {
		if e.Time != "" && !e.Own() {
			all = append(all, recentEntry{time: e.Time, operator: e.Operator, event: e.Event})
		}
	}
	slices.SortStableFunc(all, func(a, b recentEntry) int { return strings.Compare(b.time, a.time) })
	out := []string{}
	for _, a := range together(all[:min(len(all), limit)]) {
		out = append(out, a.String())
	}
	return out
}

// sessionActs returns the log entries of the newest sessions and of those written last, without the lines that Arbor
// itself writes (see plan.Traced). sessions has the name of the session of each traced call, by the time of the call
// and each word of its line, such as a node's id.
func sessionActs(s *view.View, limit int) (all []recentEntry, sessions map[string]string) {
	pages := s.Pages().Newest(mdstore.SessionKind)
	picked := slices.Clone(pages[:min(len(pages), limit)])
	slices.SortStableFunc(pages, func(a, b *mdstore.Page) int { return cmp.Compare(b.Stamp.Mtime, a.Stamp.Mtime) })
	for _, p := range pages[:min(len(pages), 2*limit)] { // an older session may have been continued
		if !slices.ContainsFunc(picked, func(o *mdstore.Page) bool { return o.Path == p.Path }) {
			picked = append(picked, p)
		}
	}
	sessions = map[string]string{}
	for _, p := range picked {
		for _, e := range slices.Backward(p.Log()) {
			kind, text, _ := strings.Cut(e.Event, ": ")
			switch {
			case e.Time == "":
			case !plan.Traced(kind):
				all = append(all, recentEntry{time: e.Time, operator: e.Operator, session: p.Name(), event: e.Event})
			case kind == plan.TraceCall:
				for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n,", r) }) {
					sessions[e.Time+" "+word] = p.Name()
				}
			}
		}
	}
	return all, sessions
}

// ending returns the index of the log entry by which a node with a conclusion was ended, -1 for none.
func ending(n *mdstore.Node, log []mdstore.LogEntry) int {
	if !statemachine.Terminal(n.Status) || n.Conclusion() == "" {
		return -1
	}
	for i, e := range slices.Backward(log) {
		if n.StatusChange(e).To == n.Status {
			return i
		}
	}
	return -1
}

// together returns the entries with all entries of a session moved behind the newest of that session.
func together(all []recentEntry) (out []recentEntry) {
	for i, a := range all {
		if a.session == "" {
			out = append(out, a)
		} else if !slices.ContainsFunc(all[:i], func(b recentEntry) bool { return b.session == a.session }) {
			for _, b := range all[i:] {
				if b.session == a.session {
					out = append(out, b)
				}
			}
		}
	}
	return out
}
