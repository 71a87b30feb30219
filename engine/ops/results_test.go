package ops_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// readings are calls that only read, besides the samples of those that write.
var readings = map[string][]map[string]any{
	"workspace_list":   {{}, {"status": "archived"}},
	"workspace_load":   {{"workspaceId": ws}, {"id": "ws-arch", "limit": 1}, {"workspaceId": ws, "shape": "data"}},
	"workspace_get":    {{"workspaceId": ws}, {"workspaceId": "ws-arch"}},
	"workspace_status": {{"workspaceId": ws}, {"workspaceId": "ws-arch", "format": "markdown"}},
	"node_get":         {{"workspaceId": ws, "nodeId": "root"}, {"workspaceId": ws, "nodeId": "node-a"}},
	"node_list":        {{"workspaceId": ws}, {"workspaceId": ws, "status": []string{"failed"}}},
	"context_get":      {{"workspaceId": ws}, {"workspaceId": "ws-arch", "format": "markdown"}},
	"config_get":       {{}, {"key": "toolsets"}, {"workspaceId": ws, "key": "nothing"}},
	"session_list":     {{"workspaceId": ws}, {"workspaceId": "ws-arch", "active": true}},
	"transcript_read":  {{"workspaceId": ws, "sessionId": "session-1"}, {"workspaceId": ws, "sessionId": "session-0", "last": 1}},
	"state_list":       {{"workspaceId": ws}, {"workspaceId": ws, "query": "none"}},
	"state_load":       {{"workspaceId": ws, "state": "state-1", "continue": false}},
	"session_status":   {{"sessionId": "s1"}, {"sessionId": "none"}},
	"memory_read":      {{"workspaceId": ws, "slot": "notes"}, {"workspaceId": ws, "slot": "notes", "entry": "-1"}},
	"search":           {{"query": "login"}, {"query": "no such words"}},
	"ask":              {{"question": "Who can sign in?"}, {"question": "Where is the okapi?"}},
	"memory_compress":  {{"workspaceId": ws}, {"workspaceId": ws, "slot": "notes"}, {"workspaceId": ws, "slot": "packed", "action": "compress"}},
	"memory_list":      {{"workspaceId": ws}, {"query": "none"}, {"workspaceId": ws, "archived": true}, {"workspaceId": ws, "candidates": 30}},
}

func TestEveryResultHasAHintAndNoNullList(t *testing.T) {
	for _, o := range ops.WithoutGit() {
		calls := append(readings[o.Name], samples[o.Name]...)
		if len(calls) == 0 {
			t.Errorf("%s has no sample", o.Name)
		}
		for _, args := range calls {
			w := enginetest.New(t, plan())
			out, err := o.Call(t.Context(), &ops.Env{Engine: w.Engine}, enginetest.Args(args))
			if err != nil {
				t.Errorf("%s(%v): %v", o.Name, args, err)
				continue
			}
			v := reflect.ValueOf(out).Elem()
			if h := v.FieldByName("Hint"); h.String() == "" {
				t.Errorf("%s(%v) has no hint", o.Name, args)
			}
			nulls(t, o.Name, v)
		}
	}
}

func nulls(t *testing.T, at string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			nulls(t, at, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			nulls(t, fmt.Sprintf("%s[%d]", at, i), v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			tag := f.Tag.Get("json")
			if !f.IsExported() || tag == "-" {
				continue
			}
			if k := v.Field(i).Kind(); (k == reflect.Slice || k == reflect.Map) && v.Field(i).IsNil() && !strings.Contains(tag, "omit") {
				t.Errorf("%s.%s is null", at, tag)
			}
			nulls(t, at+"."+f.Name, v.Field(i))
		}
	}
}

