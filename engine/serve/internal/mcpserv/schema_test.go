package mcpserv

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// richFiles is a vault with everything: roles, isolation, expired documents and references, tables and code in texts,
// an archived workspace, and files damaged in several ways.
func richFiles() map[mdstore.Path][]byte {
	files := planFiles()
	add := func(id, fields, body string) {
		files[mdstore.NodePath(planID, mdstore.ID(id))] = enginetest.Node(id, fields, body)
	}
	add("node-gather", "title: Gather\ntype: execution\nstatus: implementing\nrole: info_collection\nparentId: root\ncreatedAt: 1767225601000\nupdatedAt: 1767225601000\nestimate: 3 # ours",
		"## Requirement\n\nFind out.\n\n## Docs\n\n- docs/a.md: the first\n- docs/b.md: an old one (expired)\n\n## References\n\n- node-mj2hz4gy-hashes: see there\n- docs/a.md: a document\n- node-gone: was here (expired)\n- nowhere\n\n"+
			"## Our own\n\n| a | b |\n|---|---|\n| \"1\" | `2` |\n\n## Log\n\n- somebody wrote this\n- [2026-01-01 10:00:00] [Human] looked\n  at it twice\n")
	add("node-alone", "title: '孤立 \"quoted\" \\ <b>'\ntype: planning\nstatus: monitoring\nparentId: root\nisolated: true\ncreatedAt: 1767225602000\nupdatedAt: 1767225602000", "## 需求\n\n做\n\n## 备注\n\n记\n\n## 问题\n\n坏\n\n### 下一步\n\n修\n")
	add("node-alone-1", "title: Done\ntype: execution\nstatus: completed\nrole: summary\nparentId: node-alone\ncreatedAt: 1767225603000\nupdatedAt: 1767225603000", "## Conclusion\n\nIt \\is\\ done.\n")
	add("node-alone-2", "title: Failed\ntype: execution\nstatus: failed\nrole: validation\nparentId: node-alone\ncreatedAt: 1767225604000\nupdatedAt: 1767225604000", "## Conclusion\n\nIt is not.\n")
	add("node-empty", "title: Empty\ntype: planning\nstatus: planning\nparentId: root", "")
	add("node-over", "title: Over\ntype: planning\nstatus: completed\nparentId: root", "## Conclusion\n\nOver.\n")
	add("node-odd", "title: Odd\ntype: execution\nstatus: dreaming\nparentId: root", "")
	add("node-orphan", "title: Orphan\ntype: execution\nstatus: pending\nparentId: node-nobody", "")
	files[planID+"/nodes/twin/Node.md"] = enginetest.Node("node-empty", "title: Twin\ntype: planning\nstatus: pending\nparentId: root", "")
	w := mdstore.Path(planID + "/Workspace.md")
	files[w] = []byte(strings.Replace(string(files[w]), "rulesHash: "+richHash, "rulesHash: 00000000 # by hand", 1))
	files["archive/ws-old/Workspace.md"] = []byte("---\nid: ws-old\nname: Old\ngoal: done\nstatus: archived\n---\n")
	files["archive/ws-old/nodes/root/Node.md"] = enginetest.Node("root", "title: Old\ntype: planning\nstatus: completed\nparentId: null", "")
	return files
}

