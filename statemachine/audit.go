package statemachine

import "fmt"

// Audit says what the table would have said of a status that somebody simply
// wrote into a file. It is nil when the table has nothing against it.
//
//   - INVALID_NODE_TYPE: there is no such type, and nothing more can be said.
//   - STATUS_UNREACHABLE: the type has no such status, and nothing more can be
//     said; or no single action of a caller, with the automatic steps around
//     it, leads from was to it.
//   - CONCLUSION_MISSING, CHILDREN_OPEN: every row into the status needs what
//     the facts lack.
//
// was is the status before, and "" when nobody knows it; "" and a status that
// the type does not have cannot make anything unreachable.
func Audit(n Standing, was Status, f Facts) []Refusal {
	if r, bad := misfit(n); bad {
		if r.Code == CodeInvalidTransition {
			r.Code = CodeStatusUnreachable
		}
		return []Refusal{r}
	}
	var all []Refusal
	if Valid(n.Type, was) && !leads(n.Type, was, n.Status, 1) {
		all = append(all, Refusal{CodeStatusUnreachable, unreachable(n, was)})
	}
	for _, c := range entry(n.Type, n.Status).failing(f) {
		all = append(all, Refusal{c.broken, fmt.Sprintf("%s: %s", n.Status, c.text(f))})
	}
	return all
}

// leads reports whether rows lead from one status to the other with so many
// actions of a caller at most. Automatic steps cost nothing, because they are
// written together with the step that they belong to.
func leads(t Type, from, to Status, actions int) bool {
	if from == to {
		return true
	}
	for _, r := range rules {
		left := actions
		if !r.Automatic {
			left--
		}
		if r.Type == t && r.From == from && left >= 0 && leads(t, r.To, to, left) {
			return true
		}
	}
	return false
}

// entry returns what every row into the status needs: what must hold of any
// node that came there by the table. Nodes are born in their initial status,
// which therefore needs nothing.
func entry(t Type, s Status) Need {
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

func unreachable(n Standing, was Status) string {
	return fmt.Sprintf("no action leads from %s to %s; allowed in %s: %s", was, n.Status, was, join(Allowed(n.Type, was), ", "))
}
