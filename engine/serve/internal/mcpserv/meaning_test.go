package mcpserv

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"arbor/engine/ops"
)

// The refusal of an unknown tool suggests the call with that meaning, but never one that removes something.
func TestAnUnknownToolIsRefusedWithTheCallThatIsMeant(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{})
	for name, want := range map[string]string{
		"node_complete":       `node_transition with action \"complete\"`,
		"finishTask":          `node_transition with action \"complete\"`,
		"node_start":          `node_transition with action \"start\"`,
		"add_subtask":         "node_create with parentId",
		"todo_write":          "node_create with parentId",
		"list_tasks":          "node_list",
		"get_next_task":       "node_next",
		"get_pending_changes": "changes_get",
		"memo_create":         "memory_save with",
		"node_dispatch":       "node_create",
		"remove_task":         "the tools",
		"node_deletes":        "the tools",
		"node_remove":         "the tools",
		"log_appendd":         "log_append",
		"memory_create":       "memory_save with slot and text",
		"add_memory":          "memory_save with slot and text",
		"create_task":         "node_create with parentId",
		"add_dependency":      "node_update with dependencies",
		"set_task_status":     "node_transition with action",
		"memcord_query":       `ask is meant; it is in the tool set memory: call tools_enable with set \"memory\"`,
		"resumeSession":       "session_load is meant; it is in the tool set briefing",
		"read_file":           "see the tool set environments, which this server does not offer",
		"write_files":         "see the tool set environments",
		"create_session":      "session_start is meant",
		"new_session":         "session_bind",
		"project_init":        "workspace_init",
		"workspace_create":    "workspace_init with name and goal",
		"createWorkspace":     "workspace_init with name and goal",
		"node_claim":          "node_next with claim",
		"node_search":         "search with query",
		"find_nodes":          "search with query",
		"workspace_liste":     "workspace_list",
		"node_restore":        `undo is meant; it is in the tool set history: call tools_enable with set \"history\"`,
		"node_history":        "history_get is meant",
		"node_drop":           `node_transition with action \"drop\"`,
		"ask_user":            "log_append with question: true",
		"get_blocked_tasks":   "node_next with blocked: true",
		"node_archive":        "the tools",
		"node_answer":         "the tools",
		"task_list":           "call node_list\"",
		"completeTask":        `node_transition with action \"complete\"`,
		"starttask":           "node_transition with action\"",
		"node_tick":           "node_update with checked",
		"node_copy":           "node_create with like",
		"workspace_switch":    "session_bind with sessionId and workspaceId",
		"session_create":      "session_start is meant",
		"state_create":        "state_save with name and activeTask and nextSteps",
		"workspace_show":      "call workspace_get\"",
		"showWorkspace":       "call workspace_get\"",

		"memoryManager_createState": "state_save with name and activeTask and nextSteps",
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

// The refusal of a tool that this server does not offer says so, and suggests no tool with a similar name.
func TestAToolThatIsNotOfferedIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{Tools: []string{"node_get", "problem_update"}})
	for _, name := range []string{"node_next", "problem_clear", "node_delete"} {
		if s := l.call(name, "{}"); !strings.Contains(s.fault, "was started without it") || strings.Contains(s.fault, "node_get") {
			t.Errorf("%s: %s", name, s.fault)
		}
	}
}

// Suggestions name only offered tools, and every call in the table exists.
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