// lone is a workspace of a root and one node that is being worked on.
func lone(rules, body string) map[mdstore.Path][]byte {
	return vault(rules, map[string][2]string{
		"root": {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"a":    {"title: A\ntype: execution\nstatus: implementing\nparentId: root", body},
	})
}

// Problems and next steps of every shape read back as the file has them, each part by itself.
func TestProblemsReadBackAsTheyStand(t *testing.T) {
	for _, c := range [][4]string{ // problem, next step, and as they read back
		{"p", "", "p", ""},
		{"p", "n", "p", "n"},
		{"# Big\n\ntext", "do it", "### Big\n\ntext", "do it"},
		{"```\ncode", "do it", "```\ncode\n```", "do it"},
		{"p", "# H", "p", "#### H"},
		{"p", "x\n\n### Next Step\n\ny", "p", "x\n\n#### Next Step\n\ny"},
		{"a\n\n### 下一步\n\nb", "", "a\n\n#### 下一步\n\nb", ""},
		{"a\n\n### Next Step\n\nb", "n", "a\n\n#### Next Step\n\nb", "n"},
		{"<div>", "n", "<div>", "n"},
	} {
		w := enginetest.New(t, lone("", ""))
		env := &ops.Env{Engine: w.Engine}
		args := map[string]any{"nodeId": "a", "problem": c[0], "nextStep": c[1]}
		out := must(t, env, "problem_update", args)
		if adapted := out["adapted"] != nil; adapted != (c[0] != c[2] || c[1] != c[3]) {
			t.Errorf("%q: adapted is %v", c[:2], out["adapted"])
		}
		got, err := ops.NodeGet(t.Context(), env, ops.NodeGetIn{NodeID: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if p := got.Node.Problem; p == nil || p.Text != c[2] || p.NextStep != c[3] {
			t.Errorf("problem %q with next step %q reads back as %+v, want %q", c[0], c[1], p, c[2:])
		}
		if again := must(t, env, "problem_update", args); again["changed"] != false {
			t.Errorf("%q a second time changes the file", c[:2])
		}
	}
}

// This holds for rules of every shape, in every operation that takes rules.
func TestTheRulesHashIsThatOfTheRulesAsTheyStand(t *testing.T) {
	for _, rule := range []string{"plain", " padded ", "two\nlines", "two\r\nlines", "```\nopen", "- x", "# h", "a  \nb", "规则：一", "1. x", "> q"} {
		w := enginetest.New(t, lone("", ""))
		env := &ops.Env{Engine: w.Engine}
		same := func(how string, hash any, id string) {
			t.Helper()
			s, err := w.View(t.Context(), mdstore.ID(id))
			if err != nil {
				t.Fatal(err)
			}
			if now := s.Workspace().RulesHash(); hash != now || s.Workspace().StoredHash != now {
				t.Errorf("%s %q: returned %v, stored %s, the rules as they stand have %s", how, rule, hash, s.Workspace().StoredHash, now)
			}
		}
		out := must(t, env, "workspace_init", map[string]any{"name": "n", "goal": "g", "rules": []string{rule, "y", rule}})
		same("init", out["rulesHash"], out["workspaceId"].(string))
		out = must(t, env, "workspace_update_rules", map[string]any{"workspaceId": ws, "action": "add", "rule": rule})
		same("add", out["rulesHash"], ws)
		out = must(t, env, "workspace_update_rules", map[string]any{"workspaceId": ws, "action": "remove", "rule": rule})
		same("remove", out["rulesHash"], ws)
	}
}

// Several of them may have one target, and one may have several lines.
func TestHandWrittenReferencesAreMarkedInPlace(t *testing.T) {
	list := "## References\n\n- docs/x.md: one\n- [two](docs/x.md)\n- docs/y.md: long\n  and longer\n- docs/z.md: gone (expired)\n  for a reason\n"
	for _, c := range []struct{ do, target, want string }{
		{"expire", "docs/x.md", "- docs/x.md: one (expired)\n- [two](docs/x.md) (expired)\n- docs/y.md: long\n  and longer\n- docs/z.md: gone (expired)\n  for a reason\n"},
		{"remove", "docs/x.md", "- docs/y.md: long\n  and longer\n- docs/z.md: gone (expired)\n  for a reason\n"},
		{"expire", "docs/y.md", "- docs/x.md: one\n- [two](docs/x.md)\n- docs/y.md: long (expired)\n  and longer\n- docs/z.md: gone (expired)\n  for a reason\n"},
		{"activate", "docs/z.md", "- docs/x.md: one\n- [two](docs/x.md)\n- docs/y.md: long\n  and longer\n- docs/z.md: gone\n  for a reason\n"},
	} {
		w := enginetest.New(t, lone("", list))
		env := &ops.Env{Engine: w.Engine}
		out := must(t, env, "node_reference", map[string]any{"nodeId": "a", "targetIdOrPath": c.target, "action": c.do})
		if got := string(w.Store.Files()[mdstore.NodePath(ws, "a")]); !strings.HasSuffix(got, "## References\n\n"+c.want) {
			t.Errorf("%s %s gives\n%s\nwant the list\n%s", c.do, c.target, got, c.want)
		}
		now, err := ops.NodeGet(t.Context(), env, ops.NodeGetIn{NodeID: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(out["references"].([]any)); got != len(now.Node.References) {
			t.Errorf("%s %s returns %d references, the file has %d", c.do, c.target, got, len(now.Node.References))
		}
	}
}
