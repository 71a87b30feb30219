package statemachine

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAllowedActionsAreThoseThatDecideGrantsWhenAllConditionsAreMet(t *testing.T) {
	met := Facts{Conclusion: true}
	everyQuestion(func(n Standing, do Action, _ Facts) {
		_, err := Decide(n, do, met)
		if allowed := slices.Contains(Allowed(n.Type, n.Status), do); allowed != (err == nil) {
			t.Errorf("Allowed(%q, %q) holds %q: %v, but Decide says %v", n.Type, n.Status, do, allowed, err)
		}
	})
}

func TestDecideIsMonotonic(t *testing.T) {
	everyQuestion(func(n Standing, do Action, f Facts) {
		if _, err := Decide(n, do, f); err != nil {
			return
		}
		if _, err := Decide(n, do, Facts{Conclusion: true}); err != nil {
			t.Errorf("Decide(%q, %q, %+v) is granted, but not with better facts: %v", n, do, f, err)
		}
	})
}

func TestRulesAreWellFormed(t *testing.T) {
	type key struct {
		t  Type
		s  Status
		do Action
	}
	seen := map[key]bool{}
	for _, r := range Rules() {
		k := key{r.Type, r.From, r.Do}
		if seen[k] {
			t.Errorf("two rows for %v", k)
		}
		seen[k] = true
		if !Valid(r.Type, r.From) || !Valid(r.Type, r.To) || r.From == r.To {
			t.Errorf("row %+v goes from or to a status that its type does not have, or nowhere", r)
		}
		if slices.Contains(Actions(), r.Do) == r.Automatic {
			t.Errorf("%q is automatic: %v, and so are not all of its rows", r.Do, r.Automatic)
		}
		if r.Need&NeedChildrenTerminal != 0 && !TakesChildren(r.Type) {
			t.Errorf("row %+v asks for the children of a type that has none", r)
		}
	}
	if len(seen) == 0 {
		t.Error("no rules")
	}
}

func TestEveryStatusIsReachableAndCanBeLeft(t *testing.T) {
	for _, ty := range Types() {
		reached := []Status{Initial(ty)}
		for i := 0; i < len(reached); i++ {
			left := false
			for _, r := range Rules() {
				if r.Type != ty || r.From != reached[i] {
					continue
				}
				left = true
				if !slices.Contains(reached, r.To) {
					reached = append(reached, r.To)
				}
			}
			if !left {
				t.Errorf("%s nodes cannot leave %s", ty, reached[i])
			}
		}
		if len(reached) != len(Statuses(ty)) {
			t.Errorf("from %s, %s nodes reach %v; want all of %v", Initial(ty), ty, reached, Statuses(ty))
		}
	}
}

func TestTerminalStatusesNeedAConclusionAndAreLeftOnlyByRetryOrReopen(t *testing.T) {
	for _, r := range Rules() {
		if Terminal(r.From) && (Terminal(r.To) || r.Automatic || r.Do != Retry && r.Do != Reopen) {
			t.Errorf("row %+v leaves a terminal status other than by taking the work up again", r)
		}
		if Terminal(r.To) && r.Need&NeedConclusion == 0 {
			t.Errorf("row %+v ends work without a conclusion", r)
		}
	}
	for _, ty := range Types() {
		if Terminal(Initial(ty)) {
			t.Errorf("%s nodes are created in a terminal status", ty)
		}
		if !slices.ContainsFunc(Statuses(ty), Terminal) {
			t.Errorf("%s nodes have no terminal status", ty)
		}
	}
}

func TestAutomaticRowsFormNoCycle(t *testing.T) {
	for _, first := range Rules() {
		at := first.From
		for steps := 0; ; steps++ {
			i := slices.IndexFunc(Rules(), func(r Rule) bool { return r.Automatic && r.Type == first.Type && r.From == at })
			if i < 0 {
				break
			}
			if at = Rules()[i].To; steps > len(Rules()) {
				t.Fatalf("automatic rows run in a circle from %s", first.From)
			}
		}
	}
}

