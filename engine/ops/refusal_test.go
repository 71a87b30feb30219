package ops_test

import (
	"encoding/json"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

func TestEveryRefusalHasItsCodeAndChangesNothing(t *testing.T) {
	long := strings.Repeat("x", 201)
	for _, c := range []struct {
		code errs.Code
		name string
		args map[string]any
	}{
		{errs.WorkspaceNotFound, "workspace_get", map[string]any{"workspaceId": "ws-none"}},
		{errs.WorkspaceNotFound, "workspace_get", map[string]any{"workspaceId": "../" + ws}},
		{errs.AmbiguousID, "workspace_get", nil},
		{errs.NodeNotFound, "node_get", map[string]any{"nodeId": "node-none"}},
		{errs.NodeNotFound, "node_get", map[string]any{"nodeId": "../root"}},
		{errs.InvalidContent, "node_get", map[string]any{"nodeId": "a\x00b"}},
		{errs.NodeNotFound, "node_transition", map[string]any{"nodeId": "nodes/root", "action": "start"}},
		{errs.ParentNotFound, "node_create", map[string]any{"parentId": "node-none", "type": "execution", "title": "t", "requirement": "r", "rulesHash": hash}},
		{errs.ParentNotFound, "node_move", map[string]any{"nodeId": "node-a", "newParentId": "node-none"}},
		{errs.ReferenceNotFound, "node_reference", map[string]any{"nodeId": "node-a", "targetIdOrPath": "docs/none.md", "action": "remove"}},
		{errs.ReferenceNotFound, "node_reference", map[string]any{"nodeId": "node-a", "targetIdOrPath": "node-none", "action": "add"}},
		{errs.ReferenceExists, "node_reference", map[string]any{"nodeId": "node-a", "targetIdOrPath": "node-b", "action": "add"}},
		{errs.InvalidPath, "node_reference", map[string]any{"nodeId": "node-a", "targetIdOrPath": "a\nb", "action": "add"}},
		{errs.InvalidParams, "node_reference", map[string]any{"nodeId": "node-a", "targetIdOrPath": "node-a", "action": "add"}},
		{errs.SessionNotFound, "session_unbind", map[string]any{"sessionId": "none"}},
		{errs.InvalidParams, "session_bind", map[string]any{"sessionId": "a\nb", "workspaceId": ws}},
		{errs.InvalidTransition, "node_transition", map[string]any{"nodeId": "node-a", "action": "finish"}},
		{errs.InvalidParams, "node_transition", map[string]any{"nodeId": "node-a"}},
		{errs.InvalidParams, "node_transition", map[string]any{"nodeId": true, "action": "start"}},
		{errs.InvalidParams, "workspace_update_rules", map[string]any{"action": "replace", "rules": true}},
		{errs.InvalidParams, "workspace_update_rules", map[string]any{"action": "add"}},
		{errs.UnknownParams, "node_get", map[string]any{"nodeID": "root"}},
		{errs.InvalidTitle, "node_update", map[string]any{"nodeId": "node-a", "title": ""}},
		{errs.InvalidTitle, "node_update", map[string]any{"nodeId": "node-a", "title": long}},
		{errs.InvalidTitle, "node_update", map[string]any{"nodeId": "node-a", "title": "a\nb"}},
		{errs.InvalidTitle, "node_update", map[string]any{"nodeId": "node-a", "title": "a\u200bb"}},
		{errs.InvalidName, "workspace_update", map[string]any{"name": "a\x1bb"}},
		{errs.InvalidContent, "node_update", map[string]any{"nodeId": "node-a", "note": "a\x00b"}},
		{errs.InvalidContent, "log_append", map[string]any{"nodeId": "node-a", "operator": "AI", "event": strings.Repeat("x", 3000)}},
		{errs.InvalidParams, "log_append", map[string]any{"nodeId": "node-a", "operator": "me", "event": "x"}},
		{errs.InvalidNodeType, "node_create", map[string]any{"parentId": "node-p", "type": "epic", "title": "t", "requirement": "r", "rulesHash": hash}},
		{errs.RulesHashMismatch, "node_create", map[string]any{"parentId": "node-p", "type": "execution", "title": "t", "requirement": "r"}},
		{errs.RulesHashMismatch, "node_create", map[string]any{"parentId": "node-p", "type": "execution", "title": "t", "requirement": "r", "rulesHash": "00000000"}},
		{errs.ExecutionChildren, "node_create", map[string]any{"parentId": "node-a", "type": "execution", "title": "t", "requirement": "r", "rulesHash": hash}},
		{errs.ExecutionChildren, "node_move", map[string]any{"nodeId": "node-b", "newParentId": "node-a"}},
		{errs.InvalidParentStatus, "node_create", map[string]any{"parentId": "node-q", "type": "execution", "title": "t", "requirement": "r", "rulesHash": hash}},
		{errs.InvalidParentStatus, "node_move", map[string]any{"nodeId": "node-a", "newParentId": "node-q"}},
		{errs.InvalidParentStatus, "node_transition", map[string]any{"nodeId": "node-c", "action": "reopen"}},
		{errs.CannotDeleteRoot, "node_delete", map[string]any{"nodeId": "root"}},
		{errs.CannotMoveRoot, "node_move", map[string]any{"nodeId": "root", "newParentId": "node-p"}},
		{errs.MoveCycle, "node_move", map[string]any{"nodeId": "node-p", "newParentId": "node-p"}},
		{errs.WorkspaceActive, "workspace_delete", map[string]any{}},
		{errs.WorkspaceArchived, "log_append", map[string]any{"workspaceId": "ws-arch", "operator": "AI", "event": "x"}},
		{errs.WorkspaceArchived, "node_update", map[string]any{"workspaceId": "ws-arch", "nodeId": "root", "note": "x"}},
		{errs.Conflicting, "node_update", map[string]any{"nodeId": "node-a", "note": "x", "ifMatch": "0000000000000000"}},
		{errs.ConclusionRequired, "node_update", map[string]any{"nodeId": "node-c", "conclusion": ""}},
		{errs.InvalidParams, "changes_get", map[string]any{"since": "some day"}},
		{errs.InvalidParams, "context_get", map[string]any{"nodeId": "root", "budget": -5}},
		{errs.InvalidParams, "context_get", map[string]any{"nodeId": "root", "maxLogEntries": -1}},
		{errs.InvalidParams, "node_list", map[string]any{"limit": -2}},
		{errs.InvalidParams, "node_next", map[string]any{"count": 0}},
		{errs.InvalidParams, "node_next", map[string]any{"count": -1}},
		{errs.InvalidParams, "node_list", map[string]any{"status": []string{"open"}}},
	} {
		w := enginetest.New(t, plan())
		args := map[string]any{}
		o, _ := ops.Find(c.name)
		for _, p := range o.Params() {
			if p.Name == "workspaceId" && c.code != errs.AmbiguousID {
				args["workspaceId"] = ws
			}
		}
		for k, v := range c.args {
			args[k] = v
		}
		e := refused(t, w, &ops.Env{Engine: w.Engine}, c.code, c.name, args)
		if e.Class() == errs.Internal {
			t.Errorf("%s(%v): %s is of no class", c.name, args, e.Code)
		}
		if strings.Contains(e.Message, hash) {
			t.Errorf("%s(%v): the refusal tells the hash of the rules: %s", c.name, args, e.Message)
		}
	}
}

// A damaged file takes no write, whatever the damage; the rest of the workspace does.
func TestDamagedFilesTakeNoWrites(t *testing.T) {
	for name, damaged := range map[string]string{
		"conflict markers": "---\nid: node-d\ntitle: D\ntype: execution\nstatus: pending\nparentId: root\n---\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
		"not UTF-8":        "---\nid: node-d\ntitle: D\xff\n---\n",
		"CR only":          "---\rid: node-d\rtitle: D\r---\r",
		"duplicate key":    "---\nid: node-d\ntitle: D\ntitle: E\ntype: execution\nstatus: pending\nparentId: root\n---\n",
		"unterminated":     "---\nid: node-d\ntitle: D\n",
		"too much YAML":    "---\nid: node-d\nx: [" + strings.Repeat("x,", 600) + "]\n---\n",
	} {
		t.Run(name, func(t *testing.T) {
			files := plan()
			files[ws+"/nodes/node-d/Node.md"] = []byte(damaged)
			w := enginetest.New(t, files)
			env := &ops.Env{Engine: w.Engine}
			for op, args := range map[string]map[string]any{
				"node_transition": {"action": "start"},
				"node_update":     {"note": "x"},
				"log_append":      {"operator": "AI", "event": "x"},
				"problem_update":  {"problem": "x"},
				"node_isolate":    {"isolate": true},
				"node_reference":  {"targetIdOrPath": "docs/x.md", "action": "add"},
			} {
				args["nodeId"], args["workspaceId"] = "node-d", ws
				want := errs.FileUnreadable
				if name == "conflict markers" {
					want = errs.Merging
				}
				e := refused(t, w, env, want, op, args)
				if e.Details == nil || len(e.Details.Problems) == 0 || e.Details.Problems[0].File == "" {
					t.Errorf("%s: the refusal names no file: %+v", op, e)
				}
			}
			must(t, env, "node_transition", map[string]any{"workspaceId": ws, "nodeId": "node-a", "action": "start"})
			got := must(t, env, "workspace_check", map[string]any{"workspaceId": ws})
			if ds := got["diagnostics"].([]any); len(ds) == 0 {
				t.Error("check finds nothing")
			}
			shown := must(t, env, "node_get", map[string]any{"workspaceId": ws, "nodeId": "node-d"})["node"].(map[string]any)
			if can := shown["allowed"].([]any); len(can) > 0 {
				t.Errorf("node_get says that a damaged node can %v", can)
			}
			must(t, env, "workspace_status", map[string]any{"workspaceId": ws})
		})
	}
}

func TestACountMayBeWrittenAsAFloat(t *testing.T) {
	w := enginetest.New(t, vault("", map[string][2]string{
		"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"a":    {"title: A\ntype: execution\nstatus: pending\nparentId: root", ""},
		"b":    {"title: B\ntype: execution\nstatus: pending\nparentId: root", ""},
		"c":    {"title: C\ntype: execution\nstatus: pending\nparentId: root", ""},
	}))
	for raw, want := range map[string]int{"1": 1, "2.0": 2, "3e0": 3, "null": 1} {
		out := must(t, &ops.Env{Engine: w.Engine}, "node_next", map[string]any{"count": json.RawMessage(raw)})
		if got := len(out["nodes"].([]any)); got != want {
			t.Errorf("count %s: %d nodes, want %d", raw, got, want)
		}
	}
}
