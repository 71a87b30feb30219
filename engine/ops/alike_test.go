package ops_test

import (
	"encoding/json"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
)

// Two calls over the same files bring the same context, with and without changes by others to hint at.
func TestAHintChangesNothingElseInAContext(t *testing.T) {
	long := "## Requirement\n\nr\n\n## Log\n\n"
	for i := range 900 {
		long += "- [2026-01-01 10:00:00] [AI] " + strings.Repeat("x", i%60) + "\n"
	}
	w := enginetest.New(t, vault("", map[string][2]string{
		"root":   {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"node-a": {"title: A\ntype: execution\nstatus: implementing\nparentId: root", long},
		"node-b": {"title: B\ntype: execution\nstatus: implementing\nparentId: root", ""},
	}))
	for _, format := range []string{"json", "markdown"} {
		for bytes := 6000; bytes < 9000; bytes += 250 {
			env := &ops.Env{Engine: w.Engine, Session: "session" + format, MaxBytes: bytes}
			args := map[string]any{"workspaceId": ws, "nodeId": "node-a", "format": format}
			get := func(env *ops.Env) (string, any) {
				out := must(t, env, "context_get", args)
				hint := out["hint"]
				delete(out, "hint")
				delete(out, "changes")
				data, err := json.Marshal(out)
				if err != nil {
					t.Fatal(err)
				}
				return string(data), hint
			}
			want, hint := get(env)
			must(t, &ops.Env{Engine: w.Engine}, "log_append", map[string]any{"workspaceId": ws, "nodeId": "node-b", "event": "by another", "operator": "AI"})
			got, other := get(env)
			if hint == other || got != want {
				t.Errorf("%s in %d bytes: hints %q and %q, %d bytes and %d", format, bytes, hint, other, len(want), len(got))
			}
			must(t, env, "changes_get", map[string]any{"workspaceId": ws, "sessionId": env.Session})
		}
	}
}