func TestRiseEndsInMonitoringByRows(t *testing.T) {
	want := map[Status]string{
		"pending": "start adopt", "planning": "adopt", "monitoring": "",
		"completed": "reopen adopt", "cancelled": "reopen adopt",
	}
	for _, from := range allStatuses {
		for _, reopen := range []bool{false, true} {
			steps, err := Rise(from, reopen)
			actions, known := want[from]
			if !known || Frozen(from) && !reopen {
				e := refusal(t, err)
				if steps != nil || e.Code() != CodeInvalidParentStatus || e.Standing != (Standing{Planning, from}) {
					t.Errorf("Rise(%q, %v) = %v, %v; want %s", from, reopen, steps, err, CodeInvalidParentStatus)
				}
				continue
			}
			var done []string
			at := from
			for _, d := range steps {
				i := slices.IndexFunc(Rules(), func(r Rule) bool { return r.Type == Planning && r.From == at && r.Do == d.Action })
				if i < 0 || d.From != at || d.To != Rules()[i].To {
					t.Fatalf("Rise(%q, %v): step %+v from %q is no row", from, reopen, d, at)
				}
				if d.TakesFocus || d.Runs || d.ClearsProblem {
					t.Errorf("Rise(%q, %v): step %+v has effects of its own", from, reopen, d)
				}
				done, at = append(done, string(d.Action)), d.To
			}
			if err != nil || at != Monitoring || strings.Join(done, " ") != actions {
				t.Errorf("Rise(%q, %v) = %v to %q, %v; want %q to monitoring", from, reopen, done, at, err, actions)
			}
		}
	}
}

// The previous status may be known or not.
func TestAuditAcceptsWhatDecideGrants(t *testing.T) {
	everyQuestion(func(n Standing, do Action, f Facts) {
		d, err := Decide(n, do, f)
		if err != nil {
			return
		}
		for _, was := range []Status{d.From, "", d.To} {
			if got := Audit(Standing{n.Type, d.To}, was, f); got != nil {
				t.Errorf("Decide(%q, %q, %+v) gave %q; Audit from %q says %v", n, do, f, d.To, was, got)
			}
		}
	})
}

func TestAuditAcceptsWhatRiseDoes(t *testing.T) {
	for _, from := range Statuses(Planning) {
		if _, err := Rise(from, true); err != nil {
			t.Fatal(err)
		}
		if got := Audit(Standing{Planning, Monitoring}, from, Facts{OpenChildren: []string{"n1"}}); got != nil {
			t.Errorf("a rise from %q to monitoring: Audit says %v", from, got)
		}
	}
}

func TestAuditAcceptsANewNode(t *testing.T) {
	for _, ty := range Types() {
		for _, f := range allFacts {
			if got := Audit(Standing{ty, Initial(ty)}, "", f); got != nil {
				t.Errorf("Audit(%q in %q) = %v", ty, Initial(ty), got)
			}
		}
	}
}

// Answers are deterministic, nothing panics, and neither the caller's values nor the
// table change.
func TestAnyInputHasAnAnswerAndChangesNothing(t *testing.T) {
	rules := Rules()
	rapid.Check(t, func(t *rapid.T) {
		n := Standing{
			Type:   Type(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"planning", "execution"})).Draw(t, "type")),
			Status: Status(rapid.OneOf(rapid.String(), rapid.Map(rapid.SampledFrom(allStatuses), text[Status])).Draw(t, "status")),
		}
		do := Action(rapid.OneOf(rapid.String(), rapid.Map(rapid.SampledFrom(allActions), text[Action])).Draw(t, "action"))
		was := Status(rapid.OneOf(rapid.String(), rapid.Map(rapid.SampledFrom(allStatuses), text[Status])).Draw(t, "was"))
		children := rapid.SliceOf(rapid.String()).Draw(t, "children")
		f := Facts{rapid.Bool().Draw(t, "conclusion"), slices.Clone(children)}

		d, err := Decide(n, do, f)
		again, errAgain := Decide(n, do, f)
		if !reflect.DeepEqual(d, again) || !reflect.DeepEqual(err, errAgain) {
			t.Fatalf("two answers: %v, %v and %v, %v", d, err, again, errAgain)
		}
		if (d == nil) != (err != nil) {
			t.Fatalf("Decide = %v, %v: want one of them", d, err)
		}
		if err != nil {
			e := err.(*RefusedError)
			if text := e.Error(); strings.ContainsAny(text, "\n\r\x00") && !strings.ContainsAny(strings.Join(children, ""), "\n\r\x00") {
				t.Fatalf("the message holds control characters: %q", text)
			}
			clear(e.OpenChildren)
			clear(e.Allowed)
		}
		_ = Audit(n, was, f)
		_, _ = Rise(n.Status, f.Conclusion)
		clear(Rules())
		clear(Types())
		clear(Statuses(n.Type))
		clear(Allowed(n.Type, n.Status))
		clear(Actions())
		if !slices.Equal(f.OpenChildren, children) || !reflect.DeepEqual(Rules(), rules) || len(Actions()) == 0 || Actions()[0] != Start {
			t.Fatalf("something given or kept was changed: %q, %v", f.OpenChildren, Rules())
		}
	})
}

func text[T ~string](s T) string { return string(s) }
