package ops_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// A day: a session starts, its work is traced, it ends; the next one continues from it and is told what has changed
// meanwhile.
func TestASessionIsTakenUp(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine, Session: "alice", Names: ops.NamesLoose}
	id, _ := must(t, env, "session_start", map[string]any{"workspaceId": ws, "name": "Sign-in", "goal": "it works", "tags": []string{"a", "b"}})["sessionId"].(string)
	if id != "alice" {
		t.Fatalf("the session of alice is %q", id)
	}
	must(t, env, "node_transition", map[string]any{"nodeId": "node-a", "action": "start"})
	must(t, env, "context_focus", map[string]any{"nodeId": "node-b"})
	must(t, env, "session_note", map[string]any{"text": "a note\nof two lines", "files": []string{"a.go", "b.go"},
		"tool": "go test", "result": "1 of 9 failed"})
	if out := must(t, env, "session_end", map[string]any{"summary": "half of it", "dryRun": true}); !strings.Contains(fmt.Sprint(out["diff"]), "endedAt: 17672") {
		t.Errorf("%v", out)
	}
	must(t, env, "session_end", map[string]any{"summary": "half of it"})
	if out := must(t, env, "session_end", map[string]any{"workspaceId": ws, "sessionId": "alice"}); out["changed"] != false {
		t.Errorf("ended twice: %v", out)
	}
	file := string(w.Store.Files()[mdstore.SessionKind.File(mdstore.SessionKind.Folder(ws).Join(id))])
	for _, want := range []string{"tool_call: node_transition start node-a\n", "note: a note\n  of two lines\n  tool: go test\n  files: a.go, b.go\n  result: 1 of 9 failed\n",
		"note: half of it\n", "endedAt: 1767261600000\n", "## Plan Mark\n\n- node:node-b:implementing:", "- count:"} {
		if !strings.Contains(file, want) {
			t.Errorf("%q is not in\n%s", want, file)
		}
	}
	if strings.Contains(string(w.Store.Files()["sessions.json"]), "alice") {
		t.Errorf("still bound: %s", w.Store.Files()["sessions.json"])
	}
	w.Tick(time.Hour)
	must(t, &ops.Env{Engine: w.Engine}, "node_transition", map[string]any{"workspaceId": ws, "nodeId": "node-b", "action": "complete", "conclusion": "c"})
	before := w.Store.Files()
	read := must(t, env, "session_load", map[string]any{"workspaceId": ws, "name": "Sign-in", "continue": false})
	if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 || read["started"] != nil {
		t.Errorf("continue false changes %v", d)
	}
	if got := fmt.Sprint(read["nodes"]); !strings.Contains(got, "from:implementing nodeId:node-b title:B to:completed") || read["goal"] != "it works" || len(read["log"].([]any)) != 3 {
		t.Errorf("loaded: %v", read)
	}
	next := must(t, env, "session_load", map[string]any{"workspaceId": ws, "name": "Sign-in"})
	started, _ := next["started"].(string)
	must(t, env, "node_isolate", map[string]any{"nodeId": "node-a", "isolate": true})
	list := must(t, env, "session_list", map[string]any{"limit": 1})
	first := list["sessions"].([]any)[0].(map[string]any)
	if first["id"] != started || first["previous"] != "alice" || list["total"] != 4.0 || list["cursor"] == nil {
		t.Errorf("list: %v", list)
	}
	log := fmt.Sprint(must(t, env, "session_load", map[string]any{"continue": false})["log"])
	if !strings.Contains(log, "node_isolate node-a") {
		t.Errorf("the new session's log: %s", log)
	}
	active := must(t, env, "session_list", map[string]any{"active": true})["sessions"].([]any)
	if len(active) != 2 { // this one and session-1
		t.Errorf("open are %v", active)
	}
	// Started again under one name, a session of its own begins, and the caller is bound to that.
	again := must(t, env, "session_start", nil)["sessionId"]
	must(t, env, "session_note", map[string]any{"text": "here"})
	if got := must(t, env, "session_load", map[string]any{"continue": false}); got["sessionId"] != again {
		t.Errorf("bound to %v, not to %v", got["sessionId"], again)
	}
	refused(t, w, env, errs.InvalidParams, "session_start", map[string]any{"sessionId": started})
	refused(t, w, env, errs.InvalidParams, "session_note", map[string]any{"text": "x", "type": "two words"})
	refused(t, w, env, errs.InvalidContent, "session_note", map[string]any{"text": strings.Repeat("x", 3000)})
	refused(t, w, env, errs.InvalidContent, "session_note", map[string]any{"text": "x", "result": "two\nlines"})
	refused(t, w, &ops.Env{Engine: w.Engine}, errs.SessionNotFound, "session_note", map[string]any{"workspaceId": ws, "text": "x"})
	refused(t, w, &ops.Env{Engine: w.Engine, Session: "s1"}, errs.SessionNotFound, "session_end", nil)
	refused(t, w, env, errs.SessionNotFound, "session_load", map[string]any{"name": "nobody"})
}

