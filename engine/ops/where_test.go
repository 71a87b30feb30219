package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// Of the ways in which a call means a workspace the first that finds one counts.
func TestTheFirstWayToMeanAWorkspaceCounts(t *testing.T) {
	files := map[mdstore.Path][]byte{}
	for i := 1; i <= 9; i++ {
		dir := mdstore.Path(fmt.Sprint("w", i))
		files[mdstore.WorkspacePath(dir)] = fmt.Appendf(nil, "---\nid: %s\nname: %[1]s\ngoal: g\nstatus: active\n---\n", dir)
		files[mdstore.NodePath(dir, mdstore.Root)] = enginetest.Node("root", "title: R\ntype: planning\nstatus: pending\nparentId: null", "")
	}
	w := enginetest.New(t, files)
	for session, id := range map[string]string{"phone": "w4", "s": "w5", "path:/home/a": "w6"} {
		must(t, &ops.Env{Engine: w.Engine}, "session_bind", map[string]any{"sessionId": session, "workspaceId": id})
	}
	if _, err := ops.Use(tctx, &ops.Env{Engine: w.Engine}, ops.In{WorkspaceID: "w7"}); err != nil {
		t.Fatal(err)
	}
	env := &ops.Env{Engine: w.Engine, Session: "s", Caller: ops.ByPerson,
		Where: ops.Where{Loaded: "w2", Workspace: "w3", Identifier: "phone", Dir: "/home/a/b", Default: true}}
	archive := func(ids ...string) {
		for _, id := range ids {
			must(t, &ops.Env{Engine: w.Engine}, "workspace_archive", map[string]any{"workspaceId": id})
		}
	}
	ref := "w1"
	for i, drop := range []func(){
		func() { ref = "" },
		func() { env.Where.Loaded = "" },
		func() { env.Where.Workspace = "" },
		func() { env.Where.Identifier = "" },
		func() { env.Session = "" },
		func() { env.Where.Dir = "" },
		func() { env.Caller = ops.ByAssistant; archive("w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8") },
		func() { env.Where.Default = false },
		nil,
	} {
		want := fmt.Sprint("w", i+1)
		if i == 7 {
			want = string(mdstore.DefaultWorkspace)
		}
		if v, err := env.In(tctx, ref); err != nil || string(v.Workspace().ID) != want {
			t.Fatalf("%s: %v, want %s", ops.Meanings()[i].When, err, want)
		}
		if drop != nil {
			drop()
		}
	}
	if n := len(ops.Meanings()); n != 9 {
		t.Errorf("there are %d ways, and this test knows 9", n)
	}
}

// A workspace that a person loads by name is meant by the commands that follow, as after arbor use; an assistant's load
// is its connection's, and one without a name changes nothing.
func TestALoadedWorkspaceIsTheMachinesDefault(t *testing.T) {
	files := enginetest.Plan("ws-a", "n1")
	for p, data := range enginetest.Plan("ws-b", "n1") {
		files[p] = data
	}
	w := enginetest.New(t, files)
	person := &ops.Env{Engine: w.Engine, Caller: ops.ByPerson}
	must(t, &ops.Env{Engine: w.Engine}, "workspace_load", map[string]any{"workspaceId": "ws-b"})
	if _, err := person.In(tctx, ""); err == nil {
		t.Error("what an assistant loads is a person's default")
	}
	got := must(t, person, "workspace_load", map[string]any{"workspaceId": "ws-b"})
	if v, err := person.In(tctx, ""); err != nil || v.Workspace().ID != "ws-b" || !strings.Contains(fmt.Sprint(got["hint"]), "from now on") {
		t.Errorf("a call that names none means %v, %v; the load said %v", v, err, got["hint"])
	}
	must(t, person, "session_bind", map[string]any{"sessionId": "s", "workspaceId": "ws-b"})
	person.Session = "s"
	got = must(t, person, "workspace_load", map[string]any{"workspaceId": "ws-a"})
	if v, err := person.In(tctx, ""); err != nil || v.Workspace().ID != "ws-b" || !strings.Contains(fmt.Sprint(got["hint"]), "still") {
		t.Errorf("in a session that is bound a call means %v, %v; the load said %v", v, err, got["hint"])
	}
}