// The refusal of an unknown parameter suggests what is meant: a parameter of the tool, another call, or a tool with
// that parameter; otherwise the nearest spelling. Nothing of the call is done.
func TestAnUnknownParameterIsRefusedWithWhatIsMeant(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{})
	l.do("workspace_init", args{"name": "N", "goal": "g"})
	before := l.do("node_get", args{"nodeId": "root"})["node"]
	for _, tt := range []struct{ tool, name, want string }{
		{"log_append", "conclusion", "event is meant"},
		{"log_append", "text", "event is meant"},
		{"log_append", "message", "event is meant"},
		{"node_update", "status", "call node_transition with action"},
		{"node_update", "name", "title is meant"},
		{"node_update", "description", "requirement or note or conclusion is meant"},
		{"node_update", "parent_id", "call node_move with newParentId"},
		{"node_update", "parentId", "call node_move with newParentId"},
		{"node_update", "isolate", "the nearest known one is isolated"},
		{"node_update", "event", "call log_append with event"},
		{"node_update", "problem", "call problem_update with problem"},
		{"node_update", "goal", "it is a parameter of workspace_init, workspace_update"},
		{"node_update", "id", "nodeId is meant"},
		{"node_update", "titel", "the nearest known one is title"},
		{"node_create", "parent", "the nearest known one is parentId"},
		{"node_create", "text", "requirement is meant"},
		{"node_create", "content", "requirement is meant"},
		{"node_create", "body", "requirement is meant"},
		{"node_create", "subtasks", "children is meant"},
		{"node_create", "status", "call node_transition with action"},
		{"node_create", "conclusion", `call node_transition with action "complete" and conclusion`},
		{"node_create", "note", "it is a parameter of node_update"},
		{"node_create", "blocks", "there are: "},
		{"node_move", "dependsOn", "call node_update with dependencies"},
		{"node_transition", "status", "action is meant"},
		{"node_transition", "note", "log is meant"},
		{"node_transition", "summary", "conclusion or log is meant"},
		{"node_move", "parent", "newParentId is meant"},
		{"node_list", "nodeId", "rootId is meant"},
		{"node_reference", "path", "targetIdOrPath is meant"},
		{"node_reference", "reference", "targetIdOrPath is meant"},
		{"problem_update", "description", "problem is meant"},
		{"workspace_update", "status", "call workspace_archive"},
		{"workspace_update", "rules", "call workspace_update_rules with action and rule"},
		{"workspace_init", "title", "name is meant"},
		{"workspace_init", "summary", "goal is meant"},
		{"node_delete", "id", "nodeId is meant"},
	} {
		given := args{"nodeId": "root", "parentId": "root", "type": "execution", "title": "T", "requirement": "r", "event": "e",
			"name": "n", "goal": "g", "action": "start", "newParentId": "root", "targetIdOrPath": "x", "problem": "p"}
		for name := range given {
			if o, _ := ops.Find(tt.tool); !slices.ContainsFunc(o.Params(), func(p ops.Param) bool { return p.Name == name && p.Required }) {
				delete(given, name)
			}
		}
		given[tt.name] = "x"
		text := l.call(tt.tool, jsonOf(l, given)).text
		if want := `UNKNOWN_PARAMS: ` + tt.tool + `: no parameter "` + tt.name + `"; ` + tt.want; !strings.Contains(text, want) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
	for name, want := range map[string]string{"description": "requirement is meant", "name": "title is meant",
		"status": "call node_transition with action", "tasks": "children is meant"} {
		below := args{"title": "Below", name: "x"}
		text := l.call("node_create", jsonOf(l, args{"parentId": "root", "type": "planning", "title": "T",
			"children": []any{args{"title": "A", "children": []any{below}}}})).text
		if !strings.Contains(text, `children[0].children[0] has no member "`+name+`"; `+want) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
	if after := l.do("node_get", args{"nodeId": "root"})["node"]; !reflect.DeepEqual(before, after) {
		t.Errorf("a refused call has done something: %v, before %v", after, before)
	}
}

// The tools in the tables have the parameters that the tables name for them.
func TestMeaningsNameParametersThatThereAre(t *testing.T) {
	for _, m := range elsewhere {
		o, ok := ops.Find(m.tool)
		if !ok || o.Destructive {
			t.Errorf("%s names %s", m.names, m.tool)
		}
		for _, word := range strings.FieldsFunc(m.with, func(r rune) bool { return r == ' ' }) {
			known := word == "and" || strings.HasPrefix(word, `"`)
			if !known && !slices.ContainsFunc(o.Params(), func(p ops.Param) bool { return p.Name == word }) {
				t.Errorf("%s has no %s", m.tool, word)
			}
		}
	}
	for _, m := range own {
		for _, name := range strings.Fields(m.params) {
			if !slices.ContainsFunc(ops.All(), func(o ops.Operation) bool {
				return slices.ContainsFunc(o.Params(), func(p ops.Param) bool { return p.Name == name })
			}) {
				t.Errorf("no tool has %s", name)
			}
		}
	}
	worker := offer{Options: &Options{Profile: ProfileWorker}}
	update, _ := ops.Find("node_update")
	if got := worker.meantBy(update, "isolate", []string{"nodeId"}); strings.Contains(got, "node_isolate") {
		t.Errorf("the worker is told: %s", got)
	}
}
