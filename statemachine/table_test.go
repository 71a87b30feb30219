package statemachine

import (
	"errors"
	"slices"
	"testing"
)

// A cell is one row of the life cycles, written down a second time and in another
// shape than in the package.
type cell struct {
	to                             Status
	conclusion, childrenTerminal   bool
	clearsProblem, takesFocus, run bool
}

var start = cell{takesFocus: true, run: true}

var planningTable = map[Status]map[Action]cell{
	"pending":  {"start": start.into("planning")},
	"planning": {"cancel": {to: "cancelled", conclusion: true, clearsProblem: true}},
	"monitoring": {
		"complete": {to: "completed", conclusion: true, childrenTerminal: true, clearsProblem: true},
		"cancel":   {to: "cancelled", conclusion: true, clearsProblem: true},
	},
	"completed": {"reopen": start.into("planning")},
	"cancelled": {"reopen": start.into("planning")},
}

var executionTable = map[Status]map[Action]cell{
	"pending": {"start": start.into("implementing")},
	"implementing": {
		"submit":   {to: "validating"},
		"complete": {to: "completed", conclusion: true, clearsProblem: true},
		"fail":     {to: "failed", conclusion: true},
	},
	"validating": {
		"complete": {to: "completed", conclusion: true, clearsProblem: true},
		"fail":     {to: "failed", conclusion: true},
	},
	"failed":    {"retry": start.into("implementing")},
	"completed": {"reopen": start.into("implementing")},
}

var table = map[Type]map[Status]map[Action]cell{"planning": planningTable, "execution": executionTable}

func (c cell) into(s Status) cell { c.to = s; return c }

// All valid words, and some invalid ones.
var (
	allTypes    = []Type{"planning", "execution", "", "Planning", "task"}
	allStatuses = []Status{
		"pending", "planning", "monitoring", "implementing", "validating", "completed", "failed", "cancelled",
		"", "Pending", "done", "待办\n\x00",
	}
	allActions = []Action{
		"start", "submit", "complete", "fail", "retry", "reopen", "cancel", "adopt", "drop",
		"", "Start", "finish", "completed",
	}
	allFacts = []Facts{
		{},
		{Conclusion: true},
		{OpenChildren: []string{"n8", "n9"}},
		{Conclusion: true, OpenChildren: []string{"n8", "n9"}},
	}
)

// everyQuestion calls yield with every type, status, action and facts.
func everyQuestion(yield func(Standing, Action, Facts)) {
	for _, ty := range allTypes {
		for _, s := range allStatuses {
			for _, do := range allActions {
				for _, f := range allFacts {
					yield(Standing{ty, s}, do, f)
				}
			}
		}
	}
}

func TestDecideAnswersAsTheTable(t *testing.T) {
	granted := 0
	everyQuestion(func(n Standing, do Action, f Facts) {
		c, ok := table[n.Type][n.Status][do]
		var codes []Code
		switch {
		case table[n.Type] == nil:
			codes = append(codes, "INVALID_NODE_TYPE")
		case !ok:
			codes = append(codes, "INVALID_TRANSITION")
		default:
			if c.conclusion && !f.Conclusion {
				codes = append(codes, "CONCLUSION_REQUIRED")
			}
			if c.childrenTerminal && len(f.OpenChildren) > 0 {
				codes = append(codes, "INCOMPLETE_CHILDREN")
			}
		}
		got, err := Decide(n, do, f)
		if len(codes) > 0 {
			if e := refusal(t, err); got != nil || !slices.Equal(codesOf(e.Unmet), codes) || e.Code() != codes[0] {
				t.Errorf("Decide(%q, %q, %+v) = %v, %v; want refused with %v", n, do, f, got, err, codes)
			}
			return
		}
		want := Decision{
			Action: do, From: n.Status, To: c.to,
			ClearsProblem: c.clearsProblem, TakesFocus: c.takesFocus, Runs: c.run,
		}
		if err != nil || *got != want {
			t.Errorf("Decide(%q, %q, %+v)\n got %+v, %v\nwant %+v", n, do, f, got, err, want)
		}
		granted++
	})
	// Counted by hand: seven rows have no condition and are granted with any of the
	// four facts, six need a conclusion, which two of the facts have, one needs both.
	if want := 7*4 + 6*2 + 1; granted != want {
		t.Errorf("%d questions were granted, want %d", granted, want)
	}
}

func TestQueriesAnswerAsTheTable(t *testing.T) {
	statuses := map[Type][]Status{
		"planning":  {"pending", "planning", "monitoring", "completed", "cancelled"},
		"execution": {"pending", "implementing", "validating", "completed", "failed"},
	}
	if got, want := Types(), []Type{"planning", "execution"}; !slices.Equal(got, want) {
		t.Errorf("Types() = %v, want %v", got, want)
	}
	if got, want := Actions(), []Action{"start", "submit", "complete", "fail", "retry", "reopen", "cancel",
		"drop"}; !slices.Equal(
		got,
		want,
	) {
		t.Errorf("Actions() = %v, want %v", got, want)
	}
	for _, ty := range allTypes {
		if got := Statuses(ty); !slices.Equal(got, statuses[ty]) {
			t.Errorf("Statuses(%q) = %v, want %v", ty, got, statuses[ty])
		}
		if got, want := TakesChildren(ty), ty == "planning"; got != want {
			t.Errorf("TakesChildren(%q) = %v, want %v", ty, got, want)
		}
		initial := Status("pending")
		if statuses[ty] == nil {
			initial = ""
		}
		if got := Initial(ty); got != initial {
			t.Errorf("Initial(%q) = %q, want %q", ty, got, initial)
		}
		for _, s := range allStatuses {
			if got, want := Valid(ty, s), slices.Contains(statuses[ty], s); got != want {
				t.Errorf("Valid(%q, %q) = %v, want %v", ty, s, got, want)
			}
		}
	}
	for _, s := range allStatuses {
		if got, want := Terminal(s), s == "completed" || s == "failed" || s == "cancelled"; got != want {
			t.Errorf("Terminal(%q) = %v, want %v", s, got, want)
		}
		if got, want := Frozen(s), s == "completed" || s == "cancelled"; got != want {
			t.Errorf("Frozen(%q) = %v, want %v", s, got, want)
		}
	}
}

func TestAllowedIsInTableOrder(t *testing.T) {
	for _, c := range []struct {
		n    Standing
		want []Action
	}{
		{Standing{Planning, Monitoring}, []Action{Complete, Cancel}},
		{Standing{Planning, InPlanning}, []Action{Cancel}},
		{Standing{Execution, Implementing}, []Action{Submit, Complete, Fail}},
		{Standing{Execution, Validating}, []Action{Complete, Fail}},
	} {
		if got := Allowed(c.n.Type, c.n.Status); !slices.Equal(got, c.want) {
			t.Errorf("Allowed(%q, %q) = %v, want %v", c.n.Type, c.n.Status, got, c.want)
		}
	}
}

// refusal returns err as a *RefusedError, or stops the test.
func refusal(t *testing.T, err error) *RefusedError {
	t.Helper()
	var e *RefusedError
	if !errors.As(err, &e) {
		t.Fatalf("error is %T (%v), want a *RefusedError", err, err)
	}
	return e
}

func codesOf(all []Refusal) []Code {
	var codes []Code
	for _, r := range all {
		codes = append(codes, r.Code)
	}
	return codes
}
