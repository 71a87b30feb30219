package ops_test

import (
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
)

// A plan without nodes offers to add some, and a phase whose children are open is not offered to be given up.
func TestHintsFollowFromTheState(t *testing.T) {
	env := &ops.Env{Engine: enginetest.New(t, nil).Engine}
	ws := must(t, env, "workspace_init", map[string]any{"name": "N", "goal": "g"})["workspaceId"]
	for _, op := range []string{"node_next", "workspace_status"} {
		out := must(t, env, op, map[string]any{"workspaceId": ws})
		if hint, _ := out["hint"].(string); !strings.HasPrefix(hint, "the plan is empty: ") {
			t.Errorf("%s says %v", op, out["hint"])
		}
	}
	made := must(t, env, "node_create", map[string]any{"workspaceId": ws, "type": "planning", "title": "Phase",
		"children": []any{map[string]any{"title": "Task"}}})
	out := must(t, env, "node_get", map[string]any{"workspaceId": ws, "nodeId": made["nodeId"]})
	allowed, _ := out["node"].(map[string]any)["allowed"].([]any)
	for _, action := range []any{"cancel", "drop", "complete"} {
		if slices.Contains(allowed, action) {
			t.Errorf("a phase with an open child is offered %v", allowed)
		}
	}
	call := map[string]any{"workspaceId": ws, "nodeId": made["nodeId"], "action": "start"}
	if err := refused(t, enginetest.New(t, nil), env, "INVALID_TRANSITION", "node_transition", call); strings.Contains(err.Error(), "cancel") {
		t.Errorf("the refusal is %v", err)
	}
}
