package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

func threeNodes(t *testing.T) (*enginetest.World, *ops.Env) {
	w := enginetest.New(t, vault("", map[string][2]string{
		"root":   {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"node-a": {"title: A\ntype: execution\nstatus: pending\nparentId: root", "## Requirement\n\ndo a\n"},
		"node-b": {"title: B\ntype: execution\nstatus: pending\nparentId: root", "## Docs\n\n- a.md: a\n- b.md: b (expired)\n- [C](c.md)\n"},
	}))
	return w, &ops.Env{Engine: w.Engine, Session: "s"}
}

// A transition logs what happened before its own line, in one commit, and a start brings the context.
func TestATransitionLogsAndBringsTheContext(t *testing.T) {
	w, env := threeNodes(t)
	env.MaxBytes = 4000
	out := must(t, env, "node_transition", map[string]any{"nodeId": "node-a", "action": "start", "log": "took the test server", "context": true})
	chain := out["context"].(map[string]any)["chain"].([]any)
	if got := chain[len(chain)-1].(map[string]any); got["nodeId"] != "node-a" || got["status"] != "implementing" || got["requirement"] != "do a" {
		t.Errorf("the context ends with %v", got)
	}
	if got := lastEvents(t, env, "node-a", 2); got[0] != "took the test server" || !strings.HasPrefix(got[1], "start: ") {
		t.Errorf("the log ends with %q", got)
	}
	refused(t, w, env, errs.InvalidParams, "node_transition", map[string]any{"nodeId": "node-a", "action": "submit", "context": true})
	refused(t, w, env, errs.InvalidParams, "node_transition", map[string]any{"nodeId": "node-a", "action": "submit", "log": " \n"})
	refused(t, w, env, errs.InvalidContent, "node_transition", map[string]any{"nodeId": "node-a", "action": "submit", "log": strings.Repeat("x", 3000)})
}

// complete and fail answer with what node_next would offer, else with what the parent waits for and who works on it.
func TestTheEndOfANodeSaysWhatIsNext(t *testing.T) {
	_, env := threeNodes(t)
	end := func(id, action string) map[string]any {
		must(t, env, "node_transition", map[string]any{"nodeId": id, "action": "start"})
		return must(t, env, "node_transition", map[string]any{"nodeId": id, "action": action, "conclusion": "c"})
	}
	if got := end("node-a", "fail")["next"].(map[string]any); got["id"] != "node-b" {
		t.Errorf("after the first: %v", got)
	}
	if got := end("node-b", "complete")["next"].(map[string]any); got["id"] != "root" {
		t.Errorf("after the last: %v", got)
	}
	must(t, env, "node_transition", map[string]any{"nodeId": "node-a", "action": "retry"})
	must(t, env, "node_create", map[string]any{"parentId": "root", "type": "execution", "title": "C"})
	if got := must(t, env, "node_next", map[string]any{"claim": true}); fmt.Sprint(got["running"]) != "[map[nodeId:node-a status:implementing title:A]]" {
		t.Errorf("node_next names as running %v", got["running"])
	}
	c := must(t, env, "node_next", nil)["nodes"].([]any)[0].(map[string]any)["id"].(string)
	must(t, env, "node_transition", map[string]any{"nodeId": c, "action": "start"})
	out := must(t, &ops.Env{Engine: env.Engine}, "node_transition", map[string]any{"nodeId": "node-a", "action": "complete", "conclusion": "c"})
	if got := fmt.Sprint(out["waits"]); out["next"] != nil || !strings.Contains(got, "claimedBy:s") || !strings.Contains(got, "nodeId:"+c) || !strings.Contains(got, "title:R") {
		t.Errorf("with %s running: next %v, waits %s", c, out["next"], got)
	}
}

// The documents of a node become those given: what stays as it is keeps its bytes, a status that is left out is active,
// and the same call twice changes nothing.
func TestDocsOfANodeBecomeThoseGiven(t *testing.T) {
	w, env := threeNodes(t)
	docs := func(list ...string) map[string]any {
		all := []any{}
		for i := 0; i < len(list); i += 2 {
			description, expired := strings.CutSuffix(list[i+1], " (expired)")
			all = append(all, map[string]any{"path": list[i], "description": description})
			if expired {
				all[len(all)-1].(map[string]any)["status"] = "expired"
			}
		}
		return map[string]any{"nodeId": "node-b", "docs": all}
	}
	file := func() string { return string(w.Store.Files()[mdstore.NodePath(ws, "node-b")]) }
	for _, tt := range []struct {
		to   map[string]any
		want string
	}{
		{docs("c.md", "C", "b.md", "b (expired)", "d.md", "new"), "- b.md: b (expired)\n- [C](c.md)\n- d.md: new\n"},
		{docs("b.md", "other", "d.md", "new"), "- b.md: other\n- d.md: new\n"},
		{docs(), "## Docs\n"},
	} {
		must(t, env, "node_update", tt.to)
		if !strings.Contains(file(), tt.want) || strings.Contains(file(), "a.md") {
			t.Errorf("with %v the file is\n%s\nwant\n%s", tt.to, file(), tt.want)
		}
		if again := must(t, env, "node_update", tt.to); again["changed"] != false {
			t.Errorf("the same docs again change %v", again["files"])
		}
	}
	refused(t, w, env, errs.InvalidParams, "node_update", docs("a", "", "a", "x"))
}
