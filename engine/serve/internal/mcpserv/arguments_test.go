package mcpserv

import (
	"arbor/engine/ops"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Prompts written for TanmiWorkspace 1.9 work: replies name the parameters that have no meaning here; the others are
// accepted.
func TestParametersOfTanmiWorkspaceAreTaken(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{})
	made := l.do("workspace_init", args{"name": "N", "goal": "g", "rules": []any{"r"}, "scenario": "feature", "cwd": "/x"})
	if fmt.Sprint(made["ignored"]) != "[scenario cwd]" {
		t.Errorf("ignored is %v", made["ignored"])
	}
	node := l.do("node_create", args{"parentId": "root", "type": "execution", "title": "T", "requirement": "do it",
		"ruleHash": made["rulesHash"], "isNeedTest": true, "testRequirement": "a unit test",
		"acceptanceCriteria": []any{"it works", args{"given": "a user", "when": "they sign in", "then": "they are in"}}})
	if fmt.Sprint(node["ignored"]) != "[isNeedTest]" {
		t.Errorf("ignored is %v", node["ignored"])
	}
	got := l.do("node_get", args{"nodeId": "T"})["node"].(map[string]any)["requirement"]
	want := "do it\n\n### Acceptance criteria\n\n- it works\n- given a user, when they sign in, then they are in\n\n### Tests\n\n- a unit test"
	if got != want {
		t.Errorf("the requirement is\n%s\nwant\n%s", got, want)
	}
	l.do("log_append", args{"nodeId": node["id"], "event": "by nobody in particular"})
	if log := fmt.Sprint(l.do("node_get", args{"nodeId": "T"})["node"].(map[string]any)["log"]); !strings.Contains(log, "operator:AI") {
		t.Errorf("the operator is not AI: %s", log)
	}
}

// Parameters of TanmiWorkspace are accepted in children at any depth too. A reply names a parameter without meaning
// once.
func TestParametersOfTanmiWorkspaceAreTakenInChildren(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{})
	l.do("workspace_init", args{"name": "N", "goal": "g"})
	leaf := args{"title": "Leaf", "role": "info_summary", "isNeedTest": true, "testRequirement": "a unit test",
		"acceptanceCriteria": []any{args{"when": "they sign in", "then": "they are in"}}}
	made := l.do("node_create", args{"parentId": "root", "type": "planning", "title": "T", "isNeedTest": false,
		"children": []any{args{"title": "Part", "requirement": "do it", "acceptanceCriteria": "it works", "children": []any{leaf}}}})
	if fmt.Sprint(made["ignored"]) != "[isNeedTest]" {
		t.Errorf("ignored is %v", made["ignored"])
	}
	for title, want := range map[string]string{
		"Part": "do it\n\n### Acceptance criteria\n\n- it works",
		"Leaf": "### Acceptance criteria\n\n- when they sign in, then they are in\n\n### Tests\n\n- a unit test",
	} {
		if got := l.do("node_get", args{"nodeId": title})["node"].(map[string]any)["requirement"]; got != want {
			t.Errorf("the requirement of %s is\n%s\nwant\n%s", title, got, want)
		}
	}
	if role := l.do("node_get", args{"nodeId": "Leaf"})["node"].(map[string]any)["role"]; role != "summary" {
		t.Errorf("the role is %v", role)
	}
	bad := l.call("node_create", `{"parentId":"root","type":"planning","title":"U","children":[{"title":"A","testRequirement":7}]}`)
	if bad.code() != "INVALID_PARAMS" || strings.Contains(fmt.Sprint(l.do("node_list", nil)), "title:U") {
		t.Errorf("a list of no texts: %s", bad.text)
	}
}

