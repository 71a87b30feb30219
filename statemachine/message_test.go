package statemachine

import (
	"slices"
	"strings"
	"testing"
)

func TestRefusalSaysWhatAndWhatWouldWork(t *testing.T) {
	open := func(ids ...string) Facts { return Facts{Conclusion: true, OpenChildren: ids} }
	for _, c := range []struct {
		n    Standing
		do   Action
		f    Facts
		want string
	}{
		{Standing{Planning, Monitoring}, Complete, open("n8", "n9"),
			`cannot complete: 2 children open (n8, n9); allowed: cancel`},
		{Standing{Planning, Monitoring}, Complete, open("n8"),
			`cannot complete: 1 child open (n8); allowed: cancel`},
		{Standing{Planning, Monitoring}, Complete, open("n1", "n2", "n3", "n4", "n5"),
			`cannot complete: 5 children open (n1, n2, n3, n4, n5); allowed: cancel`},
		{Standing{Planning, Monitoring}, Complete, open("n1", "n2", "n3", "n4", "n5", "n6", "n7"),
			`cannot complete: 7 children open (n1, n2, n3, n4, n5 and 2 more); allowed: cancel`},
		{Standing{Planning, Monitoring}, Complete, Facts{OpenChildren: []string{"n8"}},
			`cannot complete: conclusion missing; 1 child open (n8); allowed: cancel with a conclusion`},
		{Standing{Execution, Implementing}, Complete, Facts{},
			`cannot complete: conclusion missing; allowed: submit, complete with a conclusion, fail with a conclusion`},
		{Standing{Execution, Pending}, Submit, Facts{},
			`cannot submit: no such action for execution nodes in pending; allowed: start`},
		{Standing{Planning, Monitoring}, Start, open("n8"),
			`cannot start: no such action for planning nodes in monitoring; allowed: cancel`},
		{Standing{Planning, Monitoring}, Start, Facts{},
			`cannot start: no such action for planning nodes in monitoring; allowed: complete, cancel`},
		{Standing{Planning, Monitoring}, Cancel, Facts{OpenChildren: []string{"n8"}},
			`cannot cancel: conclusion missing; allowed: cancel with a conclusion`},
		{Standing{Planning, InPlanning}, Complete, Facts{Conclusion: true},
			`cannot complete: no such action for planning nodes in planning; a child that is added or runs leads to monitoring; allowed: cancel`},
		{Standing{Execution, Implementing}, "Complet", Facts{},
			`cannot "Complet": no such action for execution nodes in implementing, the nearest is complete; allowed: submit, complete, fail`},
		{Standing{Execution, Implementing}, "ship it\n", Facts{},
			`cannot "ship it\n": no such action for execution nodes in implementing; allowed: submit, complete, fail`},
		{Standing{Planning, InPlanning}, Adopt, Facts{},
			`cannot adopt: not to be asked for in planning, it follows by itself when a child is added or runs; allowed: cancel`},
		{Standing{Execution, "done"}, Complete, Facts{},
			`cannot complete: status "done" is none that a node of type execution can have (pending, implementing, validating, completed, failed); allowed: nothing`},
		{Standing{"task", Pending}, Start, Facts{},
			`cannot start: type "task" is none of planning, execution; allowed: nothing`},
	} {
		_, err := Decide(c.n, c.do, c.f)
		if got := refusal(t, err).Error(); got != c.want {
			t.Errorf("Decide(%q, %q, %+v)\n got %s\nwant %s", c.n, c.do, c.f, got, c.want)
		}
	}
}

func TestRiseSaysWhatFreezes(t *testing.T) {
	for from, want := range map[Status]string{
		Completed: `cannot adopt: completed freezes everything below it, and cascade reopens it; allowed: reopen`,
		Cancelled: `cannot adopt: cancelled freezes everything below it, and cascade reopens it; allowed: reopen`,
		"done":    `cannot adopt: status "done" is none that a node of type planning can have (pending, planning, monitoring, completed, cancelled); allowed: nothing`,
	} {
		if _, err := Rise(from, false); refusal(t, err).Error() != want {
			t.Errorf("Rise(%q, false)\n got %v\nwant %s", from, err, want)
		}
	}
}

