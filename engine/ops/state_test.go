package ops_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// saved are the arguments of a state with a file in work.
func saved(name string, more ...any) map[string]any {
	args := map[string]any{"workspaceId": ws, "name": name, "activeTask": "The form", "nextSteps": []string{"Ask Ann"}}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return args
}

// withSession adds the file of a session to the vault.
func withSession(files map[mdstore.Path][]byte, id string) map[mdstore.Path][]byte {
	files[mdstore.Path(ws+"/sessions/"+id+"/Session.md")] = []byte("---\nid: " + id + "\nname: S " + id + "\nstartedAt: 1767225600000\nendedAt: null\n---\n\n## Log\n")
	return files
}

// What the call to save gave of the work is enough: without an active task the session that continues has the state's
// name as its goal. States are also named by stateId.
func TestAStateNeedsNoActiveTaskIfItHasTheConversation(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	args := saved("Letter", "conversationContext", "The draft is done")
	delete(args, "activeTask")
	id := must(t, env, "state_save", args)["stateId"]
	out := must(t, env, "state_load", map[string]any{"workspaceId": ws, "stateId": id})
	if out["activeTask"] != nil || out["conversationContext"] != "The draft is done" {
		t.Errorf("it is loaded as %v", out)
	}
	session := must(t, env, "session_load", map[string]any{"workspaceId": ws, "sessionId": out["newSessionId"], "continue": false})
	if session["goal"] != "Letter" {
		t.Errorf("the session is %v", session)
	}
	delete(args, "conversationContext")
	if err := refused(t, w, env, errs.InvalidParams, "state_save", args); !strings.Contains(err.Message, "activeTask is missing") {
		t.Error(err)
	}
	must(t, env, "state_update", map[string]any{"workspaceId": ws, "stateId": id, "name": "Letter 2"})
	must(t, env, "state_delete", map[string]any{"workspaceId": ws, "name": "Letter 2"})
}

// A state that one session saves is taken up by another: each change since is named, and nothing else.
func TestAStateIsTakenUpElsewhere(t *testing.T) {
	w := enginetest.New(t, withSession(plan(), "session-one"))
	for _, name := range []string{"same.md", "changed.md"} {
		w.Store.SetDoc("docs/"+name, []byte(name))
	}
	one := &ops.Env{Engine: w.Engine, Session: "session-one"}
	out := must(t, one, "state_save", saved("Before", "nodeId", "node-b", "activeFiles", []string{"docs/same.md", "./docs/changed.md", "docs/none.md", "../out"}))
	if got := fmt.Sprint(out["warnings"]); !strings.Contains(got, "docs/none.md: no such file") || !strings.Contains(got, "../out: it is outside") {
		t.Errorf("warnings %s", got)
	}
	log := string(w.Store.Files()[ws+"/sessions/session-one/Session.md"])
	if want := "state_saved: Before (" + out["stateId"].(string) + ")"; !strings.Contains(log, want) || strings.Count(log, "- [") != 1 {
		t.Errorf("the log of the session is\n%s\nwant one line %q", log, want)
	}
	load := map[string]any{"workspaceId": ws, "state": "Before", "continue": false}
	if again := must(t, one, "state_load", load); again["nodes"] != nil || again["counts"] != nil {
		t.Errorf("nothing has changed, and it tells %v %v", again["nodes"], again["counts"])
	}
	w.Store.SetDoc("docs/changed.md", []byte("another"))
	w.Store.SetDoc("docs/none.md", []byte("new"))
	must(t, one, "node_transition", map[string]any{"workspaceId": ws, "nodeId": "node-b", "action": "complete", "conclusion": "ok"})
	w.Tick(time.Hour)

	two := &ops.Env{Engine: w.Engine, Session: "session-two"}
	dry := must(t, two, "state_load", map[string]any{"workspaceId": ws, "state": "Before", "dryRun": true})
	if dry["newSessionId"] != nil || !strings.Contains(fmt.Sprint(dry["diff"]), "state_restored: Before") {
		t.Errorf("a dry run starts %v with\n%v", dry["newSessionId"], dry["diff"])
	}
	got := must(t, two, "state_load", map[string]any{"workspaceId": ws, "state": "Before", "restorationGoal": "Go on"})
	want := "[map[path:docs/same.md status:same] map[path:docs/changed.md status:changed] map[path:docs/none.md status:changed] map[path:../out status:unknown]]"
	if fmt.Sprint(got["activeFiles"]) != want {
		t.Errorf("files\n %v\nwant\n %s", got["activeFiles"], want)
	}
	if want = "[map[changed:true from:implementing nodeId:node-b title:B to:completed]"; !strings.HasPrefix(fmt.Sprint(got["nodes"]), want) {
		t.Errorf("nodes\n %v\nwant\n %s", got["nodes"], want)
	}
	if want = "[map[from:2 status:completed to:3] map[from:1 status:implementing to:0]]"; fmt.Sprint(got["counts"]) != want {
		t.Errorf("counts\n %v\nwant\n %s", got["counts"], want)
	}
	id := fmt.Sprint(got["newSessionId"])
	file := string(w.Store.Files()[mdstore.Path(ws+"/sessions/"+id+"/Session.md")])
	for _, part := range []string{"name: Before\n", "previous: session-one\n", "## Goal\n\nGo on\n", "state_restored: Before (" + out["stateId"].(string) + ")"} {
		if !strings.Contains(file, part) {
			t.Errorf("the new session is\n%s\nwant %q in it", file, part)
		}
	}
	before := w.Store.Files()
	must(t, two, "log_append", map[string]any{"nodeId": "node-a", "event": "on"}) // the caller is bound
	traced := enginetest.Diff(before, w.Store.Files())
	if !slices.ContainsFunc(traced, func(p mdstore.Path) bool { return strings.Contains(string(p), id) }) {
		t.Errorf("what the caller does changes %v; want a line in the log of %s", traced, id)
	}
}

