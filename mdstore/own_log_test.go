package mdstore_test

import (
	"testing"

	"arbor/mdstore"
	"arbor/statemachine"
)

// What Arbor logs by itself is told from what carries a text of somebody.
func TestOwnEntriesAreThoseWithoutAGivenText(t *testing.T) {
	change := func(by, why string) string {
		return mdstore.StatusChange{By: by, From: statemachine.Pending, To: statemachine.Implementing, Why: why}.String()
	}
	for event, own := range map[string]bool{
		change(mdstore.ByCreation, ""):                        true,
		change("start", ""):                                   true,
		change(mdstore.ByHand, ""):                            true,
		change("adopt", "child node-mj2hz4gy-abcdef created"): true,
		change("adopt", "child node-a moved in"):              true,
		change("reopen", "start of node-a"):                   true,
		"moved: root → node-a":                                true,
		"deleted: node-a (Sign-in (old)), nodes: 3":           true,
		"archived 2 rules and 1 docs of node-a (Gather)":      true,
		"copied from node-a":                                  true,
		"workspace: active → archived":                        true,
		change("start", "the customer called"):                false,
		change("reopen", "") + "\nthe conclusion that stood":  false,
		"problem: the server is down":                         false,
		"started: looked at the file":                         false,
		"created the table":                                   false,
		"":                                                    false,
	} {
		e := mdstore.LogEntry{Time: "2026-01-01 10:00:00", Operator: mdstore.OperatorAI, Event: event}
		if e.Own() != own {
			t.Errorf("%q is Arbor's own: %t, want %t", event, e.Own(), own)
		}
	}
	if (mdstore.LogEntry{Event: "created"}).Own() {
		t.Error("a line that a person wrote in another form is taken for Arbor's own")
	}
}