// An open session is bound by whoever loads it, under the caller's own name, and its trace goes on.
func TestAnOpenSessionIsBound(t *testing.T) {
	w := enginetest.New(t, plan())
	for _, env := range []*ops.Env{{Engine: w.Engine, Session: "bob"}, {Engine: w.Engine, Session: "mcp-x", Follows: true}} {
		if out := must(t, env, "session_load", map[string]any{"workspaceId": ws, "name": "Monday"}); out["started"] != nil || out["changed"] != true {
			t.Errorf("%v", out)
		}
		if out := must(t, env, "session_load", map[string]any{"workspaceId": ws, "name": "Monday"}); out["changed"] != false {
			t.Errorf("a second time: %v", out)
		}
		if env.Follows {
			env = &ops.Env{Engine: w.Engine, Session: "session-1"}
		}
		must(t, env, "log_append", map[string]any{"event": "by " + env.Session, "operator": "AI"})
	}
	if n := strings.Count(string(w.Store.Files()[openSession]), "tool_call: log_append"); n != 2 {
		t.Errorf("%d lines of two:\n%s", n, w.Store.Files()[openSession])
	}
	must(t, &ops.Env{Engine: w.Engine, Session: "bob"}, "session_end", nil)
	if got := string(w.Store.Files()["sessions.json"]); strings.Contains(got, "bob") || strings.Contains(got, "session-1") {
		t.Errorf("bindings after its end: %s", got)
	}
	must(t, &ops.Env{Engine: w.Engine, Session: "bob"}, "log_append", map[string]any{"workspaceId": ws, "event": "x", "operator": "AI"})
	if n := strings.Count(string(w.Store.Files()[openSession]), "tool_call: log_append"); n != 2 {
		t.Errorf("a session that has ended is traced")
	}
}

