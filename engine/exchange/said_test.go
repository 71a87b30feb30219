package exchange

import (
	"slices"
	"strings"
	"testing"
)

// What an import cannot take as it is, it says.
func TestImportsSayWhatTheyChange(t *testing.T) {
	for _, c := range []struct {
		kind, text string
		items      int
		left       string
	}{
		{"github", `[{"number": 0, "title": "A"}, {"number": "x", "title": "B"}, {"number": 3, "title": "C"}]`, 1,
			"its number is no number of an issue"},
		{"github", `[{"number": 3, "title": "C", "labels": [{"name": "good first issue"}]}]`, 1,
			"1 tag(s) of several words, which hyphens join"},
		{"obsidian-tasks", "- [ ] a\n\n> - [ ] b\n> > 1. [x] c\n\n```\n> - [ ] d\n```\n", 1,
			"2 task box(es) in quotes, which are no tasks"},
		{"obsidian-tasks", "- [ ] a 🆔 x\n- [ ] b 🆔 x\n- [ ] c ⛔ x\n", 3, "f:2: x is the id of another item, too"},
		{"todotxt", "a id:x\nb id:x\n", 2, "f:2: x is the id of another item, too"},
		{"markdown", "- a\n%%\n- [ ] hidden\n%%\n", 1, "1 comment(s)"},
	} {
		read, err := Read(Source{Name: "f", Read: func(string) ([]byte, error) { return []byte(c.text), nil }}, c.kind)
		if err != nil {
			t.Errorf("%s: %v", c.kind, err)
			continue
		}
		says := func(line string) bool { return strings.Contains(line, c.left) }
		if len(read.Items) != c.items || !slices.ContainsFunc(read.Left, says) {
			t.Errorf("%s: %d items; said %q, want %q", c.text, len(read.Items), read.Left, c.left)
		}
	}
}
