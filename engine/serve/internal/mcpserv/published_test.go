package mcpserv

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"arbor/engine/ops"
)

func everySet(string) bool { return true }

// someTexts are texts; several look like values of other types.
var someTexts = []string{"a", "节 \"x\"", " padded ", "3", "-7", "0.5", "1.0", "true", "null", `["a"]`, `{"a":1}`, "[1] see", "two\nlines", "a, b", "-"}

// drawnFrom draws a value that a schema allows.
func drawnFrom(t *rapid.T, s *jsonschema.Schema, at string) any {
	switch s.Type {
	case "string":
		if s.Enum != nil {
			return rapid.SampledFrom(s.Enum).Draw(t, at)
		}
		return rapid.SampledFrom(someTexts).Draw(t, at)
	case "boolean":
		return rapid.Bool().Draw(t, at)
	case "integer":
		return rapid.SampledFrom([]int{0, 1, -1, 42, 1 << 53}).Draw(t, at)
	case "number":
		return rapid.SampledFrom([]float64{0, 1, 0.5, -2.25, 1e6}).Draw(t, at)
	case "array":
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, at+" items") {
			list = append(list, drawnFrom(t, s.Items, at+"[]"))
		}
		return list
	case "object":
		members := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(s.Required, name) || rapid.IntRange(0, 3).Draw(t, at+"."+name+"?") == 0 {
				members[name] = drawnFrom(t, s.Properties[name], at+"."+name)
			}
		}
		if s.Properties == nil && s.Description == "" && strings.Contains(at, ".") {
			members["k"] = rapid.SampledFrom([]any{"v", 1, 0.5, true, []any{"a"}, map[string]any{"n": 1}}).Draw(t, at+".k")
		}
		return members
	}
	t.Fatalf("%s is of type %q", at, s.Type)
	return nil
}

// otherForm returns a value in another form that models send and that means the same.
func otherForm(t *rapid.T, s *jsonschema.Schema, v any) any {
	if rapid.Bool().Draw(t, "as it is") {
		return v
	}
	switch v := v.(type) {
	case string:
		if s.Enum == nil && (v == "3" || v == "-7" || v == "0.5") {
			return json.Number(v)
		}
	case bool:
		return strconv.FormatBool(v)
	case int:
		return rapid.SampledFrom([]any{strconv.Itoa(v), float64(v), json.Number(strconv.Itoa(v) + ".0")}).Draw(t, "form")
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		changed := make([]any, len(v))
		for i, item := range v {
			changed[i] = item
			if s.Items.Type == "object" { // only objects are tried in another form
				changed[i] = otherForm(t, s.Items, item)
			}
		}
		text, isText := "", false
		if len(changed) == 1 {
			text, isText = changed[0].(string)
		}
		if len(changed) == 1 && (!isText || !strings.HasPrefix(text, "[")) && rapid.Bool().Draw(t, "one") {
			return changed[0]
		}
		if rapid.Bool().Draw(t, "as text") && !slices.ContainsFunc(changed, func(v any) bool { _, is := v.(json.Number); return is }) {
			return string(inJSON(changed))
		}
		return changed
	case map[string]any:
		if len(s.Required) == 1 && len(v) == 1 {
			if text, ok := v[s.Required[0]].(string); ok && s.Properties[s.Required[0]].Type == "string" && !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
				return text
			}
		}
		changed := map[string]any{}
		for name, member := range v {
			changed[name] = member
			if p := s.Properties[name]; p != nil {
				changed[name] = otherForm(t, p, member)
			}
		}
		if rapid.Bool().Draw(t, "as text") {
			return string(inJSON(changed))
		}
		return changed
	}
	return v
}

func inJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// For every parameter of every tool, each value that the published schema allows is accepted. Other forms of it are
// accepted too, become the same value, and then match the schema.
func TestWhatIsPublishedIsTaken(t *testing.T) {
	t.Parallel()
	for _, o := range ops.All() {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			s := input(o, everySet)
			fits, err := s.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, own := range []string{verbose, confirm} { // added by the server
				delete(s.Properties, own)
			}
			rapid.Check(t, func(t *rapid.T) {
				given := drawnFrom(t, s, o.Name).(map[string]any)
				for _, p := range o.Params() { // the description says that one of two parameters is required
					if p.Unless != "" && given[p.Name] == nil && given[p.Unless] == nil {
						given[p.Name] = drawnFrom(t, s.Properties[p.Name], p.Name)
					}
				}
				want, err := o.Read(inJSON(given))
				if err != nil {
					t.Fatalf("%s: %v", inJSON(given), err)
				}
				other := map[string]any{}
				for name, v := range given {
					other[name] = otherForm(t, s.Properties[name], v)
				}
				got, err := o.Read(inJSON(other))
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s\nis read as %+v, %v\nwant %+v, as\n%s", inJSON(other), got, err, want, inJSON(given))
				}
				tree, err := o.Parse(inJSON(other))
				if err != nil {
					t.Fatal(err)
				}
				o.Normal(tree)
				var plain map[string]any
				if err := json.Unmarshal(inJSON(tree), &plain); err != nil {
					t.Fatal(err)
				}
				if err := fits.Validate(plain); err != nil {
					t.Fatalf("%s becomes %s: %v", inJSON(other), inJSON(plain), err)
				}
			})
		})
	}
}

