package cli

import (
	"encoding/json"
	"slices"
	"testing"
)

// The output of arbor rules, given to arbor rules set, makes the same rules.
func TestRulesAsTheyArePrinted(t *testing.T) {
	w := newWorld(t)
	for _, rules := range [][]string{{"Tests first"}, {"Tests first", "中文 too", "- a mark", "rules hash 12d445fd", "  blanks  around"}, {"two\nlines", "three\n\n  of\nthem", "one"}} {
		w.stdin = ""
		w.ok("rules", "set", "-")
		w.ok(append([]string{"rules", "add", "--"}, rules...)...)
		before := w.store.Files()["ws-a/Workspace.md"]
		for _, flags := range [][]string{{}, {"--no-color"}} {
			w.stdin = w.ok(append(flags, "rules")...)
			w.ok("rules", "set", "-")
			if after := w.store.Files()["ws-a/Workspace.md"]; string(after) != string(before) {
				t.Errorf("given back %q\nthe file is\n%s\nand was\n%s", w.stdin, after, before)
			}
		}
	}
}

// A file has one rule per line, or one per item of a list.
func TestRulesOfAFile(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                     {},
		"\n \n":                                {},
		"Tests first\nNo new dependencies":     {"Tests first", "No new dependencies"},
		"  Tests first\r\n\t No dependencies ": {"Tests first", "No dependencies"},
		"- Tests first\n- Small files\n\nrules hash 12d445fd": {"Tests first", "Small files"},
		"- Tests first\n  and last\nOne\n  Two":               {"Tests first\nand last", "One", "Two"},
		"- Tests first\n\n  and last\n\n- One":                {"Tests first\n\nand last", "One"},
		"rules hash is asked for":                             {"rules hash is asked for"},
	} {
		if got := rulesOf(text); !slices.Equal(got, want) {
			t.Errorf("rulesOf(%q)\n got %q\nwant %q", text, got, want)
		}
	}
}

// If no rules are left, the hint does not ask for a hash.
func TestNoRulesAreLeft(t *testing.T) {
	w := newWorld(t)
	hint := func(args ...string) string {
		var out struct{ Hint string }
		if err := json.Unmarshal([]byte(w.ok(append(args, "--json")...)), &out); err != nil {
			t.Fatal(err)
		}
		return out.Hint
	}
	contains(t, "with one", hint("rules", "add", "Tests first"), "is shown them once")
	contains(t, "with one more", hint("rules", "add", "Small files", "--as", "AI"), "needs the new --rules-hash")
	contains(t, "with none", hint("rules", "set", "-F", "/dev/null"), "without --rules-hash")
	w.ok("add", "T", "-m", "r")
}
