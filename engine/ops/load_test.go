package ops_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// comeBack is a workspace with all that a load tells.
func comeBack(t *testing.T) *enginetest.World {
	files := plan()
	files[ws+"/Workspace.md"] = []byte(strings.Replace(string(files[ws+"/Workspace.md"]), "---\n\n", `description: what it is
rootFolder: job
agent: scout
---

## Purpose

Find work

## Workflows

### Apply

When: a post fits

1. read it

## Key Files

- job/cv.md: the CV
- gone.md: lost

## Preferences

- short letters

`, 1))
	files["agents/scout.md"] = []byte("---\nid: scout\nname: The Scout\n---\n\n# You\n\nlook around\n")
	for i := range 5 {
		files[mdstore.Path(fmt.Sprintf("%s/sessions/s-%d/Session.md", ws, i))] = fmt.Appendf(nil,
			"---\nid: s-%d\nname: S%d\nstartedAt: %d\n---\n\n## Log\n\n- [2026-02-0%d 10:00:00] [AI] note: looked %d\n  files: a\n", i, i, 1000+i, i+1, i)
		files[mdstore.Path(fmt.Sprintf("%s/states/st-%d.md", ws, i))] = fmt.Appendf(nil,
			"---\nid: st-%d\nname: St%d\nsessionId: s-1\ncreatedAt: %d\ntags: [a, b]\n---\n", i, i, 2000-i)
	}
	w := enginetest.New(t, files)
	for _, name := range []string{"job/cv.md", "job/README.md", "job/letters/a.md"} {
		w.Store.SetDoc(name, []byte("x"))
	}
	return w
}

