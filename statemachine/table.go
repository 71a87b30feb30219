package statemachine

import "slices"

// A lifeCycle describes a type as a whole. The statuses are in the usual order; nodes are created in the first.
type lifeCycle struct {
	kind          Type
	takesChildren bool
	statuses      []Status
}

var lifeCycles = []lifeCycle{
	{Planning, true, []Status{Pending, InPlanning, Monitoring, Completed, Cancelled}},
	{Execution, false, []Status{Pending, Implementing, Validating, Completed, Failed}},
}

var terminal = []Status{Completed, Failed, Cancelled}

const bothNeeds = NeedConclusion | NeedChildrenTerminal

// rules are both life cycles. A type, a status and an action have at most one row.
var rules = []Rule{
	{Planning, Pending, Start, InPlanning, 0, false},
	{Planning, InPlanning, Adopt, Monitoring, 0, true},
	{Planning, InPlanning, Cancel, Cancelled, NeedConclusion, false},
	{Planning, Monitoring, Complete, Completed, bothNeeds, false},
	{Planning, Monitoring, Cancel, Cancelled, NeedConclusion, false},
	{Planning, Completed, Reopen, InPlanning, 0, false},
	{Planning, Cancelled, Reopen, InPlanning, 0, false},

	{Execution, Pending, Start, Implementing, 0, false},
	{Execution, Implementing, Submit, Validating, 0, false},
	{Execution, Implementing, Complete, Completed, NeedConclusion, false},
	{Execution, Validating, Complete, Completed, NeedConclusion, false},
	{Execution, Implementing, Fail, Failed, NeedConclusion, false},
	{Execution, Validating, Fail, Failed, NeedConclusion, false},
	{Execution, Failed, Retry, Implementing, 0, false},
	{Execution, Completed, Reopen, Implementing, 0, false},
}

// Further effects of actions. They do not depend on the node's status.
var (
	clearsProblem = []Action{Complete, Cancel}
	beginsWork    = []Action{Start, Retry, Reopen} // the node takes the focus, and its ancestors follow
)

// BeginsWork reports whether an action begins work on a node.
func BeginsWork(do Action) bool { return slices.Contains(beginsWork, do) }

// Rules returns a copy of all rows of both life cycles.
func Rules() []Rule { return slices.Clone(rules) }

// Types returns the types of nodes.
func Types() []Type {
	var all []Type
	for _, c := range lifeCycles {
		all = append(all, c.kind)
	}
	return all
}

// Statuses returns the statuses of a type in their usual order, nil for an unknown type.
func Statuses(t Type) []Status { return slices.Clone(cycle(t).statuses) }

// AllStatuses returns the statuses of all types: first those with work left, in their usual order, then the terminal
// ones.
func AllStatuses() []Status {
	var all []Status
	for _, c := range lifeCycles {
		for _, s := range c.statuses {
			if !Terminal(s) && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return append(all, terminal...)
}

// Actions returns the actions that a caller may ask for, each once, Drop last.
func Actions() []Action {
	var all []Action
	for _, t := range slices.Backward(lifeCycles) {
		for _, r := range rules {
			if r.Type == t.kind && !r.Automatic && !slices.Contains(all, r.Do) {
				all = append(all, r.Do)
			}
		}
	}
	return append(all, Drop)
}

// Progress returns the place of a status in the order of its type. If the two sides of a merge gave a node different
// statuses, the one with the greater number wins. It is -1 for a status that the type does not have.
func Progress(t Type, s Status) int {
	all := cycle(t).statuses
	if s == Completed {
		return len(all)
	}
	return slices.Index(all, s)
}

// Initial returns the status in which nodes of the type are created, "" for an
// unknown type.
func Initial(t Type) Status {
	if s := cycle(t).statuses; len(s) > 0 {
		return s[0]
	}
	return ""
}

// TakesChildren reports whether nodes of the type can have children.
func TakesChildren(t Type) bool { return cycle(t).takesChildren }

// Valid reports whether s is a status of the type.
func Valid(t Type, s Status) bool { return slices.Contains(cycle(t).statuses, s) }

// Terminal reports whether the work of a node in this status is over. A node
// may still leave a terminal status, by retry or reopen.
func Terminal(s Status) bool { return slices.Contains(terminal, s) }

// Allowed returns the actions that a caller may ask for in a status, in the order of
// the rules; their conditions may still be unmet. It is nil for a status that the
// type does not have.
func Allowed(t Type, from Status) []Action {
	var all []Action
	for _, r := range rules {
		if r.Type == t && r.From == from && !r.Automatic {
			all = append(all, r.Do)
		}
	}
	return all
}

// Steps returns the steps of an action for a node, in order. Drop starts a node that is still pending and then ends it:
// an execution node fails, a planning node is cancelled. It takes no step in a terminal status. With begin, Complete
// starts a pending execution node first. Every other action is a single step.
func Steps(n Standing, do Action, begin bool) []Action {
	pending := n.Status == Initial(n.Type)
	switch {
	case do == Drop && Terminal(n.Status):
		return nil
	case do == Drop && pending:
		return []Action{Start, GivesUp(n.Type)}
	case do == Drop:
		return []Action{GivesUp(n.Type)}
	case do == Complete && begin && pending && n.Type == Execution:
		return []Action{Start, Complete}
	}
	return []Action{do}
}

// GivesUp returns the action of a type that ends a node's work without a result.
func GivesUp(t Type) Action {
	if TakesChildren(t) {
		return Cancel
	}
	return Fail
}

// Known reports whether some row has the action, automatic or not.
func Known(do Action) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool { return r.Do == do })
}

// cycle returns the life cycle of a type, an empty one for an unknown type.
func cycle(t Type) lifeCycle {
	for _, c := range lifeCycles {
		if c.kind == t {
			return c
		}
	}
	return lifeCycle{}
}

// row returns the row of a type, a status and an action.
func row(t Type, from Status, do Action) (Rule, bool) {
	for _, r := range rules {
		if r.Type == t && r.From == from && r.Do == do {
			return r, true
		}
	}
	return Rule{}, false
}