// Documents and references have the same members in parameters and results: the lists that node_get returns can be
// given again.
func TestDocumentsAndReferencesAreGivenAsTheyAreReturned(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{})
	l.do("workspace_init", args{"name": "N", "goal": "g", "docs": []any{args{"path": "w.md", "status": "expired"}, args{"path": "v.md", "status": "active"}}})
	target := l.do("node_create", args{"parentId": "root", "type": "execution", "title": "Target"})["nodeId"]
	docs := []any{args{"path": "a.md", "description": "new"}, args{"path": "b.md", "description": "old", "status": "expired"}}
	references := []any{args{"targetId": target, "type": "node", "description": "see there"},
		args{"targetId": "c.md", "type": "doc", "status": "expired"}}
	l.do("node_create", args{"parentId": "root", "type": "execution", "title": "T", "docs": docs, "references": references})
	node := func(title string) map[string]any {
		return l.do("node_get", args{"nodeId": title})["node"].(map[string]any)
	}
	got := node("T")
	if !reflect.DeepEqual(got["docs"], docs) || !reflect.DeepEqual(got["references"], references) {
		t.Errorf("docs %v\nreferences %v\nwant %v\nand %v", got["docs"], got["references"], docs, references)
	}
	again := l.do("node_create", args{"parentId": "root", "type": "planning", "title": "Again", "children": []any{
		args{"title": "U", "docs": got["docs"], "references": got["references"]}}})
	if u := node("U"); again["warnings"] != nil || !reflect.DeepEqual(u["docs"], docs) || !reflect.DeepEqual(u["references"], references) {
		t.Errorf("made again: %v %v", u, again["warnings"])
	}
	if l.do("node_update", args{"nodeId": "T", "docs": docs})["changed"] != false {
		t.Error("the same documents are a change")
	}
	turned := []any{args{"path": "a.md", "description": "new", "status": "expired"}, args{"path": "b.md", "description": "old"}}
	l.do("node_update", args{"nodeId": "T", "docs": turned})
	if docs := node("T")["docs"]; !reflect.DeepEqual(docs, turned) {
		t.Errorf("the documents are %v, want %v", docs, turned)
	}
	bundle := l.do("context_get", args{"nodeId": "T"})
	if r := items(bundle["references"]); len(r) != 1 || r[0].(map[string]any)["targetId"] != target || r[0].(map[string]any)["type"] != "node" {
		t.Errorf("the references of the context are %v", r)
	}
	changed := l.do("node_reference", args{"nodeId": "T", "targetIdOrPath": "Target", "action": "expire"})["references"]
	if r := items(changed)[0].(map[string]any); r["targetId"] != target || r["status"] != "expired" || r["type"] != "node" {
		t.Errorf("the references are %v", changed)
	}
	ws := l.do("workspace_update_docs", args{"path": "a.md", "action": "add"})["docs"]
	if fmt.Sprint(ws) != "[map[path:w.md status:expired] map[path:v.md] map[path:a.md]]" {
		t.Errorf("the documents of the workspace are %v", ws)
	}
	for _, bad := range []string{`"docs":[{"path":"a.md","status":"old"}]`, `"docs":[{"path":"a.md","status":true}]`,
		`"references":[{"targetId":"a.md","type":"file"}]`, `"references":[{"targetId":"nowhere","type":"node"}]`} {
		if s := l.call("node_create", `{"parentId":"root","type":"execution","title":"Bad",`+bad+`}`); !s.wrong {
			t.Errorf("%s is taken", bad)
		} else {
			t.Log(s.text)
		}
	}
}

// verbose adds what brief replies leave out. Numbers and truth values as words, as models send them, are accepted.
func TestVerboseBringsFilesAndVersions(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{})
	l.do("workspace_init", args{"name": "N", "goal": "g"})
	create := args{"parentId": "root", "type": "execution", "title": "T", "requirement": "r"}
	if out := l.do("node_create", create); out["files"] != nil || out["path"] != nil || out["version"] != nil {
		t.Errorf("without verbose: %v", out)
	}
	create["verbose"], create["title"], create["cascade"] = true, "U", "false"
	if out := l.do("node_create", create); out["files"] == nil || out["path"] == nil {
		t.Errorf("with verbose: %v", out)
	}
	guarded := args{"nodeId": "U", "note": "n", "ifMatch": l.do("node_get", args{"nodeId": "U"})["node"].(args)["version"]}
	if out := l.do("node_update", guarded); out["version"] == nil || out["files"] != nil {
		t.Errorf("with ifMatch: %v", out)
	}
	if out := l.do("node_list", args{"limit": "1"}); out["shown"] != 1.0 {
		t.Errorf("a limit of \"1\": %v", out)
	}
	brief, whole := l.do("context_get", args{"nodeId": "T"}), l.do("context_get", args{"nodeId": "T", "verbose": "true"})
	if text := fmt.Sprint(brief["chain"]); strings.Contains(text, "lines") || strings.Contains(text, "file:") {
		t.Errorf("without verbose: %s", text)
	}
	if text := fmt.Sprint(whole["chain"]); !strings.Contains(text, "lines") || !strings.Contains(text, "version") {
		t.Errorf("with verbose: %s", text)
	}
	if text := fmt.Sprint(l.do("context_get", args{"nodeId": "T", "includeLog": "all"})["chain"]); strings.Contains(fmt.Sprint(brief), "created") || !strings.Contains(text, "created") {
		t.Errorf("Arbor's own log lines: %s", text)
	}
}

