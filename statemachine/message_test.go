package statemachine

import (
	"slices"
	"strings"
	"testing"
)

func TestRefusalNamesReasonsAndAllowedActions(t *testing.T) {
	open := func(ids ...string) Facts { return Facts{Conclusion: true, OpenChildren: ids} }
	for _, c := range []struct {
		n    Standing
		do   Action
		f    Facts
		want string
	}{
		{Standing{Planning, Monitoring}, Complete, open("n8", "n9"),
			`cannot complete: 2 children open (n8, n9); finish or drop them first`},
		{Standing{Planning, Monitoring}, Complete, open("n8"),
			`cannot complete: 1 child open (n8); finish or drop them first`},
		{Standing{Planning, Monitoring}, Complete, open("n1", "n2", "n3", "n4", "n5"),
			`cannot complete: 5 children open (n1, n2, n3, n4, n5); finish or drop them first`},
		{Standing{Planning, Monitoring}, Complete, open("n1", "n2", "n3", "n4", "n5", "n6", "n7"),
			`cannot complete: 7 children open (n1, n2, n3, n4, n5 and 2 more); finish or drop them first`},
		{Standing{Planning, Monitoring}, Complete, Facts{OpenChildren: []string{"n8"}},
			`cannot complete: conclusion missing; 1 child open (n8); finish or drop them first`},
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
			`cannot "Complet": no such action for execution nodes in implementing; allowed: submit, complete, fail`},
		{Standing{Execution, Implementing}, "ship it\n", Facts{},
			`cannot "ship it\n": no such action for execution nodes in implementing; allowed: submit, complete, fail`},
		{Standing{Execution, Implementing}, Cancel, Facts{Conclusion: true},
			`cannot cancel: no such action for execution nodes in implementing; drop gives it up; allowed: submit, complete, fail`},
		{Standing{Execution, Completed}, Drop, Facts{Conclusion: true},
			`cannot drop: no such action for execution nodes in completed; allowed: reopen`},
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

func TestRiseNamesTheFrozenStatus(t *testing.T) {
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

// With a conclusion, Decide allows exactly the actions that a refusal lists.
func TestAllowedActionsOfARefusalAreGranted(t *testing.T) {
	everyQuestion(func(n Standing, do Action, f Facts) {
		_, err := Decide(n, do, f)
		if err == nil {
			return
		}
		e := refusal(t, err)
		if len(e.OpenChildren) > 0 && len(e.Allowed) == 0 {
			return // these come first
		}
		given := Facts{Conclusion: true, OpenChildren: f.OpenChildren}
		for _, a := range Actions() {
			if _, err := Decide(n, a, given); (err == nil) != slices.Contains(e.Allowed, a) {
				t.Errorf("Decide(%q, %q, %+v) offers %v; %s with a conclusion: %v", n, do, f, e.Allowed, a, err)
			}
		}
	})
}

// Text from outside is cut.
func TestRefusalNamesStatusActionAndAllowedActions(t *testing.T) {
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

func TestRefusalListsAllOpenChildren(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g"}
	_, err := Decide(Standing{Planning, Monitoring}, Complete, Facts{OpenChildren: ids})
	if e := refusal(t, err); !slices.Equal(e.OpenChildren, ids) || e.Allowed != nil {
		t.Errorf("refused with children %v, allowed %v", e.OpenChildren, e.Allowed)
	}
	_, err = Decide(Standing{Planning, Monitoring}, Start, Facts{OpenChildren: ids})
	if e := refusal(t, err); e.OpenChildren != nil {
		t.Errorf("open children %v are named as a reason where they are none", e.OpenChildren)
	}
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

func TestAuditWithoutAPreviousStatusChecksOnlyTheCurrentOne(t *testing.T) {
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
