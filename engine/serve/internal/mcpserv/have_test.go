package mcpserv

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
)

// Unchanged parts that the caller has are returned as ids only. Rules, goal and the node's requirement are always
// returned, and without the parameter have, everything is.
func TestContextsLeaveOutWhatTheCallerHas(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{})
	l.do("workspace_init", args{"name": "N", "goal": "the goal", "rules": []any{"a rule"}})
	hash := l.do("workspace_get", nil)["workspace"].(args)["rulesHash"]
	create := func(parent any, kind, title string) any {
		return l.do("node_create", args{"parentId": parent, "type": kind, "title": title, "rulesHash": hash,
			"requirement": "requirement of " + title})["nodeId"]
	}
	p := create("root", "planning", "P")
	a, b := create(p, "execution", "A"), create(p, "execution", "B")
	l.do("node_transition", args{"nodeId": a, "action": "start"})
	l.do("node_transition", args{"nodeId": a, "action": "complete", "conclusion": "conclusion of A"})
	l.do("node_update", args{"nodeId": b, "dependencies": []any{a}})

	context := func(more args) (text string, have []any) {
		t.Helper()
		given := args{"nodeId": b}
		for k, v := range more {
			given[k] = v
		}
		out := l.do("context_get", given)
		return fmt.Sprint(out), items(out["have"])
	}
	if text, have := context(nil); have != nil || !strings.Contains(text, "requirement of P") {
		t.Errorf("unasked: %s", text)
	}
	_, have := context(args{"have": []any{}})
	if len(have) != 5 || !strings.HasPrefix(have[0].(string), "workspace@") {
		t.Fatalf("the versions are %v", have)
	}
	always := []string{"the goal", "a rule", "requirement of B", "title:B"}
	left := []string{"requirement of P", "conclusion of A", "rulesHash"}
	check := func(what, text string, there ...string) {
		t.Helper()
		for _, s := range append(slices.Clone(always), left...) {
			want := slices.Contains(always, s) || slices.Contains(there, s)
			if strings.Contains(text, s) != want {
				t.Errorf("%s: that it has %q is not %t: %s", what, s, want, text)
			}
		}
	}
	text, again := context(args{"have": have})
	if check("unchanged", text); again != nil {
		t.Errorf("known versions are listed again: %v", again)
	}
	short := fmt.Sprint(p)
	whole := l.do("node_get", args{"nodeId": p, "verbose": true})["node"].(args)["id"].(string)
	if mdstore.ID(whole).Short() != short {
		t.Errorf("%s is named %s", whole, short)
	}
	text, _ = context(args{"have": []any{strings.Replace(have[2].(string), short, whole, 1)}})
	check("a whole id", text, "conclusion of A", "rulesHash")
	l.do("node_update", args{"nodeId": p, "note": "a note"})
	text, again = context(args{"have": have})
	if check("changed", text, "requirement of P"); len(again) != 1 {
		t.Errorf("the new versions are %v", again)
	}
	// A part that the budget cuts has no version, since the caller does not have it.
	_, all := context(args{"have": []any{}})
	text, some := context(args{"have": []any{}, "budget": 150})
	if !strings.Contains(text, "conclusion of A") && slices.ContainsFunc(some, func(v any) bool {
		return strings.HasPrefix(v.(string), fmt.Sprint(a)+"@")
	}) || len(some) >= len(all) {
		t.Errorf("with a budget: %v of %v in %s", some, all, text)
	}
	if s := l.call("context_get", `{"have":[],"format":"markdown"}`); !s.wrong {
		t.Errorf("have with Markdown: %s", s.text)
	}
	out := l.do("node_transition", args{"nodeId": b, "action": "start", "context": true, "have": have})
	if text := fmt.Sprint(out["context"]); strings.Contains(text, "conclusion of A") || !strings.Contains(text, "requirement of B") {
		t.Errorf("node_transition: %s", text)
	}
}
