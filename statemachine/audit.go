package statemachine

import "fmt"

// Audit returns what the rules forbid about a status that a person wrote into a file; nil if they allow it.
//
//   - INVALID_NODE_TYPE: there is no such type. Nothing else is checked.
//   - STATUS_UNREACHABLE: the type has no such status, and nothing else is checked;
//     or no single action of a caller, with the automatic steps around it, leads
//     from was to it.
//   - CONCLUSION_MISSING, CHILDREN_OPEN: every row into the status has a need that the facts do not meet.
//
// was is the status before, "" if it is unknown. If was is unknown or not a status of the type, every status is
// reachable.
func Audit(n Standing, was Status, f Facts) []Refusal {
	if r, bad := unknownStanding(n); bad {
		if r.Code == CodeInvalidTransition {
			r.Code = CodeStatusUnreachable
		}
		return []Refusal{r}
	}
	var all []Refusal
	if Valid(n.Type, was) && !reachable(n.Type, was, n.Status, 1) {
		text := fmt.Sprintf("no action leads from %s to %s; allowed in %s: %s",
			was, n.Status, was, join(Allowed(n.Type, was), ", "))
		all = append(all, Refusal{CodeStatusUnreachable, text})
	}
	for _, c := range needOfEntry(n.Type, n.Status).failing(f) {
		all = append(all, Refusal{c.broken, fmt.Sprintf("%s: %s", n.Status, c.text(f))})
	}
	return all
}

// reachable reports whether rows lead from one status to the other with at most so
// many actions of a caller. Automatic steps are free, because they are written in
// the same commit as the step that causes them.
func reachable(t Type, from, to Status, actions int) bool {
	if from == to {
		return true
	}
	for _, r := range rules {
		left := actions
		if !r.Automatic {
			left--
		}
		if r.Type == t && r.From == from && left >= 0 && reachable(t, r.To, to, left) {
			return true
		}
	}
	return false
}

// needOfEntry returns the conditions that every row into the status has, so that
// they hold for each node that got there by rows. The initial status has none:
// nodes are created in it.
func needOfEntry(t Type, s Status) Need {
	if s == Initial(t) {
		return 0
	}
	common := ^Need(0)
	for _, r := range rules {
		if r.Type == t && r.To == s {
			common &= r.Need
		}
	}
	return common
}
