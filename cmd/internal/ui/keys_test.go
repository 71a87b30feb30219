package ui

import (
	"os"
	"strings"
	"testing"
)

// Keys that the page in the browser has too do the same here, in the same words: in the help of the terminal, in
// docs/terminal.md and in docs/page.md.
func TestKeysOfThePage(t *testing.T) {
	rows := func(page string) (all []string) {
		text, err := os.ReadFile("../../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		_, keys, found := strings.Cut(string(text), "| key | action |")
		if !found {
			t.Fatalf("%s has no table of keys", page)
		}
		keys, _, _ = strings.Cut(strings.TrimSpace(keys), "\n\n")
		return strings.Split(keys, "\n")
	}
	says := func(all []string, key, words string) bool {
		for _, row := range all {
			keys, action, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
			named := true
			for k := range strings.FieldsSeq(key) {
				named = named && strings.Contains(keys, "`"+k+"`")
			}
			if named && strings.Contains(action, words) {
				return true
			}
		}
		return false
	}
	page, terminal := rows("page.md"), rows("terminal.md")
	for _, tt := range []struct{ keys, tea, words string }{
		{"↓", "down", "go to the next"},
		{"↑", "up", "previous node"},
		{"→", "right", "expand"},
		{"←", "left", "collapse"},
		{"Space", "space", "open the node"},
		{"Enter", "enter", "after"},
		{"n", "n", "add a node below"},
		{"F2", "f2", "rename"},
		{"Delete", "delete", "delete"},
		{"s", "s", "start"},
		{"c", "c", "complete"},
		{"f", "f", "fail"},
		{"x", "x", "choose"},
		{"Alt", "alt+up", "move the node"},
		{"Ctrl Z", "ctrl+z", "undo your last operation on this"},
		{"?", "?", "show these keys"},
	} {
		if !says(page, tt.keys, tt.words) || !says(terminal, tt.keys, tt.words) {
			t.Errorf("%s: %q is not said of it in docs/page.md and docs/terminal.md", tt.keys, tt.words)
		}
		bound := false
		for _, b := range bindings() {
			for k := range strings.FieldsSeq(b.keys) {
				bound = bound || k == tt.tea && strings.Contains(b.help, tt.words)
			}
		}
		if !bound {
			t.Errorf("%s: ? in the terminal does not say %q of it", tt.tea, tt.words)
		}
	}
}
