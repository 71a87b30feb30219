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
	"arbor/mdstore/memstore"
)

func TestBindingTwiceChangesNothing(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine, Session: "s9"}
	e := refused(t, w, env, errs.AmbiguousID, "node_list", nil)
	if e.Details == nil || len(e.Details.Candidates) != 2 {
		t.Errorf("two workspaces are active, and the refusal names %+v", e.Details)
	}
	if out := must(t, env, "session_status", map[string]any{"sessionId": "s9"}); out["bound"] != false || len(out["availableWorkspaces"].([]any)) != 2 {
		t.Errorf("unbound: %v", out)
	}
	bind := map[string]any{"sessionId": "s9", "workspaceId": ws, "nodeId": "node-a"}
	if out := must(t, env, "session_bind", bind); out["changed"] != true {
		t.Errorf("bind: %v", out)
	}
	must(t, env, "node_list", nil) // the bound one is meant now
	if out := must(t, env, "context_get", nil); fmt.Sprint(out["chain"]) == "" || !strings.Contains(fmt.Sprint(out["chain"]), "node-a") {
		t.Errorf("context_get of a bound session is not about its node: %v", out["chain"])
	}
	w.Tick(time.Hour)
	before := w.Store.Files()
	if out := must(t, env, "session_bind", bind); out["changed"] != false {
		t.Errorf("bind a second time: %v", out)
	}
	if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 {
		t.Errorf("bind a second time changes %v", d)
	}
	must(t, env, "session_unbind", map[string]any{"sessionId": "s9"})
	if got := string(w.Store.Files()["sessions.json"]); !strings.Contains(got, `"s1"`) || strings.Contains(got, `"s9"`) {
		t.Errorf("sessions.json after all: %s", got)
	}
}

// A call that names a session is about that session's workspace, or the caller's where it has none.
func TestANamedSessionBringsItsWorkspace(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	must(t, env, "session_bind", map[string]any{"sessionId": "s9", "workspaceId": ws})
	refused(t, w, env, errs.AmbiguousID, "node_next", nil)
	must(t, env, "node_next", map[string]any{"sessionId": "s9"})
	must(t, env, "changes_get", map[string]any{"sessionId": "s9"})
	refused(t, w, env, errs.AmbiguousID, "node_next", map[string]any{"sessionId": "unbound"})
	bound := &ops.Env{Engine: w.Engine, Session: "s9"}
	must(t, bound, "node_next", map[string]any{"sessionId": "unbound", "claim": true})
	must(t, bound, "changes_get", map[string]any{"sessionId": "unbound"})
}

// What others wrote to a section before the session wrote to it is reported, with the section.
func TestOwnWriteTellsOfOthersInTheSameSection(t *testing.T) {
	w := enginetest.New(t, plan())
	env, other := &ops.Env{Engine: w.Engine, Session: "me"}, &ops.Env{Engine: w.Engine, Session: "you"}
	must(t, env, "changes_get", map[string]any{"workspaceId": ws})
	must(t, other, "log_append", map[string]any{"workspaceId": ws, "nodeId": "node-a", "operator": "AI", "event": "theirs"})
	must(t, env, "log_append", map[string]any{"workspaceId": ws, "nodeId": "node-a", "operator": "AI", "event": "mine"})
	got := fmt.Sprint(must(t, env, "changes_get", map[string]any{"workspaceId": ws})["changes"])
	if !strings.Contains(got, "node-a") || !strings.Contains(got, "Log") {
		t.Errorf("changes_get: %s", got)
	}
}

func TestBindingKeepsACorruptFileOfSessions(t *testing.T) {
	files := plan()
	files["sessions.json"] = []byte("{half")
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine}
	if got := must(t, env, "session_status", map[string]any{"sessionId": "s"}); got["bound"] != false {
		t.Errorf("a session that nothing binds: %v", got)
	}
	if found := must(t, env, "workspace_check", nil); !strings.Contains(fmt.Sprint(found), "no valid JSON") {
		t.Errorf("check says nothing of the damaged file: %v", found)
	}
	must(t, env, "session_bind", map[string]any{"sessionId": "s", "workspaceId": ws})
	kept := false
	for p, b := range w.Store.Files() {
		kept = kept || strings.HasPrefix(string(p), "sessions.json.corrupt-") && string(b) == "{half"
	}
	if !kept {
		t.Error("the corrupt file is not kept")
	}
	must(t, env, "session_status", map[string]any{"sessionId": "s"})
}

