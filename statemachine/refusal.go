package statemachine

import "fmt"

// A Code is the stable name of a refusal.
type Code string

// The codes. Those of Decide and Rise refuse something, and nothing happens;
// those of Audit describe a file as somebody left it.
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

// A Refusal is one reason why the table does not grant something.
type Refusal struct {
	Code Code
	Text string // lower case, no full stop: "2 children open (n8, n9)"
}

// A RefusedError is the answer to an action that the table does not grant.
type RefusedError struct {
	Standing     Standing
	Do           Action
	Unmet        []Refusal // every reason, at least one
	OpenChildren []string  // all of them, where they are a reason
	// Allowed is what is granted to a caller who asks for it in this status and
	// gives a conclusion, in table order. The refused action is among them where
	// the conclusion was all that it lacked.
	Allowed []Action
}

// Code returns the code of the first reason.
func (e *RefusedError) Code() Code {
	if len(e.Unmet) == 0 {
		return ""
	}
	return e.Unmet[0].Code
}

// Error names the action, every reason and the allowed actions:
//
//	cannot complete: 2 children open (n8, n9); allowed: cancel
//
// It begins with what is refused, for the caller to put the node's id before.
func (e *RefusedError) Error() string {
	reasons, offered := make([]string, 0, len(e.Unmet)), make([]string, 0, len(e.Allowed))
	var toGive Need
	for _, u := range e.Unmet {
		reasons = append(reasons, u.Text)
		if u.Code == CodeConclusionRequired {
			toGive = NeedConclusion
		}
	}
	for _, a := range e.Allowed {
		text := string(a)
		if r, _ := row(e.Standing.Type, e.Standing.Status, a); r.Need&toGive != 0 {
			text += " with a conclusion"
		}
		offered = append(offered, text)
	}
	if len(offered) == 0 {
		offered = append(offered, "nothing")
	}
	return fmt.Sprintf("cannot %s: %s; allowed: %s", shown(e.Do), join(reasons, "; "), join(offered, ", "))
}

func refuse(n Standing, do Action, f Facts, unmet []Refusal) *RefusedError {
	e := &RefusedError{Standing: n, Do: do, Unmet: unmet}
	for _, u := range unmet {
		if u.Code == CodeIncompleteChildren {
			e.OpenChildren = append([]string(nil), f.OpenChildren...)
		}
	}
	f.Conclusion = true
	for _, a := range Allowed(n.Type, n.Status) {
		if r, _ := row(n.Type, n.Status, a); len(r.Need.failing(f)) == 0 {
			e.Allowed = append(e.Allowed, a)
		}
	}
	return e
}

// impossible says why no row grants the action.
func impossible(n Standing, do Action) Refusal {
	if r, bad := misfit(n); bad {
		return r
	}
	why := fmt.Sprintf("no such action for %s nodes in %s", n.Type, n.Status)
	if isAutomatic(do) {
		why = fmt.Sprintf("not to be asked for in %s, it follows by itself when a child is added or runs", n.Status)
	} else if near, ok := Nearest(string(do)); ok && near != do {
		why += fmt.Sprintf(", the nearest is %s", near)
	}
	if next, ok := byItself(n); ok && !isAutomatic(do) {
		why += fmt.Sprintf("; a child that is added or runs leads to %s", next)
	}
	return Refusal{CodeInvalidTransition, why}
}

// misfit reports a type that does not exist or a status that its life cycle
// does not have.
func misfit(n Standing) (Refusal, bool) {
	if !contains(Types(), n.Type) {
		return Refusal{CodeInvalidNodeType, fmt.Sprintf("type %.40q is none of %s", n.Type, join(Types(), ", "))}, true
	}
	if !Valid(n.Type, n.Status) {
		return Refusal{CodeInvalidTransition, notAStatus(n)}, true
	}
	return Refusal{}, false
}

func notAStatus(n Standing) string {
	return fmt.Sprintf("status %.40q is none that a node of type %s can have (%s)", n.Status, n.Type, join(Statuses(n.Type), ", "))
}

func isAutomatic(a Action) bool {
	for _, r := range rules {
		if r.Do == a && r.Automatic {
			return true
		}
	}
	return false
}

// byItself is where a row that nobody asks for leads to.
func byItself(n Standing) (to Status, ok bool) {
	for _, r := range rules {
		if r.Type == n.Type && r.From == n.Status && r.Automatic {
			return r.To, true
		}
	}
	return "", false
}

const shownChildren = 5 // ids that a text names before it counts the others

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

// shown is a known action as it is, and anything else quoted and cut: it came
// from outside, and may hold anything.
func shown(a Action) string {
	if Known(a) {
		return string(a)
	}
	return fmt.Sprintf("%.40q", a)
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