// What only reads binds nobody and starts nothing, whoever asks for that.
func TestReadingAStateStartsNothing(t *testing.T) {
	w := enginetest.New(t, plan())
	before := w.Store.Files()
	args := map[string]any{"workspaceId": ws, "state": "state-1"}
	for _, env := range []*ops.Env{{Engine: w.Engine, May: ops.MayLook}, {Engine: w.Engine}} {
		out := must(t, env, "state_load", args)
		if out["newSessionId"] != nil || out["activeTask"] != "A" || fmt.Sprint(out["nodes"]) != "[map[changed:true from:implementing nodeId:node-a title:A to:pending]]" {
			t.Errorf("it reads %v", out)
		}
		args["continue"] = false
	}
	if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 {
		t.Errorf("reading changes %v", d)
	}
}

// A state holds nothing of other states: each of 200 is as large as the first, whatever is taken up in between.
func TestStatesDoNotGrow(t *testing.T) {
	w := enginetest.New(t, vault("", map[string][2]string{"root": {"title: Login\ntype: planning\nstatus: planning\nparentId: null", ""}}))
	env := &ops.Env{Engine: w.Engine}
	size := 0
	for i := range 200 {
		id := must(t, env, "state_save", saved("State", "conversationContext", "long"))["stateId"].(string)
		data := w.Store.Files()[mdstore.Path(ws+"/states/"+id+".md")]
		if size == 0 {
			size = len(data)
		}
		if len(data) != size || size == 0 {
			t.Fatalf("state %d has %d bytes, the first %d", i, len(data), size)
		}
		if i%50 == 0 {
			must(t, env, "state_load", map[string]any{"workspaceId": ws, "state": id})
		}
		w.Tick(time.Second)
	}
}