// A person edits files between two looks of a session, and so does the session: only the person's changes are reported.
func TestChangesNameWhatOthersDid(t *testing.T) {
	files := plan()
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine, Session: "s1"}
	if out := must(t, env, "changes_get", nil); out["first"] != true {
		t.Errorf("the first look: %v", out)
	}
	must(t, env, "log_append", map[string]any{"nodeId": "node-a", "operator": "AI", "event": "my own"})
	if out := must(t, env, "changes_get", nil); len(out["changes"].([]any)) != 0 {
		t.Errorf("the session's own change is reported: %v", out["changes"])
	}
	edited := w.Store.Files()
	a := mdstore.NodePath(ws, "node-a")
	edited[a] = []byte(strings.Replace(strings.Replace(string(edited[a]), "title: A", "title: A person's", 1), "## Requirement\n\na\n", "## Requirement\n\nmore\n", 1))
	delete(edited, mdstore.NodePath(ws, "node-c"))
	edited[ws+"/nodes/by hand/Node.md"] = enginetest.Node("hand", "title: H\ntype: execution\nstatus: pending\nparentId: root", "")
	w2 := enginetest.Over(t, memstore.New(edited), func(_ *enginetest.World, st *memstore.Store) mdstore.Store { return st })
	env.Engine = w2.Engine
	out := must(t, env, "context_get", map[string]any{"nodeId": "root"})
	if out["changes"] != 3.0 {
		t.Errorf("context_get counts %v changes", out["changes"])
	}
	got := must(t, env, "changes_get", nil)["changes"].([]any)
	want := []string{
		"created hand [] []",
		"changed node-a [title] [Requirement]",
		"removed node-c [] []",
	}
	var have []string
	for _, c := range got {
		m := c.(map[string]any)
		list := func(k string) any {
			if m[k] == nil {
				return "[]"
			}
			return m[k]
		}
		have = append(have, fmt.Sprint(m["kind"], " ", m["nodeId"], " ", list("fields"), " ", list("sections")))
	}
	if strings.Join(have, "\n") != strings.Join(want, "\n") {
		t.Errorf("changes\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

func TestNextGivesEachNodeToOneSession(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	next := func(session string) string {
		out, err := ops.NodeNext(t.Context(), env, ops.NodeNextIn{In: ops.In{WorkspaceID: ws}, Claim: session != "", SessionID: session, LeaseSeconds: 60})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Nodes) == 0 {
			return ""
		}
		return out.Nodes[0].ID
	}
	if got := next(""); got != "node-p" { // root has an open child
		t.Errorf("the first ready node is %s", got)
	}
	one, two := next("s1"), next("s2")
	if one != "node-p" || two != "node-a" {
		t.Errorf("s1 is given %s, s2 %s", one, two)
	}
	if got := next("s1"); got != one {
		t.Errorf("s1 asks again and is given %s, not %s", got, one)
	}
	if got := next("s3"); got != "" {
		t.Errorf("s3 is given %s, although all are claimed", got)
	}
	w.Tick(2 * time.Minute)
	if got := next("s3"); got != "node-p" {
		t.Errorf("after the leases ended s3 is given %q", got)
	}
}

func TestEveryNodeHasAContext(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	for _, id := range []string{"root", "node-p", "node-a", "node-b", "node-q", "node-c"} {
		out := must(t, env, "context_get", map[string]any{"workspaceId": ws, "nodeId": id})
		chain := out["chain"].([]any)
		if last := chain[len(chain)-1].(map[string]any); last["nodeId"] != id {
			t.Errorf("context of %s ends with %v", id, last["nodeId"])
		}
		for _, key := range []string{"workspace", "childConclusions", "references", "omitted", "changes"} {
			if out[key] == nil {
				t.Errorf("context of %s has no %s", id, key)
			}
		}
		md := must(t, env, "context_get", map[string]any{"workspaceId": ws, "nodeId": id, "format": "markdown"})
		if s, _ := md["markdown"].(string); !strings.Contains(s, "rule 1") || md["chain"] != nil {
			t.Errorf("context of %s as Markdown: %v", id, md)
		}
	}
}

// A person changes a file that the session changes too: the person's change is reported.
func TestOwnChangesHideNoOthers(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine, Session: "s1"}
	must(t, env, "changes_get", nil)
	a := mdstore.NodePath(ws, "node-a")
	old := w.Store.Files()[a]
	edited := []byte(strings.Replace(string(old), "## Requirement\n\na\n", "## Requirement\n\na person's\n", 1))
	if _, err := w.Store.Commit(t.Context(), []mdstore.Change{{Path: a, Base: mdstore.VersionOf(old), New: edited}}); err != nil {
		t.Fatal(err)
	}
	must(t, env, "log_append", map[string]any{"nodeId": "node-a", "operator": "AI", "event": "my own"})
	got := must(t, env, "changes_get", nil)["changes"].([]any)
	if len(got) != 1 || fmt.Sprint(got[0].(map[string]any)["sections"]) != "[Requirement]" {
		t.Errorf("changes of others: %v", got)
	}
	if again := must(t, env, "changes_get", nil)["changes"].([]any); len(again) != 0 {
		t.Errorf("seen, and named again: %v", again)
	}
}

