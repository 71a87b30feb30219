package statemachine

import "fmt"

// Frozen reports whether an ancestor in this status freezes everything below
// it: nothing is added there and nothing moves until it is reopened.
func Frozen(s Status) bool { return Valid(Planning, s) && Terminal(s) }

// rising are the actions that bring a planning node towards Monitoring, and
// whether they unfreeze it.
var rising = []struct {
	do    Action
	thaws bool
}{
	{Start, false}, {Adopt, false}, {Reopen, true},
}

// Rise returns the steps that bring a planning ancestor into Monitoring because
// something below it was added or runs, each a row of the table, in order; none
// when it is there already. A frozen ancestor is left alone unless reopen is
// true: the error is then a *RefusedError with INVALID_PARENT_STATUS, as it is
// for a status that no planning node has.
//
// The steps take no focus and run nothing themselves: the focus belongs to the
// node below, and the ancestors above are the caller's next calls.
func Rise(from Status, reopen bool) ([]Decision, error) {
	var steps []Decision
	for at := from; at != Monitoring; {
		d, ok := riseStep(at, reopen)
		if !ok {
			return nil, stuck(from)
		}
		steps, at = append(steps, d), d.To
	}
	return steps, nil
}

func riseStep(at Status, reopen bool) (Decision, bool) {
	for _, way := range rising {
		if r, ok := row(Planning, at, way.do); ok && (reopen || !way.thaws) {
			d := r.decision()
			d.TakesFocus, d.Runs = false, false
			return d, true
		}
	}
	return Decision{}, false
}

func stuck(from Status) *RefusedError {
	n := Standing{Planning, from}
	why := notAStatus(n)
	if Frozen(from) {
		why = fmt.Sprintf("%s freezes everything below it, and cascade reopens it", from)
	}
	return refuse(n, Adopt, Facts{}, []Refusal{{CodeInvalidParentStatus, why}})
}
