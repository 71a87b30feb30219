package mcpserv

import (
	"strings"
	"testing"

	"arbor/engine/ops"
)

// An unknown tool is refused with the call that is meant, and never with one that removes something.
func TestAnUnknownToolIsRefusedWithTheCallThatIsMeant(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{})
	for name, want := range map[string]string{
		"node_complete":   `node_transition with action \"complete\"`,
		"finishTask":      `node_transition with action \"complete\"`,
		"node_start":      `node_transition with action \"start\"`,
		"add_subtask":     "node_create with parentId",
		"todo_write":      "node_create with parentId",
		"list_tasks":      "node_list",
		"get_next_task":   "node_next",
		"node_dispatch":   "node_create",
		"remove_task":     "the tools",
		"node_deletes":    "the tools",
		"log_appendd":     "log_append",
		"memory_create":   "context_get",
		"project_init":    "workspace_init",
		"workspace_liste": "workspace_list",
	} {
		s := l.call(name, "{}")
		if !strings.Contains(s.fault, want) || strings.Contains(s.fault, "_delete;") {
			t.Errorf("%s: %s, want %q", name, s.fault, want)
		}
		for _, o := range ops.Of(ops.SetPlan) {
			if o.Destructive && strings.Contains(strings.Replace(s.fault, name, "", 1), o.Name) {
				t.Errorf("%s: %s names %s", name, s.fault, o.Name)
			}
		}
	}
}

// Only what is offered is named, and every call that the table names exists.
func TestMeaningsNameToolsThatAreOffered(t *testing.T) {
	for _, m := range meanings {
		if o, ok := ops.Find(m.tool); m.tool != "" && (!ok || o.Destructive) {
			t.Errorf("%s names %s", m.words, m.tool)
		}
	}
	if got := meant("node_move_up", workerTools); got != "" {
		t.Errorf("the worker is told of %s", got)
	}
}