// What a refusal offers, and nothing else, is granted once a conclusion is given.
func TestWhatIsOfferedIsGranted(t *testing.T) {
	everyQuestion(func(n Standing, do Action, f Facts) {
		_, err := Decide(n, do, f)
		if err == nil {
			return
		}
		e := refusal(t, err)
		given := Facts{Conclusion: true, OpenChildren: f.OpenChildren}
		for _, a := range Actions() {
			if _, err := Decide(n, a, given); (err == nil) != slices.Contains(e.Allowed, a) {
				t.Errorf("Decide(%q, %q, %+v) offers %v; %s with a conclusion: %v", n, do, f, e.Allowed, a, err)
			}
		}
	})
}

// A refused transition names the status, the action and each allowed action;
// text that came from outside is cut.
func TestEveryRefusedTransitionNamesAll(t *testing.T) {
	everyQuestion(func(n Standing, do Action, f Facts) {
		_, err := Decide(n, do, f)
		if err == nil || !Valid(n.Type, n.Status) {
			return
		}
		e := refusal(t, err)
		named := []string{string(do)}
		for _, a := range e.Allowed {
			named = append(named, string(a))
		}
		if e.Code() == CodeInvalidTransition {
			named = append(named, string(n.Status))
		}
		for _, name := range named {
			if !strings.Contains(e.Error(), name) {
				t.Errorf("%q does not name %q", e, name)
			}
		}
	})
	long := strings.Repeat("x", 100_000)
	_, err := Decide(Standing{Type(long), Status(long)}, Action(long), Facts{})
	if got := len(err.Error()); got > 300 {
		t.Errorf("a message about long text has %d bytes", got)
	}
}

func TestRefusedChildrenAreAllThere(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g"}
	_, err := Decide(Standing{Planning, Monitoring}, Complete, Facts{OpenChildren: ids})
	if e := refusal(t, err); !slices.Equal(e.OpenChildren, ids) || !slices.Equal(e.Allowed, []Action{Cancel}) {
		t.Errorf("refused with children %v, allowed %v", e.OpenChildren, e.Allowed)
	}
	_, err = Decide(Standing{Planning, Monitoring}, Start, Facts{OpenChildren: ids})
	if e := refusal(t, err); e.OpenChildren != nil {
		t.Errorf("open children %v are named as a reason where they are none", e.OpenChildren)
	}
}

func TestNearest(t *testing.T) {
	for word, want := range map[string]Action{
		"complet": Complete, "Completed": Complete, "complete": Complete, "comp": Complete, "compleet": Complete,
		"cancelled": Cancel, "canceled": Cancel, "cansel": Cancel, "REOPEN": Reopen, "re-open": Reopen,
		"strat": Start, "stat": Start, "sta": Start, "restart": Start, "sbumit": Submit, "submitted": Submit,
		"retyr": Retry, "fial": Fail, "failed": Fail,
		"": "", "a": "", "st": "", "mart": "", "stop": "", "done": "", "finish": "", "adopt": "", "move": "",
		strings.Repeat("complete", 1000): "",
	} {
		if got, ok := Nearest(word); got != want || ok != (want != "") {
			t.Errorf("Nearest(%.20q) = %q, %v; want %q", word, got, ok, want)
		}
	}
}

// One slip of the pen in any action is still understood.
func TestNearestForgivesOneSlip(t *testing.T) {
	for _, a := range Actions() {
		for i := range len(a) {
			for _, slip := range []string{
				string(a[:i]) + string(a[i+1:]),                // dropped
				string(a[:i]) + "x" + string(a[i:]),            // added
				string(a[:i]) + "x" + string(a[i+1:]),          // changed
				string(a[:i]) + swapped(string(a[i:])),         // swapped
				strings.ToUpper(string(a[:i])) + string(a[i:]), // in capitals
			} {
				if got, _ := Nearest(slip); got != a {
					t.Errorf("Nearest(%q) = %q, want %q", slip, got, a)
				}
			}
		}
	}
}

