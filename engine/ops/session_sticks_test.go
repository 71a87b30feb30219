package ops_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

func sessionAt(w *enginetest.World, id string) string {
	return string(w.Store.Files()[mdstore.SessionKind.File(mdstore.SessionKind.Folder(ws).Join(id))])
}

// A session without a line for a day is over: it is listed as ended, takes no note, and the next write here says when
// its last line was. What was ended takes no note either.
func TestASessionWithoutALineIsOver(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine, Session: "alice"}
	must(t, env, "session_start", map[string]any{"workspaceId": ws, "name": "One"})
	w.Tick(23 * time.Hour)
	must(t, env, "session_note", map[string]any{"text": "late"})
	last := w.Now().UnixMilli()
	open := func() int {
		all := must(t, env, "session_list", map[string]any{"workspaceId": ws, "active": true})["sessions"].([]any)
		return len(slices.DeleteFunc(all, func(s any) bool { return s.(map[string]any)["id"] != "alice" }))
	}
	if w.Tick(23 * time.Hour); open() != 1 {
		t.Error("it is over before a day is")
	}
	if w.Tick(2 * time.Hour); open() != 0 || !strings.Contains(sessionAt(w, "alice"), "endedAt: null") {
		t.Errorf("open %d, stored %s", open(), sessionAt(w, "alice"))
	}
	refused(t, w, env, errs.SessionNotFound, "session_note", map[string]any{"text": "x"})
	must(t, &ops.Env{Engine: w.Engine}, "log_append", map[string]any{"workspaceId": ws, "event": "e"})
	if got := sessionAt(w, "alice"); !strings.Contains(got, fmt.Sprintf("endedAt: %d\n", last)) {
		t.Errorf("ended at %d: %s", last, got)
	}
	must(t, env, "session_start", map[string]any{"workspaceId": ws, "sessionId": "bob"})
	must(t, env, "session_end", map[string]any{"sessionId": "bob", "workspaceId": ws})
	refused(t, w, env, errs.SessionNotFound, "session_note", map[string]any{"sessionId": "bob", "workspaceId": ws, "text": "x"})
}

// sessions.json has the four keys of a binding, and no other; the session's file is found all the same.
func TestBindingsHaveFourKeys(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine, Session: "alice"}
	must(t, env, "session_start", map[string]any{"workspaceId": ws, "sessionId": "morning"})
	want := `"alice": {
      "sessionId": "alice",
      "workspaceId": "` + ws + `",
      "focusedNodeId": null,
      "boundAt": ` + fmt.Sprint(w.Now().UnixMilli()) + `
    }`
	if got := string(w.Store.Files()["sessions.json"]); !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	must(t, env, "session_note", map[string]any{"text": "here"})
	if !strings.Contains(sessionAt(w, "morning"), "note: here") {
		t.Error("the session of the caller is not found")
	}
}

// A program goes on with its last session: an open one as it is, an ended one by a new one. Without any, one begins.
func TestASessionIsResumed(t *testing.T) {
	w := enginetest.New(t, plan())
	as := func(client, connection string) *ops.Env {
		return &ops.Env{Engine: w.Engine, Client: client, Connection: connection, Session: connection, Follows: true}
	}
	start := func(env *ops.Env, resume bool) map[string]any {
		return must(t, env, "session_start", map[string]any{"workspaceId": ws, "resume": resume})
	}
	resumed := func(env *ops.Env) map[string]any {
		return must(t, env, "session_start", map[string]any{"resume": true})
	}
	one := start(as("claude", "c1"), true)
	if !strings.Contains(fmt.Sprint(one["warnings"]), "no session to go on with") {
		t.Errorf("nothing to resume: %v", one)
	}
	if got := start(as("claude", "c2"), true); got["sessionId"] == one["sessionId"] {
		t.Errorf("it took the session that an open connection holds: %v", got)
	}
	w.Tick(2 * time.Minute) // the connections are gone
	other := start(as("cursor", "c3"), false)
	if got := start(as("cursor", "c4"), true); got["sessionId"] == one["sessionId"] || got["sessionId"] == other["sessionId"] {
		t.Errorf("it took the session of another program: %v", got)
	}
	other = start(as("cursor", "c3"), false)
	must(t, as("cursor", "c3"), "session_end", map[string]any{"workspaceId": ws, "sessionId": other["sessionId"]})
	w.Tick(2 * time.Minute)
	next := resumed(as("cursor", "c5"))
	if id := next["sessionId"].(string); id == other["sessionId"] || !strings.Contains(sessionAt(w, id), "previous: "+other["sessionId"].(string)) {
		t.Errorf("an ended one: %v", next)
	}
}

// A state is continued by one session as long as that has no other work, and the session that was left has ended.
func TestAStateIsContinuedOnce(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine, Session: "alice"}
	must(t, env, "session_start", map[string]any{"workspaceId": ws, "name": "One"})
	must(t, env, "state_save", saved("Before"))
	load := func() string {
		return must(t, env, "state_load", map[string]any{"workspaceId": ws, "state": "Before"})["newSessionId"].(string)
	}
	first := load()
	if strings.Contains(sessionAt(w, "alice"), "endedAt: null") {
		t.Error("the session that was left goes on")
	}
	if second := load(); second != first {
		t.Errorf("continued by %s and by %s", first, second)
	}
	must(t, env, "session_note", map[string]any{"text": "work"})
	third := load()
	if third == first || strings.Contains(sessionAt(w, first), "endedAt: null") {
		t.Errorf("continued by %s although %s has work", third, first)
	}
	text := string(w.Store.Files()[mdstore.Path(ws+"/states/")+mdstore.Path(must(t, env, "state_list", nil)["states"].([]any)[0].(map[string]any)["id"].(string)+".md")])
	front, body, _ := strings.Cut(text[4:], "---")
	if strings.Contains(front, "plan:") || !strings.Contains(body, "## Plan Mark\n\n- ") {
		t.Errorf("the state: %s", text)
	}
}

// An id that nearly is the one of a bound session warns, as it begins a new one.
func TestANearMissOfASessionWarns(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	for _, c := range []struct{ id, like string }{
		{"review-agent-1", ""}, {"review-agent-2", ""}, {"reveiw-agent-1", "review-agent-1"}, {"Review-Agent-2", "review-agent-2"},
		{"bob", ""}, {"rob", ""}, {"review-agent-1", ""},
	} {
		out := must(t, env, "session_bind", map[string]any{"sessionId": c.id, "workspaceId": ws})
		if got := fmt.Sprint(out["warnings"]); (c.like == "") != (out["warnings"] == nil) || !strings.Contains(got, c.like) {
			t.Errorf("%s: %s, want %q", c.id, got, c.like)
		}
	}
}

// Of several open sessions of one name none is ended or gets a note by that name. One that is open is meant before
// ended ones.
func TestOfSeveralSessionsOfANameTheOpenOneIsMeant(t *testing.T) {
	w := enginetest.New(t, plan())
	for _, id := range []string{"one", "two"} {
		must(t, &ops.Env{Engine: w.Engine, Session: id}, "session_start", map[string]any{"workspaceId": ws, "name": "Review"})
	}
	person := &ops.Env{Engine: w.Engine, Names: ops.NamesLoose}
	end := map[string]any{"workspaceId": ws, "sessionId": "review"}
	refused(t, w, person, errs.InvalidParams, "session_end", end)
	must(t, person, "session_end", map[string]any{"workspaceId": ws, "sessionId": "two"})
	if out := must(t, person, "session_end", end); out["sessionId"] != "one" {
		t.Errorf("%v", out)
	}
}
