package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/context/render"
)

// The help of each command has a line, a paragraph and an example that parses.
func TestEveryCommandTeaches(t *testing.T) {
	n := 0
	each(newRoot(&shell{sys: &System{}}), func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" || c.HasParent() && c.Parent().Name() == "completion" {
			return
		}
		n++
		for what, s := range map[string]string{"a summary": c.Short, "a paragraph": c.Long, "an example": c.Example} {
			if s == "" {
				t.Errorf("%s has no %s", c.CommandPath(), strings.TrimPrefix(strings.TrimPrefix(what, "a "), "an "))
			}
		}
		if strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: the summary %q ends in a full stop", c.CommandPath(), c.Short)
		}
		for line := range strings.Lines(c.Long) {
			if w := render.Columns(strings.TrimSuffix(line, "\n")); w > 84 {
				t.Errorf("%s: a line of its help takes %d columns: %q", c.CommandPath(), w, line)
			}
		}
	})
	if n < 40 {
		t.Errorf("%d commands were found", n)
	}
}

func each(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		each(sub, f)
	}
}

// Every flag with a value names the value by its meaning, not by a Go type.
func TestEveryFlagNamesItsValue(t *testing.T) {
	n := 0
	each(newRoot(&shell{sys: &System{}}), func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			n++
			value, _ := pflag.UnquoteUsage(f)
			named := value != strings.ToLower(value) || strings.Contains(value, "|")
			if named == strings.HasPrefix(f.Value.Type(), "bool") {
				t.Errorf("%s --%s: the value is called %q", c.CommandPath(), f.Name, value)
			}
		})
	})
	if n < 200 {
		t.Errorf("%d flags were found", n)
	}
}