// All that is missing is named at once, and nothing is written.
func TestWhatAStateLacksIsNamed(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	for want, args := range map[string]map[string]any{
		"name, activeTask and nextSteps are missing": {"workspaceId": ws},
		"must not be empty":                          {"workspaceId": ws, "name": "x", "activeTask": " \n", "nextSteps": []string{}},
		"nextSteps is missing":                       {"workspaceId": ws, "name": "x", "activeTask": "t"},
	} {
		if e := refused(t, w, env, errs.InvalidParams, "state_save", args); !strings.Contains(e.Message, want) {
			t.Errorf("%v: %s\nwant %q", args, e.Message, want)
		}
	}
	refused(t, w, env, errs.InvalidName, "state_save", saved(""))
	refused(t, w, env, errs.InvalidName, "state_save", saved("two\nlines"))
	refused(t, w, env, errs.NodeNotFound, "state_save", saved("x", "nodeId", "none"))
	refused(t, w, env, errs.WorkspaceArchived, "state_save", saved("x", "workspaceId", "ws-arch"))
	for name, more := range map[string]map[string]any{"state_load": {}, "state_update": {"name": "x"}, "state_delete": {}} {
		more["workspaceId"], more["state"] = ws, "none"
		refused(t, w, env, errs.StateNotFound, name, more)
	}
	refused(t, w, env, errs.InvalidParams, "state_update", map[string]any{"workspaceId": ws, "state": "state-1"})
	refused(t, w, env, errs.InvalidName, "state_update", map[string]any{"workspaceId": ws, "state": "state-1", "name": ""})
	for _, name := range []string{"state_update", "state_delete"} {
		args := map[string]any{"workspaceId": ws, "state": "state-1", "ifMatch": "0123456789abcdef"}
		if name == "state_update" {
			args["tags"] = []string{}
		}
		refused(t, w, env, errs.Conflicting, name, args)
	}
}

// Of two states with one name the newest is meant, and the hint says so; its id names any.
func TestTheNewestStateOfANameIsMeant(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	first := must(t, env, "state_save", saved("x"))["stateId"]
	w.Tick(time.Second)
	second := must(t, env, "state_save", saved("x"))["stateId"]
	for ref, want := range map[any]any{"x": second, first: first} {
		out := must(t, env, "state_load", map[string]any{"workspaceId": ws, "state": ref, "continue": false})
		state := out["state"].(map[string]any)
		if state["id"] != want || strings.Contains(fmt.Sprint(out["hint"]), "of 2 states of this name") != (ref == "x") {
			t.Errorf("%v is %v, with the hint %v; want %v", ref, state["id"], out["hint"], want)
		}
	}
	out := must(t, env, "state_delete", map[string]any{"workspaceId": ws, "state": "x"})
	path := mdstore.Path(out["trash"].(string)).Join(ws, "states", fmt.Sprint(second)+".md")
	if _, there := w.Store.Files()[path]; !there || out["stateId"] != second {
		t.Errorf("%v went to %s, and there is no %s", out["stateId"], out["trash"], path)
	}
	if list := must(t, env, "state_list", map[string]any{"workspaceId": ws, "query": "X"}); list["total"] != 1.0 {
		t.Errorf("after that there are %v", list)
	}
}

// A list has each state that matches once, newest first, however it is paged, and whatever becomes of a page's last
// state.
func TestStatesAreListed(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		files := vault("", map[string][2]string{"root": {"title: Login\ntype: planning\nstatus: planning\nparentId: null", ""}})
		tags, session := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 2), rapid.SampledFrom([]string{"s1", "s2"})
		n := rapid.IntRange(0, 12).Draw(t, "states")
		var want []string
		byTag, bySession := tags.Draw(t, "filter"), rapid.SampledFrom([]string{"", "s1"}).Draw(t, "session")
		for i := range n {
			own, of, made := tags.Draw(t, "tags"), session.Draw(t, "of"), 100-i/2
			id := fmt.Sprintf("state-%02d", 50-i)
			files[mdstore.Path(fmt.Sprintf("%s/states/%d.md", ws, i))] = fmt.Appendf(nil, "---\nid: %s\nname: N %d\nsessionId: %s\ncreatedAt: %d\ntags: [%s]\n---\n",
				id, i, of, made, strings.Join(own, ", "))
			any := slices.ContainsFunc(byTag, func(t string) bool { return slices.Contains(own, t) })
			if (len(byTag) == 0 || any) && (bySession == "" || of == bySession) {
				want = append(want, id)
			}
		}
		w := enginetest.New(outer, files)
		env := &ops.Env{Engine: w.Engine}
		var got []string
		args := map[string]any{"workspaceId": ws, "limit": rapid.IntRange(1, 5).Draw(t, "limit"), "sessionId": bySession, "tags": byTag, "query": "n"}
		for range n + 1 {
			out := must(outer, env, "state_list", args)
			for _, s := range out["states"].([]any) {
				got = append(got, s.(map[string]any)["id"].(string))
			}
			if out["total"] != float64(len(want)) && args["cursor"] == nil {
				t.Fatalf("total %v of %d", out["total"], len(want))
			}
			if args["cursor"] = out["cursor"]; out["cursor"] == nil {
				break
			}
			if rapid.Bool().Draw(t, "delete") {
				must(outer, env, "state_delete", map[string]any{"workspaceId": ws, "state": got[len(got)-1]})
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("listed %v\nwant %v", got, want)
		}
	})
}

