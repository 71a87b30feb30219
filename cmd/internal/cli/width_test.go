package cli

import (
	"strings"
	"testing"

	"arbor/context/render"

	"github.com/spf13/cobra"
)

// The help of every command fits 80 columns, and narrower terminals too, except for examples, which are for copying.
func TestHelpFitsEightyColumns(t *testing.T) {
	w := newWorld(t)
	seen := 0
	each(newRoot(&shell{sys: &System{}}), func(c *cobra.Command) {
		seen++
		line := append(strings.Fields(c.CommandPath())[1:], "--help")
		fits(t, "arbor "+strings.Join(line, " "), w.ok(line...), 80)
	})
	if seen < 40 {
		t.Errorf("%d commands were seen", seen)
	}
}

// arbor alone fits a terminal of 24 rows and 80 columns, with a line left for the prompt.
func TestArborAloneFitsAScreen(t *testing.T) {
	w := newWorld(t)
	got := w.ok()
	fits(t, "arbor", got, 80)
	if rows := strings.Count(got, "\n"); rows > 23 {
		t.Errorf("arbor prints %d rows:\n%s", rows, got)
	}
}

// On a terminal, all output fits the columns and is wrapped at words; elsewhere it is not wrapped.
func TestEverythingFitsTheTerminal(t *testing.T) {
	w := newWorld(t)
	long := strings.TrimSpace(strings.Repeat("one two three four ", 20))
	w.ok("set", "node-c", "--note", long, "--requirement", "- "+long+"\n\n> "+long)
	w.ok("problem", "node-c", long)
	w.ok("rules", "add", long)
	w.ok("add", strings.Repeat("很长的标题 ", 20), "--parent", "Backend")
	lines := [][]string{
		{"show", "node-c"}, {"log", "node-c"}, {"problem", "node-c"}, {"rules"}, {"status"}, {"tree"}, {"list"}, {"context", "node-c"},
		{"start", "node-c"}, {"log", "node-c", long}, {"start", "node-e"}, {"start", "Sign"}, {"complete", "node-b", "-m", "x"}, {"ws", "show"},
		{"nosuch"}, {"tree", "--nosuch"}, {"start", "node-c", "a", long},
	}
	for _, columns := range []int{40, 72} {
		w.term = terminal{out: true, err: true, width: columns, errWidth: columns}
		w.env["NO_COLOR"] = "1"
		for _, line := range lines {
			stdout, stderr, _ := w.run(line...)
			fits(t, "arbor "+line[0], stdout+stderr, columns)
		}
	}
	w.term = terminal{}
	if got := w.ok("show", "node-c"); !strings.Contains(got, "\n"+long+"\n") {
		t.Errorf("what is piped is broken: %s", got)
	}
}

// fits checks that each line fits the columns. A line of a single word may be longer.
func fits(t *testing.T, what, text string, columns int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if got := render.Columns(line); got > columns && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("%s: a line has %d columns, more than %d: %q", what, got, columns, line)
		}
	}
}