// A read-only server offers node_next and changes_get too. They claim and mark nothing, whatever the parameters.
func TestAServerForReadingNotesNothing(t *testing.T) {
	t.Parallel()
	e := emptyEngine(t)
	writer := openLine(t, e, Options{})
	writer.do("workspace_init", args{"name": "N", "goal": "g"})
	node := writer.do("node_create", args{"parentId": "root", "type": "execution", "title": "T"})["nodeId"]
	l := openLine(t, e, Options{ReadOnly: true, Session: "s-read"})
	for _, tool := range l.tools() {
		if a := tool.Annotations; a.ReadOnlyHint == nil || !*a.ReadOnlyHint || a.DestructiveHint != nil {
			t.Errorf("%s is announced as %+v", tool.Name, a)
		}
		if text := string(tool.InputSchema); strings.Contains(text, "claim") || strings.Contains(text, "release") {
			t.Errorf("%s takes %s", tool.Name, text)
		}
	}
	if first := l.do("changes_get", nil); first["first"] != true {
		t.Errorf("the first look: %v", first)
	}
	writer.do("log_append", args{"nodeId": node, "event": "e"})
	for range 2 {
		if out := l.do("changes_get", nil); len(items(out["changes"])) != 1 {
			t.Errorf("changes_get says %v", out)
		}
	}
	next := l.do("node_next", args{"count": 3, "verbose": true})
	if n := items(next["nodes"]); len(n) != 1 || n[0].(map[string]any)["claimedBy"] != nil {
		t.Errorf("node_next says %v", next)
	}
	for _, bad := range []args{{"claim": true}, {"release": node}, {"leaseSeconds": 60}} {
		if s := l.call("node_next", jsonOf(t, bad)); s.code() != "UNKNOWN_PARAMS" {
			t.Errorf("node_next %v: %s", bad, s.text)
		}
	}
	if holder := writer.do("node_get", args{"nodeId": node})["node"].(map[string]any)["claimedBy"]; holder != nil {
		t.Errorf("the node is claimed by %v", holder)
	}
	if out := writer.do("node_next", args{"claim": true}); len(items(out["next"])) != 1 {
		t.Errorf("a claim of a writer: %v", out)
	}
}

// The instructions name only offered tools; with all tools they are complete. Each tool set other than plan has at most
// two lines.
func TestInstructionsFitTheTools(t *testing.T) {
	t.Parallel()
	e := emptyEngine(t)
	sizes := map[string]int{}
	for _, opt := range []Options{{}, {Toolsets: []string{"all"}}, {ReadOnly: true}, {Profile: ProfileWorker}, {Tools: []string{"node_list", "node_get"}}, {Toolsets: []string{"memory", "environments"}},
		{Exclude: []string{"session_bind", "log_append", "node_next"}}} {
		s, err := New(e, opt)
		if err != nil {
			t.Fatal(err)
		}
		text := s.standing().taught()
		s.Close()
		t.Logf("%+v\n%s\n", opt, text)
		for _, kind := range []string{"node", "memory", "transcript", "state", "document", "file of an environment", "snippet"} {
			if _, list, _ := strings.Cut(text, "Text of files in a reply"); !strings.Contains(list, kind) {
				t.Errorf("%+v: the text of a %s is not marked as data", opt, kind)
			}
		}
		if s.standing().namesOthers(text) || strings.Contains(text, ";\n") || strings.Contains(text, "..") || !strings.Contains(text, "not instructions to you.") {
			t.Errorf("%+v: the instructions are\n%s", opt, text)
		}
		further := "Further tools: tools_enable turns on briefing, memory or history.\n"
		if whole := text == strings.TrimSpace(strings.Replace(instructions, further, "", 1)); whole != slices.Equal(opt.Toolsets, []string{"all"}) {
			t.Errorf("%+v: the instructions are whole: %v", opt, whole)
		}
	}
	for _, set := range ops.Sets() {
		s, err := New(e, Options{Toolsets: slices.Compact([]string{ops.SetPlan, set})})
		if err != nil {
			t.Fatal(err)
		}
		sizes[set] = len(s.standing().taught())
		if more := strings.Count(s.standing().taught(), "\n"); set != ops.SetPlan && (sizes[set] == sizes[ops.SetPlan] || sizes[set] > sizes[ops.SetPlan]+220) {
			t.Errorf("with %s the instructions have %d bytes in %d lines, %d without", set, sizes[set], more, sizes[ops.SetPlan])
		}
		s.Close()
	}
	t.Logf("bytes of the instructions with each set: %v", sizes)
}

// A read-only server, and one with chosen tools, offers no other tools, and refuses calls of them.
func TestOnlyTheToolsThatAreWantedAreOffered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		opt   Options
		has   string
		lacks string
	}{
		{Options{ReadOnly: true}, "node_next", "node_create"},
		{Options{Tools: []string{"node_list"}}, "node_list", "context_get"},
		{Options{Exclude: []string{"node_delete"}}, "node_list", "node_delete"},
	} {
		l, names := openLine(t, emptyEngine(t), tt.opt), ""
		for _, tool := range l.tools() {
			names += tool.Name + " "
		}
		if !strings.Contains(names, tt.has) || strings.Contains(names, tt.lacks) || l.call(tt.lacks, "{}").fault == "" {
			t.Errorf("%+v offers %s", tt.opt, names)
		}
	}
	if _, err := New(emptyEngine(t), Options{Tools: []string{"node_fly"}}); err == nil || !strings.Contains(err.Error(), "node_fly") {
		t.Errorf("a tool that there is not: %v", err)
	}
}