func swapped(s string) string {
	if len(s) < 2 {
		return s
	}
	return s[1:2] + s[:1] + s[2:]
}

func TestAuditNamesWhatIsBroken(t *testing.T) {
	with, open := Facts{Conclusion: true}, Facts{Conclusion: true, OpenChildren: []string{"n8", "n9"}}
	for _, c := range []struct {
		n    Standing
		was  Status
		f    Facts
		want []Refusal
	}{
		{Standing{"task", Pending}, "", Facts{}, []Refusal{{CodeInvalidNodeType, `type "task" is none of planning, execution`}}},
		{Standing{Execution, Monitoring}, Pending, Facts{}, []Refusal{{CodeStatusUnreachable,
			`status "monitoring" is none that a node of type execution can have (pending, implementing, validating, completed, failed)`}}},
		{Standing{Execution, Completed}, Pending, with, []Refusal{{CodeStatusUnreachable,
			`no action leads from pending to completed; allowed in pending: start`}}},
		{Standing{Execution, Completed}, Pending, Facts{}, []Refusal{
			{CodeStatusUnreachable, `no action leads from pending to completed; allowed in pending: start`},
			{CodeConclusionMissing, `completed: conclusion missing`}}},
		{Standing{Execution, Failed}, "", Facts{}, []Refusal{{CodeConclusionMissing, `failed: conclusion missing`}}},
		{Standing{Planning, Completed}, "", Facts{OpenChildren: []string{"n8"}}, []Refusal{
			{CodeConclusionMissing, `completed: conclusion missing`},
			{CodeChildrenOpen, `completed: 1 child open (n8)`}}},
		{Standing{Planning, Completed}, Monitoring, open, []Refusal{{CodeChildrenOpen, `completed: 2 children open (n8, n9)`}}},
		{Standing{Planning, Cancelled}, Monitoring, open, nil},
		{Standing{Planning, Cancelled}, Pending, with, []Refusal{{CodeStatusUnreachable,
			`no action leads from pending to cancelled; allowed in pending: start`}}},
		{Standing{Planning, Pending}, Monitoring, Facts{}, []Refusal{{CodeStatusUnreachable,
			`no action leads from monitoring to pending; allowed in monitoring: complete, cancel`}}},
		{Standing{Planning, Completed}, InPlanning, with, nil}, // the first child came and went: adopt, complete
		{Standing{Execution, Completed}, "done", with, nil},    // nobody can say what "done" leads to
		{Standing{Execution, Completed}, Completed, with, nil},
	} {
		if got := Audit(c.n, c.was, c.f); !slices.Equal(got, c.want) {
			t.Errorf("Audit(%q, %q, %+v)\n got %v\nwant %v", c.n, c.was, c.f, got, c.want)
		}
	}
}

// Of a file whose past nobody knows, only what is there now can be wrong.
func TestAuditWithoutAPast(t *testing.T) {
	for _, ty := range Types() {
		for _, s := range allStatuses {
			for _, f := range allFacts {
				var want []Code
				switch {
				case !Valid(ty, s):
					want = append(want, CodeStatusUnreachable)
				case Terminal(s) && !f.Conclusion:
					want = append(want, CodeConclusionMissing)
				}
				if ty == Planning && s == Completed && len(f.OpenChildren) > 0 {
					want = append(want, CodeChildrenOpen)
				}
				if got := codesOf(Audit(Standing{ty, s}, "", f)); !slices.Equal(got, want) {
					t.Errorf("Audit(%q in %q, %+v) = %v, want %v", ty, s, f, got, want)
				}
			}
		}
	}
}