// Schemas go down to the leaves: an object has members, holds any JSON, or says which tool describes it.
func TestSchemasGoDownToTheLeaves(t *testing.T) {
	t.Parallel()
	var leaves func(at string, s *ops.Shape, published *jsonschema.Schema)
	leaves = func(at string, s *ops.Shape, js *jsonschema.Schema) {
		switch {
		case js.Type == "array":
			leaves(at+"[]", s.Item, js.Items)
		case js.Type == "object" && js.Properties == nil && strings.Contains(at, "."):
			free := s.Members == nil && (s.Item.Kind == ops.KindAny || js.AdditionalProperties != nil)
			if !free && len(s.Members) > 0 && js.Description == "" {
				t.Errorf("%s is an object of nobody knows what", at)
			}
		case js.Type == "" && js.Description == "":
			t.Errorf("%s is anything", at)
		}
		for name, p := range js.Properties {
			if m, ok := s.Member(name); ok {
				leaves(at+"."+name, m.Shape, p)
				if like := m.Field.Tag.Get("like"); like != "" {
					leavesLike(t, at+"."+name, like, m)
				}
			}
		}
	}
	for _, o := range ops.All() {
		leaves(o.Name+" in", o.Takes(), input(o, everySet))
		leaves(o.Name+" out", ops.ShapeOf(o.Brief), published(ops.ShapeOf(o.Brief), false, nil))
	}
}

// leavesLike checks that a schema that refers to a tool names only members that the tool has.
func leavesLike(t *testing.T, at, tool string, m ops.Param) {
	t.Helper()
	o, ok := ops.Find(tool)
	if !ok {
		t.Errorf("%s is like %s, which is no tool", at, tool)
	}
	known := append(o.Takes().Names(), ops.ShapeOf(o.Out).Names()...)
	for _, name := range m.Shape.Names() {
		if !slices.Contains(known, name) {
			t.Errorf("%s has %s, which %s has not", at, name, tool)
		}
	}
}

