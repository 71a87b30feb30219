package ops_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
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
			if changed, writes := want["changed"]; writes && got["changed"] != changed {
				t.Errorf("%s(%v): changed is %v", o.Name, args, got["changed"])
			}
			if missing := lacks(want, got); missing != "" {
				t.Errorf("%s(%v): %s differs\n%s\n%s", o.Name, args, missing, whole.Data, brief.Data)
			}
		}
	}
}

// lacks names a member of a value that its brief form lacks or has otherwise, "" for none.
func lacks(whole, brief any) string {
	switch whole := whole.(type) {
	case map[string]any:
		short, _ := brief.(map[string]any)
		for name, v := range whole {
			if name == "id" && short["goal"] != nil && short[name] == nil { // the workspace of a context, which the caller knows
				continue
			}
			if name == "files" || name == "path" && short["path"] == nil || name == "filesHidden" || name == "file" {
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
	if empty := whole == nil || reflect.ValueOf(whole).IsZero(); empty && brief == nil || whole == brief {
		return ""
	}
	return "a value"
}
