package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

// The first screen has few commands; all others are below five nouns or only in help all. Every command below a noun is
// in the table of nouns.
func TestTwoStoreys(t *testing.T) {
	root := newRoot(&shell{sys: &System{}})
	first, listed, leaves, aliases, pages := 0, 0, 0, 0, 0
	var count func(c *cobra.Command)
	count = func(c *cobra.Command) {
		pages, aliases = pages+1, aliases+len(c.Aliases)
		if !c.HasAvailableSubCommands() {
			leaves++
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				count(sub)
			}
		}
	}
	for _, g := range groups {
		for _, c := range g.in(root) {
			count(c)
			if listed++; g.first {
				first++
			}
		}
	}
	t.Logf("%d words first, %d at the top, %d leaves, %d aliases, %d pages", first, listed, leaves, aliases, pages)
	if first > 40 || listed > 60 || leaves > 120 || aliases > 10 {
		t.Errorf("the surface has grown: %d, %d, %d, %d", first, listed, leaves, aliases)
	}
	for _, n := range nouns {
		cmd, _, err := root.Find(strings.Fields(n.path))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cmd.Commands() {
			if !n.hidden && !slices.Contains(strings.Fields(n.verbs), c.Name()) {
				t.Errorf("%s is not in the table of nouns", c.CommandPath())
			}
		}
	}
	for part, whole := range within {
		a, okA := ops.Find(part)
		b, okB := ops.Find(whole)
		if !okA || !okB || !strings.HasPrefix(a.CommandLine(), b.CommandLine()) {
			t.Errorf("%s is %q, and part of %q", part, a.CommandLine(), b.CommandLine())
		}
	}
}
