package ops_test

import (
	"cmp"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// aboutIn returns the node that the context of a session is about when it names none.
func aboutIn(t *testing.T, env *ops.Env) string {
	t.Helper()
	chain := must(t, env, "context_get", nil)["chain"].([]any)
	return chain[len(chain)-1].(map[string]any)["nodeId"].(string)
}

// A bound session that starts a node keeps it in focus, whatever other sessions start. Before that it has the focus
// that everybody shares.
func TestSessionsKeepTheirFocus(t *testing.T) {
	nodes := map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}}
	for _, id := range []string{"node-x", "node-y", "node-z"} {
		nodes[id] = [2]string{"title: N\ntype: execution\nstatus: pending\nparentId: root", ""}
	}
	nodes["node-f"] = [2]string{"title: N\ntype: execution\nstatus: failed\nparentId: root", "## Conclusion\n\nno\n"}
	nodes["node-c"] = [2]string{"title: N\ntype: execution\nstatus: completed\nparentId: root", "## Conclusion\n\nyes\n"}
	w := enginetest.New(t, vault("", nodes))
	a, b := &ops.Env{Engine: w.Engine, Session: "a"}, &ops.Env{Engine: w.Engine, Session: "b"}
	bind := func(env *ops.Env) map[string]any {
		return must(t, env, "session_bind", map[string]any{"sessionId": env.Session, "workspaceId": ws})
	}
	turn := func(env *ops.Env, id, action string) {
		must(t, env, "node_transition", map[string]any{"nodeId": id, "action": action, "conclusion": "done"})
	}
	is := func(env *ops.Env, when, want string) {
		t.Helper()
		if got := aboutIn(t, env); got != want {
			t.Errorf("%s: the context of %s is of %s, want %s", when, env.Session, got, want)
		}
		got, _ := must(t, env, "session_status", map[string]any{"sessionId": env.Session})["focusedNodeId"].(string)
		if cmp.Or(got, "root") != want {
			t.Errorf("%s: the focus of %s is %v, want %s", when, env.Session, got, want)
		}
	}
	bind(a)
	bind(b)
	turn(a, "node-x", "start")
	is(a, "a has started x", "node-x")
	is(b, "a has started x", "root")
	turn(b, "node-y", "start")
	is(a, "b has started y", "node-x")
	is(b, "b has started y", "node-y")
	turn(a, "node-y", "submit") // which is the focus of b
	is(a, "a has submitted y", "node-x")
	turn(a, "node-f", "retry")
	is(a, "a has retried f", "node-f")
	turn(b, "node-c", "reopen")
	is(b, "b has reopened c", "node-c")
	is(a, "b has reopened c", "node-f")
	must(t, b, "context_focus", map[string]any{"nodeId": "node-z"})
	is(a, "b has focused z", "node-f")
	is(b, "b has focused z", "node-z")
	if out := bind(a); out["changed"] != false || out["focusedNodeId"] != "node-f" {
		t.Errorf("a binds again: %v", out)
	}
	is(a, "a has bound again", "node-f")
}

// A session whose focused node is gone gets the context of the workspace's focus, and a hint that says so.
func TestASessionHearsThatItsNodeIsGone(t *testing.T) {
	nodes := map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}}
	for _, id := range []string{"node-x", "node-y"} {
		nodes[id] = [2]string{"title: N\ntype: execution\nstatus: pending\nparentId: root", ""}
	}
	w := enginetest.New(t, vault("", nodes))
	a, b, none := &ops.Env{Engine: w.Engine, Session: "a"}, &ops.Env{Engine: w.Engine, Session: "b"}, &ops.Env{Engine: w.Engine}
	remove := func(id mdstore.ID) {
		p := mdstore.NodePath(ws, id)
		if _, err := w.Store.Commit(t.Context(), []mdstore.Change{{Path: p, Base: mdstore.VersionOf(w.Store.Files()[p])}}); err != nil {
			t.Fatal(err)
		}
		w.Live().Stale()
		if _, err := w.View(t.Context(), ws); err != nil {
			t.Fatal(err)
		}
	}
	says := func(env *ops.Env, name, about, want string) {
		t.Helper()
		args := map[string]any{"workspaceId": ws}
		if name == "session_status" {
			args = map[string]any{"sessionId": env.Session}
		} else if got := aboutIn(t, env); got != about {
			t.Errorf("the context of session %q is of %s, want %s", env.Session, got, about)
		}
		out := must(t, env, name, args)
		if got := out["hint"].(string); !strings.HasPrefix(got, want) || want == "" && strings.Contains(got, "gone") {
			t.Errorf("%s of session %q: hint %q, want %q", name, env.Session, got, want)
		}
		if name == "session_status" && out["focusedNodeId"] != about {
			t.Errorf("the focus of session %q is %v, want %s", env.Session, out["focusedNodeId"], about)
		}
	}
	must(t, a, "session_bind", map[string]any{"sessionId": "a", "workspaceId": ws, "nodeId": "node-y"})
	must(t, b, "session_bind", map[string]any{"sessionId": "b", "workspaceId": ws})
	must(t, none, "context_focus", map[string]any{"nodeId": "node-x"})
	remove("node-y")
	for _, name := range []string{"context_get", "session_status"} {
		says(a, name, "node-x", "the session's node node-y is gone, so this is about node-x: context_focus, or session_bind with nodeId, ")
		says(b, name, "node-x", "")
	}
	says(none, "context_get", "node-x", "")
	remove("node-x")
	says(b, "context_get", "root", "the node in focus, node-x, is gone, so this is about root: context_focus ")
	says(none, "context_get", "root", "the node in focus, node-x, is gone, so this is about root: context_focus ")
	must(t, a, "session_bind", map[string]any{"sessionId": "a", "workspaceId": ws, "nodeId": "root"})
	says(a, "context_get", "root", "")
	says(a, "session_status", "root", "context_get ")
}

// A log or problem that names no node says whose it is: that of the focus, or of the workspace where nothing has the
// focus.
func TestALogWithoutANodeSaysWhoseItIs(t *testing.T) {
	w := enginetest.New(t, vault("", map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}}))
	env := &ops.Env{Engine: w.Engine, Session: "a", Detail: ops.DetailBrief, Where: ops.Where{Focus: true}}
	must(t, env, "session_bind", map[string]any{"sessionId": "a", "workspaceId": ws})
	for _, want := range []string{"logged to the workspace, because no node has the focus; name nodeId for a node",
		"of root, the focus"} {
		for name, args := range map[string]map[string]any{"log_append": {"event": "e"}, "problem_update": {"problem": want}} {
			if got := must(t, env, name, args)["hint"]; got != want {
				t.Errorf("%s: hint %q, want %q", name, got, want)
			}
		}
		must(t, env, "context_focus", map[string]any{"nodeId": "root"})
	}
}

// Where nothing has changed, changes_get does not speak of what was seen.
func TestNothingHasChanged(t *testing.T) {
	w := enginetest.New(t, vault("", map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}}))
	env := &ops.Env{Engine: w.Engine, Session: "a"}
	must(t, env, "changes_get", map[string]any{"workspaceId": ws})
	const want = "nothing has changed since the session's last look"
	if got := must(t, env, "changes_get", map[string]any{"workspaceId": ws})["hint"]; got != want {
		t.Errorf("hint %q, want %q", got, want)
	}
}
