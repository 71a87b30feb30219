package cli

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
)

type args = map[string]any

// twins are commands with the tool calls that do the same, in the order of execution.
var twins = []struct {
	command, tool string
	args          args
}{
	{"ws list", "workspace_list", nil},
	{"ws show ws-a", "workspace_get", args{"workspaceId": "ws-a"}},
	{"ws docs add https://example.org About", "workspace_update_docs",
		args{"action": "add", "path": "https://example.org", "description": "About"}},
	{"ws set goal=New", "workspace_update", args{"goal": "New"}},
	{"ws set purpose=p", "briefing_update", args{"purpose": "p"}},
	{"add Plain", "node_create", args{"title": "Plain"}},
	{"add Sub -t planning -p node-b --priority high --criterion c1", "node_create",
		args{"title": "Sub", "type": "planning", "parentId": "node-b", "priority": "high", "criteria": []string{"c1"}}},
	{"show node-c", "node_get", args{"nodeId": "node-c"}},
	{"tree", "node_list", nil},
	{"set node-c note=n priority=low", "node_update", args{"nodeId": "node-c", "note": "n", "priority": "low"}},
	{"set node-d requirement=q --dry-run", "node_update", args{"nodeId": "node-d", "requirement": "q", "dryRun": true}},
	{"mv node-d root", "node_move", args{"nodeId": "node-d", "newParentId": "root"}},
	{"next", "node_next", nil},
	{"next --blocked", "node_next", args{"blocked": true}},
	{"next --claim --session s -n 2", "node_next", args{"claim": true, "sessionId": "s", "count": 2}},
	{"next --release node-c", "node_next", args{"release": "node-c"}},
	{"start node-c", "node_transition", args{"nodeId": "node-c", "action": "start"}},
	{"log node-c seen", "log_append", args{"nodeId": "node-c", "event": "seen"}},
	{"problem node-c odd --next ask", "problem_update", args{"nodeId": "node-c", "problem": "odd", "nextStep": "ask"}},
	{"status", "workspace_status", nil},
	{"context node-c", "context_get", args{"nodeId": "node-c"}},
	{"problem node-c --clear", "problem_clear", args{"nodeId": "node-c"}},
	{"complete node-c -m done", "node_transition", args{"nodeId": "node-c", "action": "complete", "conclusion": "done"}},
	{"start node-d", "node_transition", args{"nodeId": "node-d", "action": "start"}},
	{"fail node-d -m no", "node_transition", args{"nodeId": "node-d", "action": "fail", "conclusion": "no"}},
	{"isolate node-b", "node_isolate", args{"nodeId": "node-b", "isolate": true}},
	{"ref add node-b node-c why", "node_reference",
		args{"nodeId": "node-b", "targetIdOrPath": "node-c", "action": "add", "description": "why"}},
	{"focus node-b", "context_focus", args{"nodeId": "node-b"}},
	{"search seen", "search", args{"query": "seen"}},
	{"ask what.was.seen", "ask", args{"question": "what.was.seen"}},
	{"check", "workspace_check", nil},
	{"session bind --session s", "session_bind", args{"sessionId": "s"}},
	{"session show --session s", "session_status", args{"sessionId": "s"}},
	{"changes --session s", "changes_get", args{"sessionId": "s"}},
	{"session unbind --session s", "session_unbind", args{"sessionId": "s"}},
	{"session start Work --goal g", "session_start", args{"name": "Work", "goal": "g"}},
	{"session list", "session_list", nil},
	{"session note one --session Work", "session_note", args{"sessionId": "Work", "text": "one"}},
	{"session state save Noon -m task --next step --session Work", "state_save",
		args{"sessionId": "Work", "name": "Noon", "activeTask": "task", "nextSteps": []string{"step"}}},
	{"session state list", "state_list", nil},
	{"session state load Noon --read", "state_load", args{"state": "Noon", "continue": false}},
	{"session state set Noon name=Lunch", "state_update", args{"state": "Noon", "name": "Lunch"}},
	{"session state rm Lunch --yes", "state_delete", args{"state": "Lunch"}},
	{"session transcript append user hello --session Work", "transcript_append",
		args{"sessionId": "Work", "role": "user", "text": "hello"}},
	{"session transcript show --session Work", "transcript_read", args{"sessionId": "Work"}},
	{"session transcript clear --session Work", "transcript_clear", args{"sessionId": "Work"}},
	{"session load Work --read", "session_load", args{"name": "Work", "continue": false}},
	{"session end --session Work -m over", "session_end", args{"sessionId": "Work", "summary": "over"}},
	{"session for alpha --dry-run", "workspace_resolve", args{"identifier": "alpha", "dryRun": true}},
	{"ws load ws-a", "workspace_load", args{"workspaceId": "ws-a"}},
	{"memory save notes text --tag t", "memory_save", args{"slot": "notes", "text": "text", "tags": []string{"t"}}},
	{"memory list", "memory_list", nil},
	{"memory show notes", "memory_read", args{"slot": "notes"}},
	{"memory set notes description=d", "memory_update", args{"slot": "notes", "description": "d"}},
	{"memory summarize notes sum", "memory_summarize", args{"slot": "notes", "text": "sum"}},
	{"memory compress notes", "memory_compress", args{"slot": "notes"}},
	{"memory export notes", "memory_export", args{"slot": "notes"}},
	{"memory use notes --session s", "memory_use", args{"slot": "notes", "sessionId": "s"}},
	{"memory save more text", "memory_save", args{"slot": "more", "text": "text"}},
	{"memory merge notes more --into more --dry-run", "memory_merge",
		args{"sources": []string{"notes", "more"}, "target": "more", "dryRun": true}},
	{"memory archive more", "memory_archive", args{"slot": "more"}},
	{"memory restore more", "memory_restore", args{"slot": "more"}},
	{"memory rm more --yes", "memory_delete", args{"slot": "more"}},
	{"undo --list", "undo", args{"list": true}},
	{"rm node-d --yes", "node_delete", args{"nodeId": "node-d"}},
	{"ws rules add always-test", "workspace_update_rules", args{"action": "add", "rules": []string{"always-test"}}},
	{"init Second --goal g --rule r", "workspace_init", args{"name": "Second", "goal": "g", "rules": []string{"r"}}},
	{"ws archive Second", "workspace_archive", args{"workspaceId": "Second"}},
	{"ws restore Second", "workspace_restore", args{"workspaceId": "Second"}},
	{"ws rm Second --yes --force", "workspace_delete", args{"workspaceId": "Second", "force": true}},
	{"ws gc", "workspace_gc", nil},
}

