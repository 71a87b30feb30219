package mcpserv

import (
	"context"
	"strings"
	"testing"

	"arbor/engine/errs"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asked returns the options of a client that answers every question with answer. It records the questions.
func asked(questions *[]string, answer *mcp.ElicitResult) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		*questions = append(*questions, req.Params.Message)
		return answer, nil
	}}
}

var agrees = &mcp.ElicitResult{Action: "accept", Content: map[string]any{confirm: true}}

// Nothing is removed before a person has agreed. A client that can ask is asked.
func TestNothingIsRemovedWithoutConsent(t *testing.T) {
	for _, version := range []string{"", legacy} {
		for name, answer := range map[string]*mcp.ElicitResult{
			"declines": {Action: "decline"}, "cancels": {Action: "cancel"}, "says no": {Action: "accept", Content: map[string]any{confirm: false}},
			"agrees": agrees,
		} {
			t.Run(version+" "+name, func(t *testing.T) {
				w := newWorld(t, Options{})
				var questions []string
				p := w.connectAs(version, asked(&questions, answer))
				if answer != agrees {
					text := p.refused(errs.ConfirmationRequired, "node_delete", map[string]any{"nodeId": "node-mj2hz4gy-theapi"})
					if !strings.Contains(text, "did not agree") {
						t.Errorf("the refusal says %q", text)
					}
				} else if got := p.do("node_delete", map[string]any{"nodeId": "node-mj2hz4gy-theapi"}); got["deletedCount"] != 4.0 {
					t.Errorf("node_delete: %v", got)
				}
				if len(questions) != 1 || !strings.Contains(questions[0], `"node-mj2hz4gy-theapi" (The API) with 3 nodes in it`) {
					t.Errorf("the questions are %q", questions)
				}
				if got := p.try("node_get", map[string]any{"nodeId": signIn}); got.IsError != (answer == agrees) {
					t.Errorf("afterwards node_get says %s", textOf(got))
				}
			})
		}
	}
}

// A client that cannot ask passes confirm. A call that would be refused, and a dry run, asks no question.
func TestConfirmStandsForConsent(t *testing.T) {
	w := newWorld(t, Options{})
	p := w.connect(nil)
	args := map[string]any{"nodeId": signIn}
	if text := p.refused(errs.ConfirmationRequired, "node_delete", args); !strings.Contains(text, "confirm: true") {
		t.Errorf("the refusal says %q", text)
	}
	p.refused(errs.ConfirmationRequired, "node_delete", map[string]any{"nodeId": signIn, "confirm": false})
	p.refused(errs.InvalidParams, "node_delete", map[string]any{"nodeId": signIn, "confirm": "yes"})
	if text := p.refused(errs.UnknownParams, "node_delete", map[string]any{"nodeId": signIn, "confirmed": true}); !strings.Contains(text, "nearest known one is confirm") {
		t.Errorf("a slip of confirm: %q", text)
	}
	p.refused(errs.NodeNotFound, "node_delete", map[string]any{"nodeId": "none"})
	p.refused(errs.CannotDeleteRoot, "node_delete", map[string]any{"nodeId": "root", "confirm": true})
	p.refused(errs.WorkspaceActive, "workspace_delete", map[string]any{"workspaceId": planID, "confirm": true})
	p.refused(errs.UnknownParams, "log_append", map[string]any{"operator": "AI", "event": "x", "confirm": true})
	if got := p.do("node_delete", map[string]any{"nodeId": signIn, "dryRun": true}); got["dryRun"] != true {
		t.Errorf("a dry run: %v", got)
	}
	p.do("node_get", args)
	var questions []string
	can := w.connect(asked(&questions, agrees))
	can.refused(errs.CannotDeleteRoot, "node_delete", map[string]any{"nodeId": "root"})
	can.do("node_delete", map[string]any{"nodeId": signIn, "confirm": true})
	can.do("workspace_delete", map[string]any{"workspaceId": planID, "force": true})
	if len(questions) != 1 || !strings.Contains(questions[0], `workspace "`+planID+`" (Login) with 5 nodes in it`) {
		t.Errorf("the questions are %q", questions)
	}
}

// An answer to one question is no consent to another.
func TestConsentHoldsForOneQuestion(t *testing.T) {
	w := newWorld(t, Options{})
	p := w.connect(&mcp.ClientOptions{MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}, ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return agrees, nil
	}})
	first := p.try("node_delete", map[string]any{"nodeId": signIn})
	if first.RequestState == "" || len(first.InputRequests) != 1 {
		t.Fatalf("no question is put: %+v", first)
	}
	answers := mcp.InputResponseMap{question: agrees}
	other, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "node_delete", Arguments: map[string]any{"nodeId": "node-mj2hz4gy-theapi"}, InputResponses: answers, RequestState: first.RequestState})
	if err != nil || len(other.InputRequests) != 1 {
		t.Errorf("an answer about another node: %+v, %v", other, err)
	}
	w.edit(signInFile, "parentId: node-mj2hz4gy-theapi", "parentId: root")
	p.do("node_get", map[string]any{"nodeId": "node-mj2hz4gy-theapi"})
	same, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "node_delete", Arguments: map[string]any{"nodeId": signIn}, InputResponses: answers, RequestState: first.RequestState})
	if err != nil || same.IsError || len(same.InputRequests) > 0 {
		t.Errorf("the answer to the question: %+v, %v", same, err)
	}
}