func loaded(t *testing.T, w *enginetest.World, args string) *ops.WorkspaceLoadOut {
	t.Helper()
	o, _ := ops.Find("workspace_load")
	out, err := o.Call(t.Context(), &ops.Env{Engine: w.Engine}, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return out.(*ops.WorkspaceLoadOut)
}

func TestLoadTellsWhereThingsStand(t *testing.T) {
	w := comeBack(t)
	out := loaded(t, w, `{"id":"`+ws+`","limit":2}`)
	keys, _ := json.Marshal(out.KeyFiles)
	got := fmt.Sprintf("%+v %v %v %s %v %v %+v %v %v %v", out.Context, out.Workflows, out.WorkspaceStructure, keys, out.Preferences,
		out.WorkspaceContext, *out.Agent, out.Warnings, out.Hint, out.Plan.Next)
	want := "{Name:Login Description:what it is Purpose:Find work CurrentGoal:Users sign in RootFolder:job RecentActivity:[2026-02-05 10:00:00 AI, session S4: note: looked 4 " +
		"2026-02-04 10:00:00 AI, session S3: note: looked 3]} [Apply (a post fits):\n1. read it] [job/ job/README.md job/cv.md job/letters/ job/letters/a.md] " +
		`{"job/cv.md":"the CV","gone.md":"lost"}` + " - short letters {" + ws + " [job/ job/letters/]} {AgentID:scout AgentName:The Scout SystemPrompt:# You\n\nlook around} " +
		"[key file gone.md: no such file in the project] not listed yet, possibly worth reading: job/README.md [{node-p P pending} {node-a A pending}]"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(out.Sessions) != 2 || out.Sessions[0].ID != "session-1" || len(out.States) != 2 || out.States[0].ID != "st-0" || !slices.Equal(out.States[0].Tags, []string{"a", "b"}) {
		t.Errorf("sessions %+v, states %+v", out.Sessions, out.States)
	}
	if len(w.Engine.Accessed(t.Context())) != 1 {
		t.Error("a load does not count as an access")
	}
	wrapped := loaded(t, w, `{"workspaceId":"`+ws+`","limit":2,"shape":"data"}`)
	if !wrapped.Success || wrapped.Loaded != nil || wrapped.Data.Context.Name != "Login" || wrapped.WorkspaceContext.WorkspaceID != ws {
		t.Errorf("with the shape data: %+v", wrapped)
	}
}

// Who has no focus of one's own, as on the next day, is told the node that the last session or state was about, until
// it is over.
func TestLoadNamesWhereTheWorkWasLeft(t *testing.T) {
	for node, want := range map[string]string{"node-a": "node-a", "root": "root", "node-gone": "", "": ""} {
		files := comeBack(t).Store.Files()
		files[ws+"/states/st-9.md"] = []byte("---\nid: st-9\nname: St9\ncreatedAt: 9000\nplan: [\"node:" + node + ":pending:0123456789abcdef\"]\n---\n")
		files[ws+"/states/st-8.md"] = []byte("---\nid: st-8\nname: St8\ncreatedAt: 8000\nplan: [\"node:node-p:pending:0123456789abcdef\"]\n---\n")
		if node == "" { // a mark without a focus tells nothing, and the one before it counts
			files[ws+"/states/st-9.md"] = []byte("---\nid: st-9\nname: St9\ncreatedAt: 9000\nplan: [\"count:pending:2\"]\n---\n")
			want = "node-p"
		}
		got := ""
		if f := loaded(t, enginetest.New(t, files), `{"workspaceId":"`+ws+`"}`).Plan.Focus; f != nil {
			got = f.NodeID
		}
		if got != want {
			t.Errorf("a state about %q: focus %q, want %q", node, got, want)
		}
	}
}

// Of entries of one second the line that tells of the workspace's making comes last.
func TestLoadTellsTheMakingLast(t *testing.T) {
	files := comeBack(t).Store.Files()
	files[ws+"/Workspace.md"] = append(files[ws+"/Workspace.md"], "\n## Log\n\n- [2026-02-05 10:00:00] [AI] created the workspace\n"...)
	got := loaded(t, enginetest.New(t, files), `{"workspaceId":"`+ws+`","limit":2}`).Context.RecentActivity
	if len(got) != 2 || !strings.Contains(got[0], "looked 4") || !strings.Contains(got[1], "created") {
		t.Errorf("activity %q", got)
	}
}

func TestLoadThatMayNotWriteIsNoAccess(t *testing.T) {
	w := comeBack(t)
	must(t, &ops.Env{Engine: w.Engine, May: ops.MayLook}, "workspace_load", map[string]any{"workspaceId": ws})
	if got := w.Engine.Accessed(t.Context()); len(got) > 0 {
		t.Errorf("accesses: %v", got)
	}
}

// A server that only reads does not say how a session or state would be taken up.
func TestLoadsThatOnlyReadPromiseNothing(t *testing.T) {
	env := &ops.Env{Engine: comeBack(t).Engine, May: ops.MayLook}
	for tool, args := range map[string]map[string]any{"session_load": {"sessionId": "s-4"}, "state_load": {"state": "st-0"}} {
		args["workspaceId"] = ws
		if hint := must(t, env, tool, args)["hint"]; hint != "" {
			t.Errorf("%s: %v", tool, hint)
		}
	}
}

// What is missing or damaged is a warning, and everything else is told.
func TestLoadWarnsOfWhatIsMissing(t *testing.T) {
	for what, c := range map[string]struct {
		edit func(map[mdstore.Path][]byte)
		want string
	}{
		"no agent":         {func(f map[mdstore.Path][]byte) { delete(f, "agents/scout.md") }, "agent scout: no file in agents has this id"},
		"no root folder":   {func(f map[mdstore.Path][]byte) { swap(f, ws+"/Workspace.md", "rootFolder: job", "rootFolder: work") }, "root folder work: no such folder"},
		"outside":          {func(f map[mdstore.Path][]byte) { swap(f, ws+"/Workspace.md", "rootFolder: job", "rootFolder: ../work") }, "outside of the project"},
		"absolute outside": {func(f map[mdstore.Path][]byte) { swap(f, ws+"/Workspace.md", "rootFolder: job", "rootFolder: /etc") }, "outside of the project"},
		"damaged session": {func(f map[mdstore.Path][]byte) {
			f[ws+"/sessions/s-0/Session.md"] = []byte("<<<<<<< a\n---\n=======\n>>>>>>> b\n")
		}, "s-0/Session.md"},
		"damaged state": {func(f map[mdstore.Path][]byte) { f[ws+"/states/st-1.md"] = []byte("no front matter") }, "st-1.md"},
	} {
		files := comeBack(t).Store.Files()
		c.edit(files)
		w := enginetest.New(t, files)
		out := loaded(t, w, `{"workspaceId":"`+ws+`"}`)
		if !strings.Contains(strings.Join(out.Warnings, "\n"), c.want) || out.Context.Purpose != "Find work" || len(out.States) < 3 {
			t.Errorf("%s: warnings %q, want %q; %+v", what, out.Warnings, c.want, out.Context)
		}
	}
}

func swap(files map[mdstore.Path][]byte, p mdstore.Path, from, to string) {
	files[p] = []byte(strings.Replace(string(files[p]), from, to, 1))
}

// A reply that is too large loses its parts in their order, counted, and never the briefing.
func TestLoadLeavesOutInItsOrder(t *testing.T) {
	w := comeBack(t)
	for i := range 300 {
		w.Store.SetDoc(fmt.Sprintf("job/f%d/file.md", i), nil)
	}
	order := []string{"workspaceStructure", "workspacePath", "systemPrompt", "recentFiles", "states", "sessions", "recentActivity"}
	most, met := 20000, 0
	for size := most; size > 900; size -= 50 {
		env := &ops.Env{Engine: w.Engine, MaxBytes: size, Detail: ops.DetailBrief}
		o, _ := ops.Find("workspace_load")
		out, err := o.Call(t.Context(), env, json.RawMessage(`{"workspaceId":"`+ws+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		l := out.(*ops.WorkspaceLoadOut)
		r, err := env.ReplyOf(out)
		if err != nil || r.Size() > size && size > 1300 {
			t.Fatalf("%d bytes, of %d allowed: %v", r.Size(), size, err)
		}
		n := 0
		for n < len(order) && l.Omitted[order[n]] > 0 {
			n++
		}
		if n != len(l.Omitted) || n < met {
			t.Fatalf("with %d bytes it leaves out %v", size, l.Omitted)
		}
		if met = n; l.Context.Purpose != "Find work" || len(l.Workflows) != 1 || len(l.KeyFiles) != 2 || l.Preferences == "" {
			t.Fatalf("with %d bytes the briefing is %+v", size, l)
		}
	}
	if met < len(order) {
		t.Errorf("only %d parts are left out", met)
	}
}

func TestLoadRefusesAWrongLimit(t *testing.T) {
	w := comeBack(t)
	for _, args := range []map[string]any{{"limit": -1}, {"limit": 101}, {"workspaceId": ws, "id": "ws-old"}} {
		refused(t, w, &ops.Env{Engine: w.Engine}, "INVALID_PARAMS", "workspace_load", args)
	}
}

// The parts of a briefing may be given to workspace_init one by one, also key files as paths alone; a workspace with
// them needs no goal.
func TestAWorkspaceIsMadeWithThePartsOfItsBriefing(t *testing.T) {
	w := enginetest.New(t, nil)
	env := &ops.Env{Engine: w.Engine, Caller: ops.ByAssistant}
	made := must(t, env, "workspace_init", map[string]any{"name": "Job Search", "purpose": "Find work", "currentGoal": "The letter",
		"keyFiles": []string{"docs/cv.md"}, "preferences": "short", "dedicatedAgentId": "scout", "description": "what it is",
		"briefing": map[string]any{"rootFolder": "job"}})
	l := loaded(t, w, fmt.Sprintf(`{"workspaceId":%q}`, made["workspaceId"]))
	c := l.Context
	if c.Purpose != "Find work" || c.CurrentGoal != "The letter" || c.Description != "what it is" || c.RootFolder != "job" ||
		l.Preferences != "short" || len(l.KeyFiles) != 1 || l.KeyFiles[0].Target != "docs/cv.md" {
		t.Errorf("loaded %+v", l)
	}
	twice := map[string]any{"name": "N", "purpose": "one", "briefing": map[string]any{"purpose": "two"}}
	refused(t, w, env, errs.UnknownParams, "workspace_init", twice)
	refused(t, w, env, errs.UnknownParams, "workspace_init", map[string]any{"name": "N", "why": "one"})
}
