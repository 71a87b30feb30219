package statemachine

import "testing"

// The steps of Drop are rows that end the work of a node wherever it stands, and none of them completes it; the
// steps of a Complete that begins end it completed.
func TestStepsAreRowsThatEndTheWork(t *testing.T) {
	walk := func(n Standing, do Action, begin bool) (steps []Action, at Status) {
		at = n.Status
		for _, step := range Steps(n, do, begin) {
			d, err := Decide(Standing{n.Type, at}, step, Facts{Conclusion: true})
			if err != nil {
				t.Errorf("%s of %v: step %s: %v", do, n, step, err)
				return steps, at
			}
			steps, at = append(steps, step), d.To
		}
		return steps, at
	}
	for _, ty := range Types() {
		for _, s := range Statuses(ty) {
			n := Standing{ty, s}
			if steps, at := walk(n, Drop, false); !Terminal(at) || at == Completed && s != Completed ||
				Terminal(s) != (steps == nil) {
				t.Errorf("drop of %v takes %v to %s", n, steps, at)
			}
			if ty == Execution && !Terminal(s) {
				if steps, at := walk(n, Complete, true); at != Completed {
					t.Errorf("complete of %v takes %v to %s", n, steps, at)
				}
			}
		}
	}
}
