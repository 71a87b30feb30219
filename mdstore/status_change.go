package mdstore

import (
	"slices"
	"strings"
	"time"

	"arbor/statemachine"
)

// A StatusChange is a change of a node's status as its log states it. This file is the one place that knows the form of
// such entries: it writes and reads them.
type StatusChange struct {
	By       string // the action, or ByCreation or ByHand
	From, To statemachine.Status
	Why      string // one line; "" for none
	Moved    string // the conclusion that stood until then, which the change moves into the log; "" for none
}

// The causes of a status besides actions.
const (
	ByCreation = "created"     // the node began, in the initial status of its type
	ByHand     = "set by hand" // a person wrote the status into the file, and check --fix recorded it
)

// Forced is the prefix, in the reason of a step, of each guard that the step did not pass.
const Forced = "forced: "

const (
	arrow      = " → "
	movedBelow = "\nconclusion until then:\n"
)

// String returns the event of the log entry: "start: pending → implementing; why", and "created; why" for a creation. A
// conclusion that is moved stands in the lines below.
func (l StatusChange) String() string {
	event := l.By
	if l.By != ByCreation {
		event += ": " + string(l.From) + arrow + string(l.To)
	}
	if l.Why != "" {
		event += "; " + l.Why
	}
	if l.Moved != "" {
		event += movedBelow + l.Moved
	}
	return event
}

// parseStatusChange reads an event that String has written for a node of that type. ok is false for every other event.
func parseStatusChange(t statemachine.Type, event string) (l StatusChange, ok bool) {
	event, l.Moved, _ = strings.Cut(unnamed(event), movedBelow)
	line, _, _ := strings.Cut(event, "\n")
	head, _, _ := strings.Cut(line, "; ")
	_, l.Why, _ = strings.Cut(event, "; ")
	if head == ByCreation {
		l.By, l.To = ByCreation, statemachine.Initial(t)
		return l, l.To != ""
	}
	by, way, found := strings.Cut(head, ": ")
	if !found {
		return StatusChange{}, false
	}
	from, to, found := strings.Cut(way, arrow)
	l.By, l.From, l.To = by, statemachine.Status(from), statemachine.Status(to)
	return l, found && (by == ByHand || statemachine.Known(statemachine.Action(by))) && statemachine.Valid(t, l.From) && statemachine.Valid(t, l.To)
}

// StatusChange returns the change of the node's status that an entry of its log states, the zero value for none.
func (n *Node) StatusChange(e LogEntry) StatusChange {
	l, ok := parseStatusChange(n.Type, e.Event)
	if !ok {
		return StatusChange{}
	}
	return l
}

// lastLogged returns the last status change in a node's log: that of the newest entry. If times and lines are not in
// the same order, as after a merge or with clocks that differ, it also returns that of the last entry in the file,
// because either may be the last. It returns none if the log has no change. "created" after another change is a
// person's own word, because a node is created first.
func lastLogged(n *Node) (last []StatusChange) {
	var newest, final StatusChange
	var at string
	for _, e := range n.LogWith(ByCreation, arrow) {
		if e.Time == "" {
			continue
		}
		l, ok := parseStatusChange(n.Type, e.Event)
		if !ok || l.By == ByCreation && at != "" {
			continue
		}
		final = l
		if e.Time >= at || newest.By == ByCreation {
			newest, at = l, e.Time
		}
	}
	switch {
	case at == "":
		return nil
	case newest == final:
		return []StatusChange{newest}
	}
	return []StatusChange{newest, final}
}

// Reached returns when the node last came to its status, as its log states it.
func (n *Node) Reached() (at time.Time, ok bool) {
	for _, e := range n.LogWith(arrow) {
		if l, change := parseStatusChange(n.Type, e.Event); change && l.To == n.Status {
			if t, err := time.Parse(TimeLayout, e.Time); err == nil && !t.Before(at) {
				at, ok = t, true
			}
		}
	}
	return at, ok
}

// UnloggedStatus reports whether a node's status cannot follow from what its log states: it returns the last change in
// the log, and why no single action leads from there to the status. A node whose log states no change is not judged.
func UnloggedStatus(n *Node) (was StatusChange, why string, ok bool) {
	last := lastLogged(n)
	if len(last) == 0 {
		return StatusChange{}, "", false
	}
	for _, l := range slices.Backward(last) {
		if l.To == n.Status {
			return StatusChange{}, "", false
		}
		audit := statemachine.Audit(statemachine.Standing{Type: n.Type, Status: n.Status}, l.To, statemachine.Facts{})
		i := slices.IndexFunc(audit, func(r statemachine.Refusal) bool { return r.Code == statemachine.CodeStatusUnreachable })
		if i < 0 {
			return StatusChange{}, "", false
		}
		why = audit[i].Text
	}
	return last[0], why, true
}