// elsewhere are the tools that need more than a vault in memory, and so are not compared here. Their commands print the
// results in the same way.
var elsewhere = strings.Fields("config_get memory_import history_get plan_diff " +
	"env_register env_list env_attach env_detach env_restore env_remove tool_list tool_call approval_list")

// The JSON of a command equals the verbose reply of the tool: members, types, ids and defaults. Only hints, which name
// commands or tools, and the times of the call differ.
func TestCommandsAndToolsSayTheSame(t *testing.T) {
	person, tool := newWorld(t), newWorld(t)
	left := map[string]bool{}
	for _, o := range ops.All() {
		left[o.Name] = o.Use != "" && !slices.Contains(elsewhere, o.Name)
	}
	for _, c := range twins {
		words := strings.Fields(c.command)
		printed := person.ok(append(words, "--json")...)
		delete(left, c.tool)
		if c.tool == "undo" && enginetest.Chosen != "" {
			continue // what a store other than memory records names the command, and when it was given
		}
		o, _ := ops.Find(c.tool)
		data, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		if c.args == nil {
			data = []byte("{}")
		}
		env := &ops.Env{Engine: tool.engine, Operator: "Human", Caller: ops.ByPerson, Names: ops.NamesParts}
		out, err := o.Call(t.Context(), env, data)
		if err != nil {
			t.Errorf("%s(%s): %v", c.tool, data, err)
			continue
		}
		reply, err := ops.Sparse(out)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := facts(t, printed), facts(t, string(reply)); got != want {
			t.Errorf("arbor %s --json\n got %s\nwant %s, as %s(%s) has it", c.command, got, want, c.tool, data)
		}
	}
	for name := range maps.Keys(left) {
		if left[name] {
			t.Errorf("no command is compared with %s", name)
		}
	}
}

var (
	moments  = regexp.MustCompile(`\b17672\d{8}\b|2026-01-01[ T]10:\d\d:\d\dZ?|20260101[T-]?10\d{4}`)
	versions = regexp.MustCompile(`"[0-9a-f]{12,64}"`)
	weights  = regexp.MustCompile(`"(score|compressedSize|ratio|tookMs)":[0-9.]+`) // they depend on times in files
)

// facts returns a document in a normal form, without the hint and without values that depend on the time.
func facts(t *testing.T, document string) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	delete(v, "hint")
	delete(v, "tookMs")
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	text := moments.ReplaceAllString(string(data), "TIME")
	return weights.ReplaceAllString(versions.ReplaceAllString(text, "VERSION"), "$1")
}

// A parameter has the same name in all commands: its own with dashes, or the shorter one of this table.
func TestFlagsAreNamedAsParameters(t *testing.T) {
	shorter := map[string][]string{
		"parentId": {"parent"}, "nodeId": {"node"}, "count": {"limit"}, "tags": {"tag"},
		"addTags": {"add-tag"}, "removeTags": {"remove-tag"}, "excludeTags": {"without"}, "docs": {"doc"}, "rules": {"rule"},
		"criteria": {"criterion"}, "checked": {"tick"}, "unchecked": {"untick"}, "newKeys": {"new"}, "sortBy": {"sort"},
		"nextStep": {"next"}, "nextSteps": {"next"}, "activeFiles": {"active"}, "conversationContext": {"conversation"},
		"restorationGoal": {"goal"}, "entryType": {"type"}, "entryIds": {"entry"}, "files": {"about"}, "target": {"into"},
		"maxLogEntries": {"log"},
	}
	used := map[string]bool{}
	for _, o := range ops.All() {
		path, words := ops.SplitUse(o.Use)
		if path == "" || strings.HasPrefix(words, "--") || within[o.Name] != "" {
			continue
		}
		for _, p := range o.Params() {
			flag, _, _ := strings.Cut(p.Field.Tag.Get("flag"), ",")
			own := ops.Dashed(p.Name)
			switch flag = cmp.Or(flag, own); {
			case flag == "-" || flag == own:
			case slices.Contains(shorter[p.Name], flag):
				used[p.Name] = true
			default:
				t.Errorf("%s: the parameter %s is --%s; --%s would be its name", o.Name, p.Name, flag, own)
			}
		}
	}
	for name := range shorter {
		if !used[name] {
			t.Errorf("no command calls %s otherwise", name)
		}
	}
}
