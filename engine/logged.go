package engine

import (
	"strings"

	"arbor/mdstore"
	"arbor/statemachine"
)

// A logged is a change of a node's status as its log tells it. This file is the one place that knows the form of such entries: what is written here is
// read here.
type logged struct {
	By       string // the action, or one of the two words below
	From, To statemachine.Status
	Why      string // "" for none
}

const (
	byCreation = "created"     // the node began, in the initial status of its type
	byHand     = "set by hand" // somebody wrote the status into the file, and check --fix took note of it
)

const arrow = " → "

// String returns the event of the log entry: "start: pending → implementing; why", and "created; why" for a creation.
func (l logged) String() string {
	event := l.By
	if l.By != byCreation {
		event += ": " + string(l.From) + arrow + string(l.To)
	}
	if l.Why != "" {
		event += "; " + l.Why
	}
	return event
}

// parseLogged reads an event that String has written for a node of that type. ok is false for every other event.
func parseLogged(t statemachine.Type, event string) (l logged, ok bool) {
	line, _, _ := strings.Cut(event, "\n")
	head, _, _ := strings.Cut(line, "; ")
	_, l.Why, _ = strings.Cut(event, "; ")
	if head == byCreation {
		l.By, l.To = byCreation, statemachine.Initial(t)
		return l, l.To != ""
	}
	by, way, found := strings.Cut(head, ": ")
	if !found {
		return logged{}, false
	}
	from, to, found := strings.Cut(way, arrow)
	l.By, l.From, l.To = by, statemachine.Status(from), statemachine.Status(to)
	return l, found && (by == byHand || statemachine.Known(statemachine.Action(by))) && statemachine.Valid(t, l.From) && statemachine.Valid(t, l.To)
}

// lastLogged returns the last change of its status that a node's log tells: that of the newest entry and, where times and lines are not in the same order,
// that of the last one in the file. After a merge, or with clocks that differ, either may be the one. None is returned where the log tells of no change. A node is
// created once, before anything else: behind another change, "created" is somebody's own word.
func lastLogged(n *mdstore.Node) (last []logged) {
	var newest, final logged
	var at string
	for _, e := range n.LogWith(byCreation, arrow) {
		if e.Time == "" {
			continue
		}
		l, ok := parseLogged(n.Type, e.Event)
		if !ok || l.By == byCreation && at != "" {
			continue
		}
		final = l
		if e.Time >= at || newest.By == byCreation {
			newest, at = l, e.Time
		}
	}
	switch {
	case at == "":
		return nil
	case newest == final:
		return []logged{newest}
	}
	return []logged{newest, final}
}
