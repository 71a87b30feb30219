package mcpserv

import (
	"encoding/json"
	"strings"
	"testing"

	"arbor/engine/ops"
)

// After state_load of another connection's state, a connection continues as the new session, and its work is in that
// session's log. A read-only server offers the tool too, but it starts no session, and says so.
func TestAConnectionTakesUpAState(t *testing.T) {
	w := newWorld(t, Options{Toolsets: []string{"all"}})
	first := w.connect(nil)
	first.do("session_start", map[string]any{"workspaceId": planID, "name": "Morning"})
	saved := first.do("state_save", map[string]any{"name": "Noon", "activeTask": "t", "nextSteps": []string{"n"}, "nodeId": signIn})
	if saved["stateId"] == nil || saved["hint"] != nil {
		t.Errorf("saved: %v", saved)
	}
	second := w.connect(nil)
	out := second.do("state_load", map[string]any{"workspaceId": planID, "state": "Noon", "restorationGoal": "go on"})
	id, _ := out["newSessionId"].(string)
	second.do("log_append", map[string]any{"event": "e"}) // about the state's node, which has the focus
	if log := sessionText(w, id); !strings.Contains(log, "state_restored: Noon") || !strings.Contains(log, "tool_call: log_append") {
		t.Errorf("the new session says\n%s", log)
	}
	if node := second.do("node_get", map[string]any{"nodeId": signIn}); !strings.Contains(mustJSON(t, node), `"event":"e"`) {
		t.Errorf("the entry is not in the log of the node in focus: %v", node)
	}

	r := newWorld(t, Options{Toolsets: []string{"all"}, ReadOnly: true})
	r.save(planID+"/states/a.md", "---\nid: state-a\nname: Noon\n---\n\n## Active Task\n\nt\n")
	p := r.connect(nil)
	if out := p.do("state_load", map[string]any{"workspaceId": planID, "state": "Noon"}); out["newSessionId"] != nil || out["activeTask"] != "t" {
		t.Errorf("read-only: %v", out)
	}
	for _, name := range []string{"state_save", "state_update", "state_delete"} {
		if o, _ := ops.Find(name); r.server.standing().has(o) {
			t.Errorf("read-only, and %s is offered", name)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
