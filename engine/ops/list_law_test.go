package ops_test

import (
	"fmt"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// The pages of every list add up to what one answer has, also where the last item of a page is gone by then; a cursor
// of no answer is refused.
func TestPagesOfEveryListAddUp(t *testing.T) {
	files := plan()
	for i := range 7 {
		files[mdstore.Path(fmt.Sprintf("%s/states/s%d.md", ws, i))] = fmt.Appendf(nil, "---\nid: s%d\nname: S\ncreatedAt: %d\n---\n", i, i/2)
		files[mdstore.Path(fmt.Sprintf("%s/sessions/t%d/Session.md", ws, i))] = fmt.Appendf(nil, "---\nid: t%d\nname: T\nstartedAt: %d\n---\n", i, i/2)
		files[mdstore.Path(fmt.Sprintf("%s/memory/m%d.md", ws, i))] = fmt.Appendf(nil, "---\nid: m%d\n---\n\n## E\n\ntext\n", i)
		id := fmt.Sprintf("ws-%d", i)
		files[mdstore.WorkspacePath(mdstore.Path(id))] = fmt.Appendf(nil, "---\nid: %s\nname: W\ngoal: g\nstatus: active\n---\n", id)
	}
	for op, items := range map[string]string{"state_list": "states", "session_list": "sessions", "memory_list": "slots", "workspace_list": "workspaces"} {
		page := func(env *ops.Env, args map[string]any) (ids []string, cursor string) {
			args["workspaceId"] = ws
			if op == "workspace_list" {
				delete(args, "workspaceId")
			}
			out := must(t, env, op, args)
			for _, x := range out[items].([]any) {
				ids = append(ids, x.(map[string]any)["id"].(string))
			}
			cursor, _ = out["cursor"].(string)
			return ids, cursor
		}
		for size := 1; size < 9; size++ {
			w := enginetest.New(t, files)
			env := &ops.Env{Engine: w.Engine}
			all, none := page(env, map[string]any{"limit": -1})
			if none != "" || len(all) < 7 {
				t.Fatalf("%s: %q, cursor %q", op, all, none)
			}
			got, cursor := page(env, map[string]any{"limit": size})
			for cursor != "" {
				var more []string
				if more, cursor = page(env, map[string]any{"limit": size, "cursor": cursor}); len(more) == 0 {
					t.Fatalf("%s: an empty page", op)
				}
				got = append(got, more...)
			}
			if fmt.Sprint(got) != fmt.Sprint(all) {
				t.Errorf("%s by %d: %q, want %q", op, size, got, all)
			}
			for _, bad := range []string{"x", "1", "0@x", "-1@x", "@"} {
				if _, err := call(t, env, op, map[string]any{"cursor": bad}); err == nil {
					t.Errorf("%s takes the cursor %q", op, bad)
				}
			}
			if op != "state_list" {
				continue
			}
			first, cursor := page(env, map[string]any{"limit": 3})
			must(t, env, "state_delete", map[string]any{"workspaceId": ws, "state": first[2]})
			rest, _ := page(env, map[string]any{"limit": -1, "cursor": cursor})
			if fmt.Sprint(append(first, rest...)) != fmt.Sprint(all) {
				t.Errorf("the last state of a page is gone, and %q follow %q of %q", rest, first, all)
			}
		}
	}
}