// Whatever a caller calls its session, it has a file in a folder that every system can have, and is found by that name.
func TestNamesOfSessions(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	for _, name := range []string{".", "..", "/etc", "a/b", "CON", "con.txt", "COM1", "SESSION-1", "a\\b", "a b", "é", "x.", strings.Repeat("x", 129), "C:", "nul"} {
		id, _ := must(t, env, "session_start", map[string]any{"workspaceId": ws, "sessionId": name})["sessionId"].(string)
		if !mdstore.ID(id).Generated("session") {
			t.Errorf("%q has the id %q", name, id)
		}
		p := mdstore.SessionKind.File(mdstore.SessionKind.Folder(ws).Join(id))
		if _, there := w.Store.Files()[p]; !there {
			t.Errorf("%q has no file at %s", name, p)
		}
		for _, ref := range []string{name, id} {
			if got := must(t, env, "session_load", map[string]any{"workspaceId": ws, "sessionId": ref, "continue": false})["sessionId"]; got != id {
				t.Errorf("%q is %v, not %s", ref, got, id)
			}
		}
		refused(t, w, env, errs.InvalidParams, "session_start", map[string]any{"workspaceId": ws, "sessionId": name})
	}
	for _, name := range []string{"a", "A", "s-1", "b.c_d"} {
		got := must(t, env, "session_start", map[string]any{"workspaceId": ws, "sessionId": name})["sessionId"]
		if (got == name) == (name == "A") {
			t.Errorf("%q has the id %v", name, got)
		}
	}
	for _, name := range []string{strings.Repeat("x", 10_000), "a\x01b", "a\nb", "\u0085"} {
		refused(t, w, env, errs.InvalidParams, "session_start", map[string]any{"workspaceId": ws, "sessionId": name})
	}
	drawn, _ := must(t, env, "session_start", map[string]any{"workspaceId": ws, "sessionId": ""})["sessionId"].(string)
	if !mdstore.ID(drawn).Generated("session") {
		t.Errorf("without a name: %q", drawn)
	}
	folders := map[string]bool{}
	for p := range w.Store.Files() {
		if mdstore.AllKinds().Of(p) != mdstore.SessionKind {
			continue
		}
		if lower := strings.ToLower(string(p)); folders[lower] {
			t.Errorf("two folders differ by case: %s", p)
		} else {
			folders[lower] = true
		}
	}
	_, found, err := w.Check(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		if strings.Contains(d.File, "sessions/") {
			t.Error(d)
		}
	}
}

// A log that has grown too long goes on in the session's file; its older part lies beside it, and both are read as one.
func TestALongLogIsDividedAndReadAsOne(t *testing.T) {
	files := traced()
	head := string(files[sessionPath]) + "\n"
	var lines strings.Builder
	for n := 0; lines.Len()+len(head) < mdstore.MaxLogged-100; n++ {
		fmt.Fprintf(&lines, "- [2026-01-01 09:00:00] [AI] note: line %d %s\n", n, strings.Repeat("x", 300))
	}
	files[sessionPath] = []byte(head + lines.String() + "\n## Mine\n\ntext\n")
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine, Session: "s1"}
	all := strings.Count(lines.String(), "\n")
	count := func() int {
		out := must(t, env, "session_load", map[string]any{"continue": false})
		hidden, _ := out["logHidden"].(float64)
		return int(hidden) + len(out["log"].([]any))
	}
	for i := range 3 {
		out := must(t, env, "node_update", map[string]any{"nodeId": "node-a", "note": fmt.Sprint("n", i)})
		node := w.Store.Files()[mdstore.NodePath(ws, "node-a")]
		if got := count(); got != all+i+1 || out["version"] != mdstore.VersionOf(node).String() {
			t.Errorf("%d lines of %d; %v", got, all+i+1, out)
		}
	}
	var beside []mdstore.Path
	for p, data := range w.Store.Files() {
		if mdstore.AllKinds().Of(p) == mdstore.SessionLogKind {
			beside = append(beside, p)
			if string(data[len(data)-10:]) != "xxxxxxxxx\n" {
				t.Errorf("%s ends with %q", p, data[len(data)-10:])
			}
		}
	}
	now := string(w.Store.Files()[sessionPath])
	if len(beside) != 1 || !strings.HasPrefix(now, head+"- [2026") || !strings.HasSuffix(now, "nodes: node-a\n\n## Mine\n\ntext\n") && !strings.HasSuffix(now, "node_update node-a\n\n## Mine\n\ntext\n") {
		t.Errorf("beside it lie %v; it is\n%.400s", beside, now)
	}
	if _, found, err := w.Check(t.Context(), ws); err != nil || len(found) > 0 {
		for _, d := range found {
			if strings.Contains(d.File, "sessions") {
				t.Error(err, d)
			}
		}
	}
}