// closed returns the schema of a shape in replies that allows only described members, including those of few or of
// verbose replies.
func closed(s *ops.Shape, within ...*ops.Shape) *jsonschema.Schema {
	if slices.Contains(within, s) {
		return &jsonschema.Schema{Type: string(s.Kind)}
	}
	out := published(s, false, nil)
	switch {
	case s.Kind == ops.KindList:
		out.Items = closed(s.Item, within...)
	case s.Members != nil:
		out.Properties = map[string]*jsonschema.Schema{}
		for _, m := range s.Members {
			out.Properties[m.Name] = closed(m.Shape, append(slices.Clip(within), s)...)
		}
		out.PropertyOrder = nil
		out.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	return out
}

// Every reply of a day with all tools, brief and verbose, matches the published schema, and has only members described
// there.
func TestEveryReplyFitsItsSchema(t *testing.T) {
	t.Parallel()
	_, noGit := exec.LookPath("git")
	for _, verbosely := range []bool{false, true} {
		w, _ := newPlace(t, "restricted", -1)
		if noGit == nil {
			for _, line := range []string{"init -q", "config user.name A", "config user.email a@b.c", "add -A", "commit -q -m one"} {
				if out, err := exec.Command("git", append([]string{"-C", w.dir + "/.."}, strings.Fields(line)...)...).CombinedOutput(); err != nil {
					t.Fatalf("git %s: %s", line, out)
				}
			}
		}
		var questions []string
		p := w.connect(chooses(&questions, once))
		alone := w.connect(nil) // a client that cannot ask its person
		called := map[string]bool{}
		do := func(p *peer, tool string, given args) map[string]any {
			t.Helper()
			o, _ := ops.Find(tool)
			replied := o.Brief
			if verbosely {
				replied = o.Out
				given = maps.Clone(given)
				given[verbose] = true
			}
			data := p.do(tool, given)
			called[tool] = true
			for what, s := range map[string]*jsonschema.Schema{"published": output(o), "whole": closed(ops.ShapeOf(replied))} {
				r, err := s.Resolve(nil)
				if err != nil {
					t.Fatalf("%s: %v", tool, err)
				}
				if err := r.Validate(data); err != nil {
					t.Errorf("%s: the %s schema: %v in\n%.900s", tool, what, err, inJSON(data))
				}
			}
			return data
		}
		do(p, "config_get", args{})
		do(p, "workspace_resolve", args{"identifier": "laptop"})
		do(p, "session_start", args{"sessionId": "s1", "name": "day", "goal": "g", "workspaceId": planID})
		do(p, "briefing_update", args{"workspaceId": planID, "purpose": "p", "workflows": []any{args{"name": "W", "when": "now", "steps": []any{"a", "b"}}}, "keyFiles": []any{"src/a.go"}, "related": "src"})
		do(p, "workspace_load", args{"workspaceId": planID})
		do(p, "workspace_load", args{"workspaceId": planID, "shape": "data"})
		do(p, "workspace_gc", args{"maxAge": 300, confirm: true})
		do(p, "session_list", args{})
		do(p, "session_note", args{"text": "n", "files": []any{"src/a.go"}})
		state := do(p, "state_save", args{"name": "Now", "activeTask": "t", "nextSteps": []any{"x"}, "activeFiles": []any{"src/a.go"}, "tags": []any{"a"}, "nodeId": signIn})["stateId"]
		do(p, "state_list", args{})
		do(p, "state_update", args{"state": state, "description": "d"})
		do(p, "state_load", args{"state": state, "continue": false})
		do(p, "transcript_append", args{"role": "user", "text": "hi"})
		do(p, "transcript_read", args{})
		do(p, "transcript_clear", args{})
		do(p, "memory_save", args{"slot": "notes", "text": "We chose Adyen. Because of its price.", "metadata": args{"k": args{"n": 0}}, "tags": "money"})
		do(p, "memory_save", args{"slot": "notes", "text": "We chose Stripe."})
		do(p, "memory_save", args{"slot": "more", "text": "We chose Adyen. Because of its price."})
		for _, entry := range []any{0, "0", "-1", -1} {
			if read := do(p, "memory_read", args{"slot": "notes", "entry": entry}); len(items(read["entries"])) != 1 {
				t.Errorf("entry %v: %v", entry, read)
			}
		}
		do(p, "memory_read", args{"slot": "notes"})
		do(p, "memory_list", args{})
		do(p, "memory_update", args{"slot": "notes", "priority": "2", "metadata": args{"contributors": []any{"Ann"}}})
		do(p, "memory_use", args{"slot": "notes"})
		do(p, "memory_summarize", args{"slot": "short", "text": "One is here. Two is there. Three is gone.", "ratio": 0.5})
		do(p, "memory_merge", args{"sources": []any{"notes", "more"}, "target": "both", "similarity": "0.9", "dryRun": "false"})
		do(p, "memory_compress", args{})
		do(p, "memory_compress", args{"slot": "both", "action": "compress", "force": true})
		do(p, "memory_archive", args{"slot": "more", "reason": "done"})
		do(p, "memory_list", args{"archived": true})
		do(p, "memory_restore", args{"slot": "more"})
		do(p, "memory_export", args{"slot": "notes", "format": "json"})
		w.save("../in.txt", "imported text")
		do(p, "memory_import", args{"source": "in.txt"})
		do(p, "memory_delete", args{"slot": "more", confirm: true})
		do(p, "search", args{"query": "Adyen"})
		do(p, "ask", args{"question": "What did we choose?"})
		do(p, "undo", args{"list": true})
		if noGit == nil {
			do(p, "history_get", args{})
			do(p, "plan_diff", args{})
		}
		do(p, "env_list", args{})
		do(p, "env_attach", args{"id": "app"})
		tools := do(p, "tool_list", args{})
		if s := inJSON(tools); !bytes.Contains(s, []byte(`"parametersSchema":{`)) {
			t.Errorf("tool_list: %s", s)
		}
		do(p, "file_list", args{"environment": "app", "path": "src"})
		do(p, "file_search", args{"environment": "app", "pattern": "return"})
		do(p, "file_read", args{"environment": "app", "path": "src/a.go"})
		do(p, "file_write", args{"environment": "app", "path": "b.md", "content": "b"})
		do(p, "file_edit", args{"environment": "app", "path": "src/a.go", "old": "return 2", "new": "return 1"})
		do(p, "file_delete", args{"environment": "app", "path": "b.md"})
		do(p, "tool_call", args{"environment": "app", "tool": "test", "arguments": "{}"})
		alone.try("file_write", args{"environment": "app", "path": "c.md", "content": "c"})
		list := inJSON(do(p, "approval_list", args{}))
		if !bytes.Contains(list, []byte(`"arguments":{`)) || !bytes.Contains(list, []byte(`"asked":1`)) {
			t.Errorf("approval_list: %s", list)
		}
		do(p, "access_request", args{"environment": "app", "reason": "r"})
		do(p, "env_register", args{"id": "notes", "uri": "file:src"})
		do(p, "env_restore", args{"id": "app"})
		do(p, "env_detach", args{"id": "app"})
		do(p, "session_end", args{"summary": "s"})
		do(p, "session_load", args{"workspaceId": planID, "name": "day"})
		do(p, "state_delete", args{"workspaceId": planID, "state": state})
		do(p, "env_remove", args{"id": "notes"})
		for _, o := range ops.All() {
			if o.Set != ops.SetPlan && !called[o.Name] && !(o.Git && noGit != nil) {
				t.Errorf("%s is not called", o.Name)
			}
		}
	}
}

// Values in other forms, as models send them, mean the obvious value. A refusal names the parameter and the item.
func TestOtherFormsMeanWhatTheySay(t *testing.T) {
	t.Parallel()
	w, _ := newPlace(t, "restricted", -1)
	p := w.connect(nil)
	p.do("workspace_update_rules", args{"workspaceId": planID, "action": "replace", "rules": []any{}})
	made := p.do("node_create", args{"workspaceId": planID, "parentId": "root", "type": "planning", "title": "Top", "docs": []any{"README.md"},
		"children": []any{"a", args{"title": "b", "requirement": "do it", "docs": "b.md", "children": `["c"]`}}})
	if len(items(made["children"])) != 2 {
		t.Fatalf("the children are %v", made["children"])
	}
	for title, want := range map[string]string{"Top": `"docs":[{"path":"README.md"}]`, "a": `"type":"execution"`, "b": `"requirement":"do it"`, "c": `"status":"pending"`} {
		if got := string(inJSON(p.do("node_get", args{"workspaceId": planID, "nodeId": title}))); !strings.Contains(got, want) {
			t.Errorf("%s is %s, want %s", title, got, want)
		}
	}
	list := p.do("node_list", args{"workspaceId": planID, "status": "pending", "limit": "2"})
	if list["shown"] != 2.0 || list["total"] != 4.0 {
		t.Errorf("node_list: %v", list)
	}
	for _, bad := range []struct {
		tool  string
		given args
		want  string
	}{
		{"node_create", args{"parentId": "root", "type": "planning", "title": "T", "children": []any{"a", true}}, "children[1] is true; an object is expected"},
		{"node_create", args{"parentId": "root", "type": "planning", "title": "T", "children": []any{args{"title": "a", "docs": []any{args{"path": "x", "description": 1e30}}}}}, "children[0].docs[0].description is 1e+30; a string is expected"},
		{"node_create", args{"parentId": "root", "type": "planning", "title": "T", "docs": []any{args{"pth": "x"}}}, `docs[0] has no member "pth"; the nearest known one is path`},
		{"node_create", args{"parentId": "root", "type": "planning", "title": "T", "docs": []any{"x", args{"description": "x"}}}, "docs[1].path is missing"},
		{"node_list", args{"limit": "many"}, `limit is "many"; a whole number is expected`},
		{"memory_summarize", args{"slot": "s", "text": "t", "ratio": []any{}}, "ratio is a list; a number is expected"},
		{"memory_save", args{"slot": "s", "text": "t", "metadata": "k=v"}, `metadata is "k=v"; an object is expected`},
	} {
		if text := textOf(p.try(bad.tool, bad.given)); !strings.Contains(text, bad.tool+": "+bad.want) {
			t.Errorf("%s %v: %s\nwant %s", bad.tool, bad.given, text, bad.want)
		}
	}
}

// A member that brief and verbose replies share has the same type in both: clients check replies by the one schema that
// the list of tools has.
func TestBriefAndVerboseRepliesShareNoNameForTwoThings(t *testing.T) {
	for _, o := range ops.All() {
		whole := map[string]*ops.Shape{}
		for _, m := range ops.ShapeOf(o.Out).Members {
			whole[m.Name] = m.Shape
		}
		for _, m := range ops.ShapeOf(o.Brief).Members {
			w := whole[m.Name]
			if w != nil && (w.Kind != m.Shape.Kind || w.Kind == ops.KindList && w.Item.Kind != m.Shape.Item.Kind) {
				t.Errorf("%s: %s is another thing in brief replies", o.Name, m.Name)
			}
		}
	}
}