// An update changes the three keys and not a byte of anything else that stands in the file, whoever wrote it.
func TestAnUpdateOfAStateKeepsAllElse(outer *testing.T) {
	front := rapid.SampledFrom([]string{"mine: 1", "# a comment", "aliases: [x, y]", "nested:\n  deep: true", "status: \"  odd  \""})
	body := rapid.SampledFrom([]string{"", "## Mine\n\nkeep   this\n", "## Active Task\n\nA\n\n\n\n", "## Next Steps\n\n* star\n1. one\n", "loose text\n", "## Active Files\n\n- by hand\n",
		"```\n## no heading\n```\n", "<!-- a note -->\n", "## Log\r\n\r\n- x\r\n"})
	rapid.Check(outer, func(t *rapid.T) {
		own := func(lines []string) (out []string) {
			slices.Sort(lines)
			return slices.Compact(lines)
		}(rapid.SliceOfN(front, 0, 4).Draw(t, "front"))
		file := "---\nid: state-1\n" + strings.Join(append(own, "name: Old", "tags: [a]"), "\n") + "\ncreatedAt: 7\n---\n\n" +
			strings.Join(rapid.SliceOfN(body, 0, 5).Draw(t, "body"), "\n")
		files := vault("", map[string][2]string{"root": {"title: Login\ntype: planning\nstatus: planning\nparentId: null", ""}})
		files[ws+"/states/by hand.md"] = []byte(file)
		w := enginetest.New(outer, files)
		env := &ops.Env{Engine: w.Engine}
		args := map[string]any{"workspaceId": ws, "state": "state-1", "name": "New: name"}
		want := strings.Replace(file, "name: Old", `name: "New: name"`, 1)
		if rapid.Bool().Draw(t, "tags") {
			args["tags"], want = []string{"b", "c d"}, strings.Replace(want, "tags: [a]", "tags: [b, c d]", 1)
		}
		if _, err := call(outer, env, "state_update", args); err != nil {
			t.Fatalf("%v of\n%s", err, file)
		}
		if got := w.Store.Files()[ws+"/states/by hand.md"]; !bytes.Equal(got, []byte(want)) {
			t.Fatalf("got\n%q\nwant\n%q", got, want)
		}
	})
}

// What the briefing says goes into a state as it is then, and stays there.
func TestAStateKeepsTheBriefing(t *testing.T) {
	files := plan()
	files[ws+"/Workspace.md"] = append(files[ws+"/Workspace.md"], "\n## Purpose\n\nFind work\n\n## Workflows\n\n### Apply\n\nsteps\n"...)
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine}
	id := must(t, env, "state_save", saved("x"))["stateId"]
	w.Store.Put(ws+"/Workspace.md", bytes.ReplaceAll(w.Store.Files()[ws+"/Workspace.md"], []byte("Find work"), []byte("Rest")))
	w.Live().Stale()
	out := must(t, env, "state_load", map[string]any{"workspaceId": ws, "state": id, "continue": false})
	if want := "### Purpose\n\nFind work\n\n### Workflows\n\n#### Apply\n\nsteps"; out["workspaceContext"] != want {
		t.Errorf("it keeps\n%v\nwant\n%s", out["workspaceContext"], want)
	}
}
