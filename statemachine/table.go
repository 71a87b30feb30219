package statemachine

// A lifeCycle is what holds for a type as a whole. Its statuses are in the
// order in which a node usually meets them; the first is the one it is born in.
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

// rules is the whole of both life cycles. A type, a status and an action meet
// in one row at most.
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

// An effect is what an action does besides changing the status, wherever it
// is taken from. Actions without a row here have none.
type effect struct {
	do                              Action
	clearsProblem, takesFocus, runs bool
}

var effects = []effect{
	{do: Complete, clearsProblem: true},
	{do: Cancel, clearsProblem: true},
	{do: Start, takesFocus: true, runs: true},
	{do: Retry, takesFocus: true, runs: true},
	{do: Reopen, takesFocus: true, runs: true},
}

// Rules returns a copy of every row of both life cycles, in table order.
func Rules() []Rule { return append([]Rule(nil), rules...) }

// Types returns the types of nodes.
func Types() []Type {
	var all []Type
	for _, c := range lifeCycles {
		all = append(all, c.kind)
	}
	return all
}

// Statuses returns the statuses of a type in the order of its life cycle, and
// nil for an unknown type.
func Statuses(t Type) []Status { return append([]Status(nil), cycle(t).statuses...) }

// Initial returns the status that a node of the type is born in, and "" for an
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
func Valid(t Type, s Status) bool { return contains(cycle(t).statuses, s) }

// Terminal reports whether the work of a node in this status is over. A node
// may still leave a terminal status, by retry or reopen.
func Terminal(s Status) bool { return contains(terminal, s) }

// Allowed returns the actions that a caller may ask for from a status, in
// table order; their needs are still to be met. It is nil for a status that is
// not one of the type.
func Allowed(t Type, from Status) []Action {
	var all []Action
	for _, r := range rules {
		if r.Type == t && r.From == from && !r.Automatic {
			all = append(all, r.Do)
		}
	}
	return all
}

// Actions returns every action that a caller may ask for in some status, each
// once, in table order.
func Actions() []Action {
	var all []Action
	for _, r := range rules {
		if !r.Automatic && !contains(all, r.Do) {
			all = append(all, r.Do)
		}
	}
	return all
}

// Known reports whether some row has the action, be it a caller's to ask for or not.
func Known(do Action) bool { return contains(Actions(), do) || isAutomatic(do) }

// cycle returns the life cycle of a type, and an empty one for an unknown type.
func cycle(t Type) lifeCycle {
	for _, c := range lifeCycles {
		if c.kind == t {
			return c
		}
	}
	return lifeCycle{}
}

// row returns the row where a type, a status and an action meet.
func row(t Type, from Status, do Action) (Rule, bool) {
	for _, r := range rules {
		if r.Type == t && r.From == from && r.Do == do {
			return r, true
		}
	}
	return Rule{}, false
}

func contains[T comparable](all []T, one T) bool {
	for _, x := range all {
		if x == one {
			return true
		}
	}
	return false
}
