package statemachine

import (
	"fmt"
	"slices"
)

// Frozen reports whether an ancestor in this status freezes everything below it:
// nothing is added or changes its status there until the ancestor is reopened.
func Frozen(s Status) bool { return Valid(Planning, s) && Terminal(s) }

// Rise returns the steps that bring a planning ancestor into Monitoring because a
// node below it was added or runs. Each step is a row; there are none if the
// ancestor is in Monitoring already. Without reopen a frozen ancestor is refused:
// the error is then a *RefusedError with INVALID_PARENT_STATUS, as it is for a
// status that no planning node has.
//
// The steps have no effects of their own: the focus belongs to the node below, and
// the caller asks Rise for each ancestor.
func Rise(from Status, reopen bool) ([]Decision, error) {
	actions := []Action{Start, Adopt}
	if reopen {
		actions = append(actions, Reopen)
	}
	var steps []Decision
	for at := from; at != Monitoring; {
		i := slices.IndexFunc(rules, func(r Rule) bool {
			return r.Type == Planning && r.From == at && slices.Contains(actions, r.Do)
		})
		if i < 0 {
			return nil, refuseRise(from)
		}
		r := rules[i]
		steps, at = append(steps, Decision{Action: r.Do, From: r.From, To: r.To}), r.To
	}
	return steps, nil
}

func refuseRise(from Status) *RefusedError {
	n := Standing{Planning, from}
	why := unknownStatus(n)
	if Frozen(from) {
		why = fmt.Sprintf("%s freezes everything below it, and cascade reopens it", from)
	}
	return refuse(n, Adopt, Facts{}, []Refusal{{CodeInvalidParentStatus, why}})
}
