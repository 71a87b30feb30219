package door

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"arbor/engine/errs"
	"arbor/engine/internal/people"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// sqlTexts are texts that would mean something in a statement, a pattern or a path, or that PostgreSQL takes in no
// text.
var sqlTexts = []string{"x'; DROP SCHEMA arbor CASCADE; --", "$1 SCHEMA.files \\' %_", "a\x00b", "é\nñ\u202e", "../.git/config",
	strings.Repeat("long ", 1000)}

// Every text of every operation reaches the database as a text: the server refuses no statement, and the plan is whole.
func TestTextsReachTheDatabaseAsTexts(t *testing.T) {
	w := newWorldOver(t, "postgres")
	ws := w.do("workspace_list", `{}`).(*ops.WorkspaceListOut).Workspaces[0].ID
	log := func() string {
		data, _ := json.Marshal(w.do("node_get", `{"nodeId": "Task", "workspaceId": "`+ws+`"}`))
		return string(data)
	}
	before := log()
	env := &ops.Env{Engine: w.engine, Operator: mdstore.OperatorHuman, Caller: ops.ByPerson, Names: ops.NamesLoose,
		Who: &people.Who{Person: "bob", ID: "b", Token: "t", Right: people.Work}}
	calls := 0
	for _, o := range slices.Concat(ops.All(), ops.Commands()) {
		if r := o.Right(); r != people.Read && r != people.Work || o.Name == "undo" {
			continue
		}
		for _, p := range o.Params() {
			list := p.Type.Kind() == reflect.Slice && p.Type.Elem().Kind() == reflect.String
			if p.Type.Kind() != reflect.String && !list {
				continue
			}
			for _, text := range sqlTexts {
				args := map[string]any{}
				_ = json.Unmarshal([]byte(given(o)), &args)
				if args["nodeId"] == "x" {
					args["nodeId"] = "root"
				}
				if args[p.Name] = text; list {
					args[p.Name] = []string{text}
				}
				data, _ := json.Marshal(args)
				calls++
				if _, err := o.Call(t.Context(), env, data); err != nil {
					if e := errs.As(err); e.Class() == errs.Internal || e.Code == errs.DiskError || strings.Contains(e.Message, "SQLSTATE") {
						t.Errorf("%s with %s %.30q: %s %.300s", o.Name, p.Name, text, e.Code, e.Message)
					}
				}
			}
		}
	}
	if after := log(); after != before || calls < 500 {
		t.Errorf("after %d calls the node is %s, before %s", calls, after, before)
	}
	w.do("people_add", `{"name": "ann"}`) // the vault can still be written
}

// A program says itself what it is called. What is kept of that is short, so that it cannot fill the file of all sessions.
func TestTheNameOfAProgramIsCut(t *testing.T) {
	for _, store := range []string{"folder", "postgres"} {
		w := newWorldOver(t, store)
		env := &ops.Env{Engine: w.engine, Operator: mdstore.OperatorAI, Caller: ops.ByAssistant, Names: ops.NamesLoose,
			Client: strings.Repeat("节\x00\n", 1<<16)}
		start, _ := ops.Find("session_start")
		for range 5 {
			if _, err := start.Call(t.Context(), env, json.RawMessage(`{}`)); err != nil {
				t.Fatalf("%s: %v", store, err)
			}
		}
		if data, err := w.store.ReadLocal(t.Context(), "sessions.json"); err != nil || len(data) > 10_000 {
			t.Errorf("%s: %d bytes are kept, %v", store, len(data), err)
		}
	}
}
