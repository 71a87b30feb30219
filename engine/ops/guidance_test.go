package ops_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

// guided returns a world with nodes that wait for each other.
func guided(t *testing.T) (*enginetest.World, *ops.Env) {
	w := enginetest.New(t, vault("", map[string][2]string{
		"root":   {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"phase":  {"title: Phase\ntype: planning\nstatus: pending\nparentId: root", ""},
		"first":  {"title: First step\ntype: execution\nstatus: pending\nparentId: root", ""},
		"second": {"title: Second\ntype: execution\nstatus: pending\nparentId: root\ndependencies: [first]\nassignee: nia", ""},
	}))
	return w, &ops.Env{Engine: w.Engine, Names: ops.NamesLoose}
}

// tells fails the test if a text lacks what it should say.
func tells(t *testing.T, what, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s says %q, want %q in it", what, text, want)
		}
	}
}

// A refusal and a hint name what is really allowed now, and what else waits for what.
func TestARefusalNamesWhatIsAllowedNow(t *testing.T) {
	w, env := guided(t)
	do := func(node, action string) map[string]any {
		return map[string]any{"nodeId": node, "action": action, "conclusion": "x"}
	}
	e := refused(t, w, env, errs.InvalidTransition, "node_transition", do("second", "complete"))
	tells(t, "complete", e.Message, "allowed: drop; start is possible after first (First step), which is pending")
	e = refused(t, w, env, errs.InvalidTransition, "node_transition", do("first", "complete"))
	tells(t, "complete", e.Message, "allowed: start, drop")
	out := must(t, env, "node_transition", do("second", "drop"))
	tells(t, "drop", out["hint"].(string), "retry is possible after first (First step), which is pending")
	out = must(t, env, "node_get", map[string]any{"nodeId": "second"})
	tells(t, "node_get", out["hint"].(string), "retry is possible after first")
}

// A name that is none, a part of one, and a node that cannot be divided: the refusal says what would work.
func TestARefusalSaysWhatWouldWork(t *testing.T) {
	w, env := guided(t)
	e := refused(t, w, env, errs.NodeNotFound, "node_transition", map[string]any{"nodeId": "First", "action": "start"})
	tells(t, "a part of a title", e.Message, "did you mean first (First step)?")
	e = refused(t, w, env, errs.NodeNotFound, "node_get", map[string]any{"nodeId": "Frist stp"})
	tells(t, "a misspelt title", e.Message, "did you mean first (First step)?")
	e = refused(t, w, env, errs.ExecutionChildren, "node_create",
		map[string]any{"parentId": "first", "title": "Part", "requirement": "r"})
	tells(t, "a child of an execution node", e.Message, "below root (", "to split it, create a planning node", "node_move")
	part := must(t, env, "node_create", map[string]any{"parentId": "root", "type": "planning", "title": "Parts", "requirement": "r"})
	must(t, env, "node_transition", map[string]any{"nodeId": "first", "action": "start"})
	must(t, env, "node_move", map[string]any{"nodeId": "first", "newParentId": part["nodeId"]})
	for _, in := range []map[string]any{{"status": "done"}} {
		e = refused(t, w, env, errs.InvalidParams, "node_list", map[string]any{"status": []any{in["status"]}})
		tells(t, "an unknown status", e.Message, `status is "done"; one of pending, planning`, "failed, cancelled is expected")
	}
	e = refused(t, w, env, errs.InvalidNodeType, "node_create", map[string]any{"title": "T", "requirement": "r", "type": "epic"})
	tells(t, "an unknown type", e.Message, `type is "epic"; one of planning, execution is expected`)
	out := must(t, env, "workspace_init", map[string]any{"name": "Other", "goal": "g"})
	if out["warnings"] != nil {
		t.Errorf("a new name is warned of: %v", out["warnings"])
	}
	out = must(t, env, "workspace_init", map[string]any{"name": "Other", "goal": "g"})
	tells(t, "a second workspace", fmt.Sprint(out["warnings"]), "has the same name and is active too")
}

// A word of a query that looks like a field and is none is not passed over in silence.
func TestAWordThatLooksLikeAField(t *testing.T) {
	_, env := guided(t)
	for query, want := range map[string]string{
		"assigne:nia":    "did you mean assignee:nia?",
		"due < today":    "did you mean due<today, without blanks?",
		"overdue":        "did you mean is:overdue?",
		"due=2026-01-01": "did you mean due:2026-01-01?",
		"owner:nia":      "did you mean assignee:nia?",
		"dueDate<2027":   "did you mean due<2027?",
		"status:done":    "no node has the status done",
		"tag:none":       "no node matches",
		`"assigne:nia"`:  "no node matches",
		"http://x":       "no node matches",
	} {
		tells(t, query, must(t, env, "node_list", map[string]any{"where": query})["hint"].(string), want)
	}
	tells(t, "search", must(t, env, "search", map[string]any{"query": "assigne:nia"})["hint"].(string), "did you mean assignee:nia?")
	tells(t, "stats", must(t, env, "plan_stats", map[string]any{"where": "assigne:nia"})["hint"].(string), "did you mean assignee:nia?")
	tells(t, "no states", must(t, env, "state_list", map[string]any{})["hint"].(string), "no states")
}

// A node moves next to a sibling below another parent without that being named, and the workspace's own problem is set
// by its id where there is a focus. An undo says the values.
func TestWhatACallMeans(t *testing.T) {
	w, env := guided(t)
	must(t, env, "node_create", map[string]any{"parentId": "phase", "title": "Inner", "requirement": "r"})
	must(t, env, "node_move", map[string]any{"nodeId": "first", "before": "Inner"})
	if got := must(t, env, "node_get", map[string]any{"nodeId": "first"})["node"].(map[string]any)["parentId"]; got != "phase" {
		t.Errorf("it moved below %v", got)
	}
	e := refused(t, w, env, errs.InvalidParams, "node_move", map[string]any{"nodeId": "first"})
	tells(t, "node_move", e.Message, "name the new parent", "before or after")

	env.Where.Focus, env.Session = true, "s"
	must(t, env, "context_focus", map[string]any{"nodeId": "first"})
	must(t, env, "problem_update", map[string]any{"nodeId": ws, "problem": "no server"})
	if got := fmt.Sprint(must(t, env, "workspace_get", map[string]any{})["problem"]); !strings.Contains(got, "no server") {
		t.Errorf("the problem of the workspace is %s", got)
	}
	_, disk := undoing(t, w.Store.Files())
	must(t, disk, "node_update", map[string]any{"nodeId": "second", "priority": "high"})
	tells(t, "undo", fmt.Sprint(must(t, disk, "undo", nil)["files"]), "second priority", "high")

	w.Tick(365 * 24 * time.Hour)
	must(t, env, "log_append", map[string]any{"nodeId": "second", "event": "which?", "question": true})
	blocked := must(t, env, "node_next", map[string]any{"blocked": true})["nodes"].([]any)[0].(map[string]any)
	if blocked["dependencies"] != nil || fmt.Sprint(blocked["blockedBy"]) != "[first]" {
		t.Errorf("a blocked node is %v", blocked)
	}
}