// folder writes the files to a folder and opens an engine on it.
func folder(t testing.TB, files map[mdstore.Path][]byte) *engine.Engine {
	t.Helper()
	w := &world{T: t.(*testing.T), dir: filepath.Join(t.TempDir(), mdstore.DefaultVault)}
	for p, data := range files {
		w.save(p, string(data))
	}
	w.save("../docs/a.md", "---\ntitle: A\n---\n")
	st, err := dirstore.Open(w.dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	e, err := engine.Open(t.Context(), st, engine.Options{Vault: w.dir, Project: filepath.Dir(w.dir)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

type args = map[string]any

// richCalls are calls of every tool that succeed on the rich vault, in this order.
var richCalls = map[string][]args{
	"workspace_init": {
		{"name": "New \"one\" <b>", "goal": "g", "rules": []any{"r1", "r2"}, "docs": []any{args{"path": "docs/a.md", "description": "d"}}, "dryRun": true},
		{"name": "New \"one\" <b>", "goal": "g\n# of two lines", "rules": []any{"r1", "r2"}, "docs": []any{args{"path": "docs/a.md", "description": "d"}}},
		{"name": "N", "goal": "g"},
	},
	"workspace_list":         {{}, {"status": "all"}, {"status": "archived"}},
	"workspace_get":          {{}, {"workspaceId": planID}, {"workspaceId": "ws-old"}},
	"workspace_status":       {{}, {"format": "markdown"}, {"format": "box", "workspaceId": "ws-old"}},
	"workspace_update":       {{"name": "N", "dryRun": true}, {"goal": "another"}, {"goal": "another"}},
	"workspace_update_rules": {{"action": "add", "rule": "r", "dryRun": true}, {"action": "add", "rules": []any{"a", "b"}}, {"action": "remove", "rule": "a"}, {"action": "replace", "rules": []any{}}},
	"workspace_update_docs": {{"action": "add", "path": "docs/a.md", "description": "d", "dryRun": true}, {"action": "add", "path": "docs/a.md", "description": "d"}, {"action": "expire", "path": "docs/a.md"},
		{"action": "expire", "path": "docs/a.md"}, {"action": "activate", "path": "docs/a.md"}, {"action": "remove", "path": "docs/a.md"}},
	"workspace_archive": {{"dryRun": true}, {"workspaceId": planID}, {"workspaceId": planID}},
	"workspace_restore": {{"dryRun": true}, {"workspaceId": "ws-old"}, {"workspaceId": "ws-old"}},
	"workspace_delete":  {{"workspaceId": "ws-old", "dryRun": true}, {"workspaceId": planID, "force": true, "confirm": true}, {"workspaceId": "ws-old", "confirm": true}},
	"node_create": {
		{"parentId": "root", "type": "execution", "title": "T", "requirement": "# big\n\n```\nopen", "rulesHash": richHash, "dryRun": true},
		{"parentId": "root", "type": "execution", "title": "T: \"#\"", "requirement": "# big\n\n```\nopen", "rulesHash": richHash, "role": "validation", "docs": []any{args{"path": "docs/a.md"}}},
		{"parentId": "node-over", "type": "planning", "title": "T", "requirement": "r", "rulesHash": richHash, "cascade": true},
		{"parentId": "node-alone", "type": "planning", "title": "T", "requirement": "r", "rulesHash": richHash},
	},
	"node_get": {{"nodeId": "root"}, {"nodeId": "node-gather"}, {"nodeId": "node-alone"}, {"nodeId": "node-alone-2"}, {"nodeId": "node-odd"}, {"nodeId": "node-orphan"}, {"nodeId": "node-over"}},
	"node_list": {{}, {"limit": 2}, {"limit": -1, "depth": 1}, {"status": []any{"completed", "failed"}}, {"status": []any{}}, {"type": "planning"}, {"rootId": "node-alone", "cursor": "node-alone-1"},
		{"status": []any{"cancelled"}}},
	"node_update": {{"nodeId": "node-gather", "title": "Gathered", "note": "## n\n\ntext", "dryRun": true}, {"nodeId": "node-gather", "title": "Gathered", "requirement": "r", "note": "n", "conclusion": "c"},
		{"nodeId": "node-gather", "title": "Gathered"}, {"nodeId": "node-gather", "note": ""}},
	"node_move": {{"nodeId": "node-gather", "newParentId": "node-alone", "dryRun": true}, {"nodeId": "node-gather", "newParentId": "node-alone", "before": "node-alone-1"},
		{"nodeId": "node-gather", "newParentId": "node-over", "cascade": true}, {"nodeId": "node-gather", "newParentId": "node-over"}},
	"node_delete": {{"nodeId": "node-mj2hz4gy-theapi", "dryRun": true}, {"nodeId": "node-mj2hz4gy-theapi", "confirm": true}},
	"node_transition": {{"nodeId": "node-mj2hz4gy-signin", "action": "submit", "dryRun": true}, {"nodeId": "node-gather", "action": "complete", "conclusion": "## Rules\n\n- new rule\n\n## Docs\n\n- docs/c.md: c", "dryRun": true},
		{"nodeId": "node-gather", "action": "complete", "conclusion": "## Rules\n\n- new rule\n\n## Docs\n\n- docs/c.md: c"}, {"nodeId": "node-mj2hz4gy-signin", "action": "fail", "conclusion": "no", "reason": "why"},
		{"nodeId": "node-mj2hz4gy-signin", "action": "retry"}, {"nodeId": "node-over", "action": "reopen"}, {"nodeId": "node-alone", "action": "cancel", "conclusion": "c"}, {"nodeId": "node-mj2hz4gy-signut", "action": "start"}},
	"node_isolate": {{"nodeId": "node-gather", "isolate": true, "dryRun": true}, {"nodeId": "node-gather", "isolate": true}, {"nodeId": "node-gather", "isolate": true}, {"nodeId": "node-alone", "isolate": false}},
	"node_reference": {{"nodeId": "node-mj2hz4gy-signut", "targetIdOrPath": "node-gather", "action": "add", "description": "d", "dryRun": true}, {"nodeId": "node-mj2hz4gy-signut", "targetIdOrPath": "node-gather", "action": "add", "description": "d"},
		{"nodeId": "node-mj2hz4gy-signut", "targetIdOrPath": "node-gather", "action": "expire"}, {"nodeId": "node-mj2hz4gy-signut", "targetIdOrPath": "node-gather", "action": "activate"},
		{"nodeId": "node-mj2hz4gy-signut", "targetIdOrPath": "docs/a.md", "action": "add"}, {"nodeId": "node-mj2hz4gy-signut", "targetIdOrPath": "node-gather", "action": "remove"}},
	"context_get": {{}, {"nodeId": "root", "format": "json"}, {"nodeId": "root", "format": "markdown"}, {"nodeId": "node-gather", "maxLogEntries": 1, "reverseLog": true}, {"nodeId": "node-alone", "includeProblem": false},
		{"nodeId": "node-alone-1", "includeLog": false, "format": "markdown"}, {"nodeId": "node-odd", "budget": 10}, {"nodeId": "node-orphan"}, {"nodeId": "node-empty"}},
	"search":          {{"query": "login"}, {"query": "no such words"}},
	"context_focus":   {{"nodeId": "node-gather", "dryRun": true}, {"nodeId": "node-gather"}, {"nodeId": "node-gather"}},
	"log_append":      {{"operator": "AI", "event": "e", "dryRun": true}, {"nodeId": "node-gather", "operator": "Human", "event": "one\ntwo"}, {"operator": "AI", "event": "e"}},
	"problem_update":  {{"problem": "p", "dryRun": true}, {"nodeId": "node-gather", "problem": "p", "nextStep": "n"}, {"nodeId": "node-gather", "problem": "p", "nextStep": "n"}},
	"problem_clear":   {{"dryRun": true}, {}, {"nodeId": "node-mj2hz4gy-signin"}, {"nodeId": "node-gather"}},
	"session_bind":    {{"sessionId": "s", "workspaceId": planID, "dryRun": true}, {"sessionId": "s", "workspaceId": planID, "nodeId": "node-gather"}, {"sessionId": "s", "workspaceId": planID, "nodeId": "node-gather"}, {"sessionId": "s2", "workspaceId": "ws-old"}},
	"session_unbind":  {{"sessionId": "s"}},
	"session_status":  {{"sessionId": "s"}, {"sessionId": "nobody"}},
	"changes_get":     {{}, {}, {"sessionId": "s"}, {"since": "2020-01-01"}, {"since": "1h"}},
	"workspace_check": {{}, {"workspaceId": planID}, {"fix": true, "dryRun": true}, {"fix": true}, {"fix": true}},
	"node_next":       {{}, {"count": 10}, {"count": 2, "claim": true}, {"count": 5, "claim": true, "sessionId": "s", "leaseSeconds": 60}},
}

// richFirst are calls that must come before those of a tool.
var richFirst = map[string]func(l *line){
	"workspace_get": func(l *line) {
		l.do("workspace_update_docs", args{"action": "add", "path": "docs/a.md", "description": "d"})
		l.do("log_append", args{"nodeId": planID, "event": "e"})
	},
	"session_unbind": func(l *line) { l.do("session_bind", args{"sessionId": "s", "workspaceId": planID}) },
	"session_status": func(l *line) { l.do("session_bind", args{"sessionId": "s", "workspaceId": planID}) },
	"changes_get": func(l *line) {
		l.do("changes_get", nil)
		openLine(l, l.server.engine, Options{}).do("log_append", args{"nodeId": "node-gather", "operator": "Human", "event": "e"})
		openLine(l, l.server.engine, Options{}).do("node_create", args{"parentId": "root", "type": "execution", "title": "T", "requirement": "r", "rulesHash": richHash})
		openLine(l, l.server.engine, Options{}).do("node_delete", args{"nodeId": "node-mj2hz4gy-signut", "confirm": true})
	},
}

var richHash = mdstore.RulesHash([]string{"write the test first", "answer in the user's language"})

// A judge has the output schema of each tool, and the strict one that allows no other members.
type judge map[string][2]*jsonschema.Resolved

var newJudge = sync.OnceValues(func() (judge, error) {
	j := judge{}
	for _, o := range ops.Of(ops.SetPlan) {
		open, err := output(o).Resolve(nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		whole, err := closed(ops.ShapeOf(o.Brief)).Resolve(nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		j[o.Name] = [2]*jsonschema.Resolved{open, whole}
	}
	return j, nil
})

// check checks that an answer matches the schema of its tool, that its text is the same JSON, and that it has no empty
// members.
func (j judge) check(t testing.TB, tool string, s said) {
	t.Helper()
	if s.fault != "" {
		t.Errorf("%s fails as a call: %s", tool, s.fault)
		return
	}
	if s.wrong {
		if code, message, _ := strings.Cut(s.text, ": "); strings.ToUpper(code) != code || message == "" || s.data != nil {
			t.Errorf("%s is refused with the text %.300q and the data %.300s", tool, s.text, s.data)
		}
		return
	}
	data := s.members(t)
	for _, schema := range j[tool] {
		if err := schema.Validate(data); err != nil {
			t.Errorf("%s returns %.600s\nwhich is not what its schema says: %v", tool, s.data, err)
		}
	}
	switch md, is := data["markdown"].(string); {
	case is:
		if s.text != md {
			t.Errorf("%s: the text\n%.300q is not the page\n%.300q", tool, s.text, md)
		}
	case s.text != string(s.data):
		if same, err := sameJSON(s.text, string(s.data)); err != nil || !same {
			t.Errorf("%s: the text\n%.300q is not the data\n%.300q: %v", tool, s.text, s.data, err)
		}
	}
	if nulls := empties(data, ""); len(nulls) > 0 {
		t.Errorf("%s: empty, and not left out: %v in %.600s", tool, nulls, s.data)
	}
}

func sameJSON(a, b string) (bool, error) {
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		return false, err
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		return false, err
	}
	return fmt.Sprint(x) == fmt.Sprint(y), nil
}

// empties returns the names of the members that are null, empty, false or 0, except changed and the results of a
// search.
func empties(v any, at string) (out []string) {
	switch v := v.(type) {
	case nil:
		out = append(out, at)
	case []any:
		if len(v) == 0 {
			out = append(out, at)
		}
		for _, e := range v {
			out = append(out, empties(e, at+"[]")...)
		}
	case map[string]any:
		for k, e := range v {
			if k != "changed" && k != "results" {
				out = append(out, empties(e, at+"."+k)...)
			}
		}
	case string, bool, float64:
		if v == "" || v == false || v == 0.0 {
			out = append(out, at)
		}
	}
	return out
}

// The results of every tool, on a vault in a folder, match its schema.
func TestResultsMatchTheirSchemas(t *testing.T) {
	t.Parallel()
	for _, o := range ops.Of(ops.SetPlan) {
		if len(richCalls[o.Name]) == 0 {
			t.Errorf("%s is not called", o.Name)
			continue
		}
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			l := openLine(t, folder(t, richFiles()), Options{Workspace: planID})
			j, err := newJudge()
			if err != nil {
				t.Fatal(err)
			}
			if first := richFirst[o.Name]; first != nil {
				first(l)
			}
			met := map[string]bool{} // empty members are left out, so each name must be in some reply
			for _, a := range richCalls[o.Name] {
				s := l.call(o.Name, jsonOf(t, a))
				if s.wrong {
					t.Errorf("%s %s: %s%s", o.Name, jsonOf(t, a), s.text, s.fault)
				}
				j.check(t, o.Name, s)
				if s.wrong {
					continue
				}
				data := s.members(t)
				if hint, _ := data["hint"].(string); strings.Contains(hint, "\n") || strings.ContainsAny(hint, "{}") {
					t.Errorf("%s: the hint is %q", o.Name, hint)
				}
				if o.Writes && o.Name != "changes_get" && o.Name != "node_next" && (len(data) == 0 || data["success"] != nil && len(data) > 1) {
					t.Errorf("%s %v: success is %v beside %d members", o.Name, a, data["success"], len(data)-1)
				}
				if diff, _ := data["diff"].(string); a["dryRun"] == true && (diff == "" || data["dryRun"] != true) {
					t.Errorf("%s: a dry run returns %.300s", o.Name, s.data)
				}
				for _, name := range resultNames[o.Name] {
					met[name] = met[name] || has(data, strings.Split(name, "."))
				}
			}
			for _, name := range resultNames[o.Name] {
				if !met[name] {
					t.Errorf("%s never returns %s", o.Name, name)
				}
			}
			s := l.call(o.Name, `{"nonsense":1}`)
			if j.check(t, o.Name, s); s.code() != string(errs.UnknownParams) {
				t.Errorf("an unknown parameter: %s", s.text)
			}
		})
	}
	for name := range richCalls {
		if _, ok := ops.Find(name); !ok {
			t.Errorf("%s is called, which is no operation", name)
		}
	}
}

// resultNames are members on which prompts and scripts for TanmiWorkspace's tools of the same names rely. After the
// name of a list comes a member of each element.
var resultNames = map[string][]string{
	"workspace_init":         {"workspaceId", "path", "projectRoot", "rootNodeId", "rulesHash"},
	"workspace_get":          {"workspace.id", "workspace.name", "workspace.goal", "workspace.status", "workspace.rules", "workspace.rulesHash", "workspace.docs.path", "workspace.docs.description", "workspace.focusedNodeId", "workspace.createdAt", "workspace.updatedAt", "counts", "problem", "log"},
	"workspace_list":         {"workspaces.id", "workspaces.name", "workspaces.goal", "workspaces.status"},
	"workspace_update_rules": {"rules", "rulesHash"},
	"node_create":            {"nodeId", "cascadeUpdates.nodeId", "cascadeUpdates.from", "cascadeUpdates.to"},
	"node_get": {"node.id", "node.title", "node.type", "node.status", "node.role", "node.parentId", "node.isolated", "node.requirement", "node.conclusion", "node.note", "node.docs.path", "node.references.targetId", "node.references.type",
		"node.problem", "node.log.event", "node.children", "node.createdAt", "node.updatedAt"},
	"node_list":       {"nodes"},
	"node_transition": {"currentStatus"},
	"node_delete":     {"deletedCount", "trash"},
	"context_get": {"workspace", "workspace.rules", "chain.nodeId", "chain.title", "chain.type", "chain.status", "chain.requirement", "chain.docs", "chain.note", "chain.problem",
		"chain.logEntries.timestamp", "chain.logEntries.operator", "chain.logEntries.event", "childConclusions.nodeId", "childConclusions.title", "childConclusions.status", "childConclusions.conclusion",
		"references", "omitted"},
	"session_status": {"bound", "rules"},
}

// has reports whether a result has a value at a path of names. In a list, one element with it is enough.
func has(v any, way []string) bool {
	if list, is := v.([]any); is {
		return len(way) == 0 || slices.ContainsFunc(list, func(e any) bool { return has(e, way) })
	}
	if len(way) == 0 {
		return true
	}
	m, _ := v.(map[string]any)
	e, ok := m[way[0]]
	return ok && has(e, way[1:])
}

// The schema of session_status has one form for bound sessions and one for others.
func TestSessionStatusHasTwoForms(t *testing.T) {
	t.Parallel()
	l := openLine(t, folder(t, richFiles()), Options{})
	s := l.do("session_status", args{"sessionId": "s"})
	if s["bound"] != nil || !has(s, []string{"availableWorkspaces", "id"}) || len(items(s["availableWorkspaces"])) != 1 {
		t.Errorf("unbound: %v", s)
	}
	l.do("session_bind", args{"sessionId": "s", "workspaceId": planID})
	s = l.do("session_status", args{"sessionId": "s"})
	if s["bound"] != true || s["workspaceId"] != planID || s["workspaceName"] != "Login" || s["focusedNodeId"] != signIn || len(items(s["rules"])) != 2 {
		t.Errorf("bound: %v", s)
	}
}

// Schemas have no keywords that strict clients are known to refuse.
func TestSchemasAreStrict(t *testing.T) {
	t.Parallel()
	for _, tool := range openLine(t, emptyEngine(t), Options{}).tools() {
		for which, raw := range map[string]json.RawMessage{"input": tool.InputSchema, "output": tool.OutputSchema} {
			var s map[string]any
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatal(err)
			}
			if s["type"] != "object" {
				t.Errorf("%s: the %s schema is of type %v", tool.Name, which, s["type"])
			}
			strict(t, tool.Name+" "+which, s, s, false)
			var js jsonschema.Schema
			if err := json.Unmarshal(raw, &js); err != nil {
				t.Errorf("%s %s: %v", tool.Name, which, err)
			} else if _, err := js.Resolve(nil); err != nil {
				t.Errorf("%s %s: %v", tool.Name, which, err)
			}
			if _, any := s["anyOf"]; any && which == "input" {
				t.Errorf("%s: an input schema that begins with a choice is refused by some", tool.Name)
			}
		}
	}
}

// strict checks a schema and those in it. choice means that the schema only adds to another.
func strict(t *testing.T, at string, s, root map[string]any, choice bool) {
	t.Helper()
	props, _ := s["properties"].(map[string]any)
	known := props
	if choice {
		known, _ = root["properties"].(map[string]any)
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := known[name.(string)]; !ok {
			t.Errorf("%s: %v is required, and no property", at, name)
		}
	}
	switch typ := s["type"].(type) {
	case string:
	case []any:
		t.Errorf("%s: its type is %v; one name is expected", at, typ)
	default:
		_, any := s["anyOf"]
		_, enum := s["enum"]
		if !any && !enum && !choice {
			t.Errorf("%s has no type", at)
		}
	}
	if _, ok := s["items"].(map[string]any); s["type"] == "array" && !ok {
		t.Errorf("%s is a list of nobody knows what", at)
	}
	if ref, ok := s["$ref"].(string); ok {
		defs, _ := root["$defs"].(map[string]any)
		if _, there := defs[strings.TrimPrefix(ref, "#/$defs/")]; !there {
			t.Errorf("%s refers to %s, which is not there", at, ref)
		}
	}
	if list, ok := s["enum"].([]any); ok && (len(list) == 0 || slices.Contains(list, nil)) {
		t.Errorf("%s: its values are %v", at, list)
	}
	for name, p := range props {
		strict(t, at+"."+name, p.(map[string]any), root, false)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if p, ok := s[key].(map[string]any); ok {
			strict(t, at+"."+key, p, root, false)
		}
	}
	choices, _ := s["anyOf"].([]any)
	for i, p := range choices {
		m := p.(map[string]any)
		strict(t, fmt.Sprintf("%s.anyOf[%d]", at, i), m, root, m["type"] == nil)
	}
}
