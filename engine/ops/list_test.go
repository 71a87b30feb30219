package ops_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

func TestWorkspaceListOrdersAndFinds(t *testing.T) {
	files := map[mdstore.Path][]byte{}
	for i, w := range [][3]string{{"default", "aaa", "."}, {"ws-b", "Beta work", "job"}, {"ws-a", "alpha", "job/deep"}, {"ws-c", "Gamma 求职", "/elsewhere/x"}} {
		files[mdstore.WorkspacePath(mdstore.Path(w[0]))] = fmt.Appendf(nil,
			"---\nid: %s\nname: %s\ngoal: g\nstatus: active\ndescription: All of %s\nrootFolder: %s\ncreatedAt: %d\n---\n", w[0], w[1], strings.ToUpper(w[1]), w[2], 1000+i)
		files[mdstore.Path(w[0]+"/nodes/root/Node.md")] = enginetest.Node("root", "title: R\ntype: planning\nstatus: pending", "")
	}
	const log = "\n## Log\n\n- [2026-01-01 10:00:00] [AI] note: a\n  files: x\n- [2026-01-01 10:00:01] [AI] note: b\n"
	files["ws-b/sessions/s/Session.md"] = []byte("---\nid: s\nname: S\n---\n" + log)
	files["ws-b/sessions/s/Session-1.md"] = []byte("---\nname: S\n---\n" + log)
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine, Session: "me"}
	list := func(args map[string]any) string {
		var ids []string
		for _, x := range must(t, env, "workspace_list", args)["workspaces"].([]any) {
			ids = append(ids, x.(map[string]any)["id"].(string))
		}
		return strings.Join(ids, " ")
	}
	check := func(want string, args map[string]any) {
		t.Helper()
		if got := list(args); got != want {
			t.Errorf("%v: %s, want %s", args, got, want)
		}
	}
	check("ws-b ws-a ws-c default", nil) // nothing is known of their use: the oldest first
	must(t, env, "session_bind", map[string]any{"sessionId": "me", "workspaceId": "ws-c"})
	w.Tick(time.Hour)
	w.Engine.Touched(t.Context(), "ws-a")
	w.Engine.Touched(t.Context(), "default")
	check("ws-a ws-c ws-b default", nil)
	check("ws-b ws-c ws-a default", map[string]any{"order": "asc"})
	check("ws-a ws-b ws-c default", map[string]any{"sortBy": "name"})
	check("ws-c ws-b", map[string]any{"sortBy": "name", "order": "desc", "limit": 2})
	check("ws-c ws-a ws-b default", map[string]any{"sortBy": "created", "order": "desc"})
	check("ws-b", map[string]any{"query": "WORK of"})
	check("", map[string]any{"query": "work alpha"})
	check("ws-c", map[string]any{"query": "求职"})
	check("ws-a", map[string]any{"query": "job/deep/er/x.md"})
	check("ws-b", map[string]any{"query": "./job/deeper"})
	check("ws-c", map[string]any{"query": "/elsewhere/x/y"})
	check("default", map[string]any{"query": "other/folder"})
	check("", map[string]any{"query": "../job"})
	got := must(t, env, "workspace_list", map[string]any{"query": "beta"})["workspaces"].([]any)[0].(map[string]any)
	if got["sessionCount"] != 1.0 || got["traceCount"] != 4.0 || got["description"] != "All of BETA WORK" || got["rootFolder"] != "job" || got["bound"] != nil {
		t.Errorf("%v", got)
	}
	got = must(t, env, "workspace_list", map[string]any{"query": "gamma"})["workspaces"].([]any)[0].(map[string]any)
	if got["bound"] != true || got["lastAccessed"] == nil {
		t.Errorf("%v", got)
	}
	refused(t, w, env, "INVALID_PARAMS", "workspace_list", map[string]any{"limit": -2})
	refused(t, w, env, "INVALID_PARAMS", "workspace_list", map[string]any{"sortBy": "size"})
}
