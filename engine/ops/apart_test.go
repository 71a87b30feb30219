package ops_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// A caller with an identifier gets nothing of a workspace that was created for another one, and changes nothing there,
// by no operation: neither where it names the workspace, nor the other's session, nor nothing.
func TestIdentifiersKeepApart(t *testing.T) {
	const secret = "sesame"
	files := enginetest.Plan("ws-own", "n1")
	w := enginetest.New(t, files)
	phone := &ops.Env{Engine: w.Engine, Names: ops.NamesLoose, Where: ops.Where{Identifier: "phone", Own: "phone"}}
	theirs := resolve(t, phone, "phone")["workspaceId"].(string)
	node := must(t, phone, "node_create", map[string]any{"parentId": "root", "type": "execution", "title": secret,
		"requirement": secret})["nodeId"]
	must(t, phone, "session_start", map[string]any{"name": secret, "sessionId": "theirs"})
	must(t, phone, "session_bind", map[string]any{"sessionId": "bound", "nodeId": node})
	must(t, phone, "state_save", map[string]any{"name": secret, "activeTask": secret, "nextSteps": []any{secret}})
	must(t, phone, "transcript_append", map[string]any{"role": "user", "text": secret})
	must(t, phone, "memory_save", map[string]any{"slot": secret, "text": secret})
	must(t, phone, "node_delete", map[string]any{"nodeId": node})
	of := func() map[mdstore.Path]string {
		out := map[mdstore.Path]string{}
		for p, data := range w.Store.Files() {
			if p.Under(mdstore.Path(theirs)) {
				out[p] = string(data)
			}
		}
		return out
	}
	before := of()
	named := map[string]any{"workspaceId": theirs, "sessionId": "theirs", "slot": secret, "state": secret, "id": theirs,
		"identifier": "phone", "nodeId": node, "operation": "1", "query": secret}
	tries := [][]string{nil, {"workspaceId"}, {"sessionId"}, {"id"}, {"workspaceId", "sessionId"}}
	for _, o := range ops.All() {
		if o.Set == ops.SetEnvironments || o.Name == "undo" { // an undo names what the caller did with these words
			continue
		}
		for _, try := range tries {
			args := map[string]any{}
			for _, p := range o.Params() {
				switch {
				case p.Required && named[p.Name] != nil:
					args[p.Name] = named[p.Name]
				case p.Required && len(p.Enum) > 0:
					args[p.Name] = p.Enum[0]
				case p.Required && p.Type.Kind() == reflect.String:
					args[p.Name] = "x"
				}
				for _, name := range try {
					if name == p.Name {
						args[name] = named[name]
					}
				}
			}
			watch := &ops.Env{Engine: w.Engine, Names: ops.NamesLoose, Session: "mcp-watch", Connection: "mcp-watch",
				Follows: true, Where: ops.Where{Identifier: "watch", Own: "watch"}}
			out, err := o.Call(tctx, watch, enginetest.Args(args))
			told, jerr := json.Marshal(out)
			if jerr != nil {
				t.Fatal(jerr)
			}
			text := fmt.Sprint(string(told), err)
			for _, given := range args { // a reply may repeat what the call says
				if given != "x" {
					text = strings.ReplaceAll(text, fmt.Sprint(given), "")
				}
			}
			if strings.Contains(text, secret) || strings.Contains(text, theirs) {
				t.Errorf("%s(%v) tells %s", o.Name, args, text)
			}
			if d := fmt.Sprint(of()); d != fmt.Sprint(before) {
				t.Fatalf("%s(%v) changes the other's workspace", o.Name, args)
			}
		}
	}
	all := &ops.Env{Engine: w.Engine, Where: ops.Where{Identifier: "watch", Own: "watch", All: true}}
	must(t, all, "workspace_get", map[string]any{"workspaceId": theirs})
	must(t, &ops.Env{Engine: w.Engine}, "workspace_get", map[string]any{"workspaceId": theirs})
}

// An undo of a caller with an identifier takes back, and lists, nothing that was done in another one's workspace.
func TestAnUndoKeepsIdentifiersApart(t *testing.T) {
	e := enginetest.Open(t, enginetest.OpenDir(t, enginetest.Place(t, plan())))
	as := func(identifier string) *ops.Env {
		return &ops.Env{Engine: e, Where: ops.Where{Identifier: identifier, Own: identifier}}
	}
	say := map[string]any{"role": "user", "text": "hello"}
	must(t, as("watch"), "transcript_append", say)
	must(t, as("watch"), "transcript_append", say)
	must(t, as("phone"), "transcript_append", say)
	if listed := must(t, as("watch"), "undo", map[string]any{"list": true})["operations"].([]any); len(listed) != 2 {
		t.Errorf("its messages are listed: %v", listed)
	}
	must(t, as("watch"), "undo", nil)
	count := func(env *ops.Env) int { return len(must(t, env, "transcript_read", nil)["messages"].([]any)) }
	if mine, theirs := count(as("watch")), count(as("phone")); mine != 1 || theirs != 1 {
		t.Errorf("after an undo it has %d messages, and the other %d", mine, theirs)
	}
}
