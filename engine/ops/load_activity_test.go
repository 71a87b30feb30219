package ops_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
)

// A briefing says what was found and done: each finding and each conclusion once, with its session, and nothing that
// Arbor logs by itself.
func TestABriefingSaysWhatWasDone(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	started := must(t, env, "session_start", map[string]any{"workspaceId": ws, "name": "Wednesday", "sessionId": "s9"})
	if started["success"] != true {
		t.Fatalf("session_start: %v", started)
	}
	bound := &ops.Env{Engine: w.Engine, Session: "s9"}
	hash := must(t, bound, "context_get", nil)["workspace"].(map[string]any)["rulesHash"]
	for i := range 8 {
		w.Tick(time.Minute)
		id := must(t, bound, "node_create", map[string]any{"parentId": "node-p", "type": "execution", "rulesHash": hash,
			"title": fmt.Sprintf("Task %d", i), "requirement": "r"})["nodeId"]
		must(t, bound, "node_transition", map[string]any{"nodeId": id, "action": "start"})
		must(t, bound, "log_append", map[string]any{"nodeId": id, "event": fmt.Sprintf("found fact %d", i)})
		must(t, bound, "node_transition", map[string]any{"nodeId": id, "action": "complete",
			"conclusion": fmt.Sprintf("result %d is 42\nand more", i)})
	}
	w.Tick(time.Minute)
	must(t, bound, "problem_update", map[string]any{"nodeId": "node-p", "problem": "no key\nfor the door"})
	newest := loaded(t, w, `{"workspaceId":"`+ws+`","limit":1}`).Context.RecentActivity[0]
	if !strings.HasSuffix(newest, "problem: no key") {
		t.Errorf("the problem is told as %q", newest)
	}
	must(t, bound, "problem_clear", map[string]any{"nodeId": "node-p"})
	got := loaded(t, w, `{"workspaceId":"`+ws+`","limit":18}`).Context.RecentActivity
	if len(got) != 18 {
		t.Errorf("%d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
	for i := range 8 {
		for _, want := range []string{fmt.Sprintf("Task %d, session Wednesday: found fact %[1]d", i),
			fmt.Sprintf("Task %d, session Wednesday: complete: result %[1]d is 42", i)} {
			if n := strings.Count(strings.Join(got, "\n")+"\n", want+"\n"); n != 1 {
				t.Errorf("%q stands %d times in\n%s", want, n, strings.Join(got, "\n"))
			}
		}
	}
}