func TestTheFocusOfABoundSessionFollowsItsWork(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine, Session: "s9"}
	must(t, env, "session_bind", map[string]any{"sessionId": "s9", "workspaceId": ws, "nodeId": "node-a"})
	about := func() string {
		chain := must(t, env, "context_get", nil)["chain"].([]any)
		return chain[len(chain)-1].(map[string]any)["nodeId"].(string)
	}
	must(t, env, "context_focus", map[string]any{"nodeId": "node-p"})
	if got := about(); got != "node-p" {
		t.Errorf("after context_focus the context is of %s", got)
	}
	must(t, env, "node_transition", map[string]any{"nodeId": "node-a", "action": "start"})
	if got := about(); got != "node-a" {
		t.Errorf("after a start the context is of %s", got)
	}
	must(t, env, "node_delete", map[string]any{"nodeId": "node-a"})
	if got := about(); got != "node-p" {
		t.Errorf("after the node is gone the context is of %s", got)
	}
	e := refused(t, w, env, errs.InvalidParams, "node_next", map[string]any{"claim": true, "leaseSeconds": 10_000_000_000})
	if e.Class() != errs.Invalid {
		t.Errorf("a lease of centuries: %v", e)
	}
}

// A session whose record of what it has seen is damaged or lost looks for the first time again; later changes are
// reported.
func TestADamagedRecordOfWhatWasSeenIsALookForTheFirstTime(t *testing.T) {
	w := enginetest.New(t, plan())
	env, other := &ops.Env{Engine: w.Engine, Session: "s", Where: ops.Where{Workspace: ws}}, &ops.Env{Engine: w.Engine, Where: ops.Where{Workspace: ws}}
	look := func(want string) {
		t.Helper()
		out := must(t, env, "changes_get", nil)
		got := fmt.Sprint(out["first"] == true)
		for _, c := range out["changes"].([]any) {
			got += fmt.Sprint(" ", c.(map[string]any)["nodeId"])
		}
		if got != want {
			t.Errorf("first and changes: %s, want %s (%v)", got, want, out["hint"])
		}
	}
	seen := func() mdstore.Path {
		for p := range w.Store.Files() {
			if p.Under(".local/seen") {
				return p
			}
		}
		t.Fatal("nothing is kept of what the session has seen")
		return ""
	}
	look("true")
	look("false")
	must(t, other, "log_append", map[string]any{"nodeId": "node-a", "operator": "AI", "event": "x"})
	must(t, env, "log_append", map[string]any{"nodeId": "node-b", "operator": "AI", "event": "mine"})
	look("false node-a")
	whole := w.Store.Files()[seen()]
	for _, damaged := range [][]byte{{}, []byte("{"), whole[:len(whole)-1], whole[1:], append(whole[:len(whole):len(whole)], 0), make([]byte, len(whole))} {
		name := seen()[len(".local/"):]
		if err := w.Store.WriteLocal(t.Context(), name, damaged); err != nil {
			t.Fatal(err)
		}
		look("true")
		look("false")
		if err := w.Store.RemoveLocal(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		look("true")
		must(t, other, "log_append", map[string]any{"nodeId": "node-a", "operator": "AI", "event": "x"})
		look("false node-a")
	}
}
