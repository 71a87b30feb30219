package statemachine

import "fmt"

// Frozen reports whether an ancestor in this status freezes everything below it:
// nothing is added or changes its status there until the ancestor is reopened.
func Frozen(s Status) bool { return Valid(Planning, s) && Terminal(s) }

// riseActions lead a planning node towards Monitoring; the last one only if the
// caller allows Rise to reopen.
var riseActions = []struct {
	do      Action
	reopens bool
}{
	{Start, false}, {Adopt, false}, {Reopen, true},
}

// Rise returns the steps that bring a planning ancestor into Monitoring because a
// node below it was added or runs. Each step is a row; there are none if the
// ancestor is in Monitoring already. Without reopen a frozen ancestor is refused:
// the error is then a *RefusedError with INVALID_PARENT_STATUS, as it is for a
// status that no planning node has.
//
// The steps have no effects of their own: the focus belongs to the node below, and
// the caller asks Rise for each ancestor.
func Rise(from Status, reopen bool) ([]Decision, error) {
	var steps []Decision
	for at := from; at != Monitoring; {
		d, ok := riseStep(at, reopen)
		if !ok {
			return nil, refuseRise(from)
		}
		steps, at = append(steps, d), d.To
	}
	return steps, nil
}

func riseStep(at Status, reopen bool) (Decision, bool) {
	for _, a := range riseActions {
		if r, ok := row(Planning, at, a.do); ok && (reopen || !a.reopens) {
			d := r.decision()
			d.TakesFocus, d.Runs = false, false
			return d, true
		}
	}
	return Decision{}, false
}

func refuseRise(from Status) *RefusedError {
	n := Standing{Planning, from}
	why := unknownStatus(n)
	if Frozen(from) {
		why = fmt.Sprintf("%s freezes everything below it, and cascade reopens it", from)
	}
	return refuse(n, Adopt, Facts{}, []Refusal{{CodeInvalidParentStatus, why}})
}
