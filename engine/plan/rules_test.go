package plan_test

import (
	"slices"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// A change of the rules keeps every line of the section that is not about it, as people and merges leave them.
func TestRulesKeepOtherLines(t *testing.T) {
	const front = "---\nid: ws-a\nname: A\ngoal: g\nstatus: active\n---\n\n## Rules\n\n"
	for _, c := range []struct {
		name, before, do, after string
		rules                   []string
	}{
		{"twice", "- a\n- a\n\ntext\n\n* b\n", "remove a", "text\n\n* b\n", []string{"b"}},
		{"twice among other forms", "- a\n- a\n* other list\n  1. n\n\n> quote\n\n- [ ] task\n- `code`\n", "remove a",
			"* other list\n  1. n\n\n> quote\n\n- [ ] task\n- `code`\n", []string{"other list\n1. n", "[ ] task", "`code`"}},
		{"twice and asked for twice", "- a\n- b\n- a\n", "remove a,a", "- b\n", []string{"b"}},
		{"changed in its place", "- a\n* b\n\ntext\n\n- c\n", "change b,d", "- a\n* d\n\ntext\n\n- c\n", []string{"a", "d", "c"}},
		{"all", "- a\n- b\n\ntext\n", "remove b,a", "text\n", nil},
		{"the second goes", "- a\n- a\n\ntext\n\n* b\n", "replace a,b", "- a\n\ntext\n\n* b\n", []string{"a", "b"}},
		{"the last of a list above a paragraph", "- a\n- b\n- c\n\nafter\n", "remove c", "- a\n- b\n\nafter\n", []string{"a", "b"}},
		{"a shorter list above a paragraph", "- a\n- b\n- c\n\nafter\n", "replace x,y", "- x\n- y\n\nafter\n", []string{"x", "y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := enginetest.Plan("ws-a")
			p := mdstore.WorkspacePath("ws-a")
			files[p] = []byte(front + c.before)
			w := enginetest.New(t, files)
			do, rules, _ := strings.Cut(c.do, " ")
			op := plan.Rules{Do: plan.RulesAction(do), Rules: strings.Split(rules, ",")}
			got, _, err := engine.Apply(t.Context(), w.Engine, "ws-a", plan.Act{}, op)
			if err != nil || !slices.Equal(got, c.rules) {
				t.Errorf("%s of %q: %q, %v, want %q", c.do, c.before, got, err, c.rules)
			}
			_, after, _ := strings.Cut(string(w.Store.Files()[p]), "## Rules\n\n")
			if after != c.after {
				t.Errorf("%s of %q\n got %q\nwant %q", c.do, c.before, after, c.after)
			}
		})
	}
}
