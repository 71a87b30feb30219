package ops_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// A brief reply is the whole one without what is empty, and without what only a call with verbose brings.
func TestABriefReplyIsTheWholeOneWithoutWhatIsEmpty(t *testing.T) {
	for _, o := range ops.All() {
		for _, args := range append(readings[o.Name], samples[o.Name]...) {
			w := enginetest.New(t, plan())
			env := &ops.Env{Engine: w.Engine}
			out, err := o.Call(t.Context(), env, enginetest.Args(args))
			if err != nil {
				t.Fatalf("%s(%v): %v", o.Name, args, err)
			}
			whole, err := env.ReplyOf(out)
			if err != nil {
				t.Fatal(err)
			}
			brief, err := (&ops.Env{Engine: w.Engine, Detail: ops.DetailBrief}).ReplyOf(out)
			if err != nil {
				t.Fatal(err)
			}
			var want, got map[string]any
			if json.Unmarshal(whole.Data, &want) != nil || json.Unmarshal(brief.Data, &got) != nil {
				t.Fatalf("%s(%v): %s", o.Name, args, brief.Data)
			}
			if o.Brief != o.Out { // lists as lines, see TestBriefListsNameEachItem
				continue
			}
			want["hint"] = shortID.ReplaceAllString(want["hint"].(string), "$1")
			if changed, writes := want["changed"]; writes && (got["changed"] == nil) != (changed == true) {
				t.Errorf("%s(%v): changed is %v", o.Name, args, got["changed"])
			}
			delete(want, "changed")
			delete(got, "changed")
			delete(got, "success") // of a reply that has nothing else
			if missing := lacks(want, got); missing != "" {
				t.Errorf("%s(%v): %s differs\n%s\n%s", o.Name, args, missing, whole.Data, brief.Data)
			}
		}
	}
}

// The lines of a brief list name each item, and a reader of it knows the titles.
func TestBriefListsNameEachItem(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine, Session: "s1", Detail: ops.DetailBrief}
	do := func(name string, args map[string]any) (out any, text string) {
		t.Helper()
		o, _ := ops.Find(name)
		out, err := o.Call(t.Context(), env, enginetest.Args(args))
		if err != nil {
			t.Fatal(err)
		}
		r, err := env.ReplyOf(out)
		if err != nil {
			t.Fatal(err)
		}
		env.Sent(t.Context(), out, r)
		return out, string(r.Data)
	}
	made, text := do("node_create", map[string]any{"parentId": "node-p", "type": "execution", "title": "New", "rulesHash": hash})
	id := mdstore.ID(made.(*ops.NodeCreateOut).NodeID)
	if !strings.Contains(text, `"nodeId":"`+id.Short()+`"`) || strings.Contains(text, string(id)) {
		t.Errorf("the new node is named in %s", text)
	}
	do("memory_save", map[string]any{"slot": "ideas", "text": "t", "tags": []string{"x"}, "workspaceId": ws})
	for name, want := range map[string][]string{
		"node_list":        {`"root planning planning Login`, ` node-p planning monitoring P`, `  ` + id.Short() + ` execution pending New"`},
		"node_next":        {`"next":["`, ` execution pending `, ` · can start, drop"`},
		"workspace_status": {`"progress":"1 of `, `"nodes":["root planning Login`, `  ` + id.Short() + ` pending New"`},
		"memory_list":      {`"ideas · `, ` · 1 entry`, `"tagged":["`},
	} {
		if _, text := do(name, nil); slices.ContainsFunc(want, func(s string) bool { return !strings.Contains(text, s) }) {
			t.Errorf("%s: %s\nlacks one of %q", name, text, want)
		}
	}
}

// verbose are members that only a verbose reply has, or few brief ones.
var verbose = []string{"files", "filesHidden", "path", "file", "success", "version", "previousStatus", "timestamp"}

var shortID = regexp.MustCompile(`\bnode-[0-9a-z]{8}-([0-9a-z]{6})\b`)

// lacks names a member of a value that its brief form lacks or has otherwise, "" for none.
func lacks(whole, brief any) string {
	switch whole := whole.(type) {
	case map[string]any:
		short, _ := brief.(map[string]any)
		for name, v := range whole {
			if name == "id" && short["goal"] != nil && short[name] == nil { // the workspace of a context, which the caller knows
				continue
			}
			if short[name] == nil && slices.Contains(verbose, name) {
				continue
			}
			if at := lacks(v, short[name]); at != "" {
				return name + "." + at
			}
		}
		if len(short) > len(whole) {
			return "what is too much"
		}
		return ""
	case []any:
		short, _ := brief.([]any)
		if len(short) != len(whole) {
			return "a list"
		}
		for i := range whole {
			if at := lacks(whole[i], short[i]); at != "" {
				return at
			}
		}
		return ""
	}
	if id, is := whole.(string); is && shortID.ReplaceAllString(id, "$1") == brief {
		return ""
	}
	if empty := whole == nil || reflect.ValueOf(whole).IsZero(); empty && brief == nil || whole == brief {
		return ""
	}
	return "a value"
}
