package statemachine

import (
	"fmt"
	"slices"
)

// A Code is the stable name of a refusal.
type Code string

// The codes. Those of Decide and Rise refuse a change; those of Audit describe the present state of a file.
const (
	CodeInvalidTransition   Code = "INVALID_TRANSITION"    // Decide: no such row
	CodeConclusionRequired  Code = "CONCLUSION_REQUIRED"   // Decide
	CodeIncompleteChildren  Code = "INCOMPLETE_CHILDREN"   // Decide
	CodeInvalidNodeType     Code = "INVALID_NODE_TYPE"     // Decide and Audit: no such type
	CodeInvalidParentStatus Code = "INVALID_PARENT_STATUS" // Rise
	CodeStatusUnreachable   Code = "STATUS_UNREACHABLE"    // Audit
	CodeConclusionMissing   Code = "CONCLUSION_MISSING"    // Audit
	CodeChildrenOpen        Code = "CHILDREN_OPEN"         // Audit
)

// A Refusal is one reason why the rules do not allow something.
type Refusal struct {
	Code Code
	Text string // lower case, no full stop: "2 children open (n8, n9)"
}

// A RefusedError is the answer to an action that the rules do not allow.
type RefusedError struct {
	Standing     Standing
	Do           Action
	Unmet        []Refusal // every reason, at least one
	OpenChildren []string  // all of them if they are a reason
	// Allowed are the actions that Decide allows in this status if a conclusion is given, in the order of the rules.
	// The refused action is one of them if it lacked nothing but a conclusion. There are none if OpenChildren are the
	// reason.
	Allowed []Action
	Waiting string // what else would be allowed, and what it waits for; "" for nothing
}

// Code returns the code of the first reason.
func (e *RefusedError) Code() Code { return e.Unmet[0].Code }

// Error names the action, every reason and the allowed actions:
//
//	cannot submit: no such action for execution nodes in pending; allowed: start
//
// Open children are to be finished first, so that nothing else is offered then.
// The caller puts the node's id before it.
func (e *RefusedError) Error() string {
	reasons, allowed := make([]string, 0, len(e.Unmet)), make([]string, 0, len(e.Allowed))
	var lacking Need
	for _, u := range e.Unmet {
		reasons = append(reasons, u.Text)
		if u.Code == CodeConclusionRequired {
			lacking = NeedConclusion
		}
	}
	for _, a := range e.Allowed {
		text := string(a)
		if r, _ := row(e.Standing.Type, e.Standing.Status, a); r.Need&lacking != 0 || a == Drop && lacking != 0 {
			text += " with a conclusion"
		}
		allowed = append(allowed, text)
	}
	if len(allowed) == 0 {
		allowed = append(allowed, "nothing")
	}
	next := "allowed: " + join(allowed, ", ")
	if e.Waiting != "" {
		next += "; " + e.Waiting
	}
	if len(e.OpenChildren) > 0 {
		next = "finish or drop them first"
	}
	do := string(e.Do)
	if !Known(e.Do) && e.Do != Drop { // it came from outside and may hold any bytes
		do = fmt.Sprintf("%.40q", do)
	}
	return fmt.Sprintf("cannot %s: %s; %s", do, join(reasons, "; "), next)
}

func refuse(n Standing, do Action, f Facts, unmet []Refusal) *RefusedError {
	e := &RefusedError{Standing: n, Do: do, Unmet: unmet}
	if slices.ContainsFunc(unmet, func(u Refusal) bool { return u.Code == CodeIncompleteChildren }) {
		e.OpenChildren = slices.Clone(f.OpenChildren)
		return e
	}
	f.Conclusion = true
	for _, a := range Allowed(n.Type, n.Status) {
		if r, _ := row(n.Type, n.Status, a); len(r.Need.failing(f)) == 0 {
			e.Allowed = append(e.Allowed, a)
		}
	}
	return e
}

// otherWords are words of other programs for actions.
var otherWords = map[Action]Action{
	"done": Complete, "finish": Complete, "finished": Complete, "close": Complete, "completed": Complete,
	"begin": Start, "in_progress": Start, "implementing": Start, "failed": Fail, "cancelled": Cancel, "abandon": Drop,
}

// noSuchRow returns the reason why no row has the action.
func noSuchRow(n Standing, do Action) Refusal {
	if r, bad := unknownStanding(n); bad {
		return r
	}
	if slices.ContainsFunc(rules, func(r Rule) bool { return r.Do == do && r.Automatic }) {
		return Refusal{CodeInvalidTransition, fmt.Sprintf(
			"not to be asked for in %s, it follows by itself when a child is added or runs", n.Status)}
	}
	why := fmt.Sprintf("no such action for %s nodes in %s", n.Type, n.Status)
	if is, ok := otherWords[do]; ok {
		why += fmt.Sprintf("; %s is %s", do, is)
	}
	for _, r := range rules {
		if r.Type == n.Type && r.From == n.Status && r.Automatic {
			why += fmt.Sprintf("; a child that is added or runs leads to %s", r.To)
		}
	}
	if (do == Cancel || do == Fail) && do != GivesUp(n.Type) && !Terminal(n.Status) {
		why += "; drop gives it up"
	}
	return Refusal{CodeInvalidTransition, why}
}

// unknownStanding refuses a type that does not exist, or a status that is not one
// of the type's.
func unknownStanding(n Standing) (r Refusal, bad bool) {
	if !slices.Contains(Types(), n.Type) {
		return Refusal{CodeInvalidNodeType, fmt.Sprintf("type %.40q is none of %s", n.Type, join(Types(), ", "))}, true
	}
	if !Valid(n.Type, n.Status) {
		return Refusal{CodeInvalidTransition, unknownStatus(n)}, true
	}
	return Refusal{}, false
}

func unknownStatus(n Standing) string {
	return fmt.Sprintf("status %.40q is none that a node of type %s can have (%s)",
		n.Status, n.Type, join(Statuses(n.Type), ", "))
}

const shownChildren = 5 // a text names so many ids and counts the others

// openChildren is "1 child open (n8)", "7 children open (n1, n2, n3, n4, n5 and 2 more)".
func openChildren(ids []string) string {
	noun, named, more := "children", ids, ""
	if len(ids) == 1 {
		noun = "child"
	}
	if extra := len(ids) - shownChildren; extra > 0 {
		named, more = ids[:shownChildren], fmt.Sprintf(" and %d more", extra)
	}
	return fmt.Sprintf("%d %s open (%s%s)", len(ids), noun, join(named, ", "), more)
}

func join[T ~string](parts []T, sep string) string {
	text := ""
	for i, p := range parts {
		if i > 0 {
			text += sep
		}
		text += string(p)
	}
	return text
}
