package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

// For another program's word, the error suggests the command that does the same, not one that is only spelled alike.
func TestAWordOfAnotherProgram(t *testing.T) {
	w := newWorld(t)
	for line, want := range map[string]string{
		"finish x": "arbor complete NODE -m", "delete x": "arbor rm NODE", "config": "arbor admin config",
		"where": "arbor admin where", "state": "arbor session state", "run test": "arbor env run", "approve x": "arbor env approve",
		"createSession": "arbor session start", "memcord_save": "arbor memory save", "memoryManager_loadWorkspace": "arbor ws load",
		"node_create": "arbor add", "workspace_get": "arbor ws show", "transcript": "arbor session transcript",
		"memory delete x": "arbor memory rm", "memory read": "arbor memory show", "ws update": "arbor ws set", "ws create x": "arbor init NAME", "env remove x": "arbor env rm",
		"session state delete x": "arbor session state rm", "ws rules remove x": "arbor ws rules rm", "save": "arbor session state save, or arbor memory save",
		"ready": "arbor next", "blocked": "arbor problem", "memory lst": "arbor memory list", "env attach-pwd": "arbor env attach",
	} {
		contains(t, "arbor "+line, w.fails(exitInvalid, strings.Fields(line)...), "did you mean "+want)
	}
	for _, line := range []string{"zzz", "memory zzz", "frobnicate"} {
		if got := w.fails(exitInvalid, strings.Fields(line)...); strings.Contains(got, "did you mean") {
			t.Errorf("arbor %s says %q", line, got)
		}
	}
}

// The error for a flag of another program suggests the flag or query to use here.
func TestAFlagOfAnotherProgram(t *testing.T) {
	w := newWorld(t)
	for line, want := range map[string]string{
		"list --overdue": "--where 'is:overdue'", "list --assignee x": "--where 'assignee:VALUE'", "list --tag x": "--where 'tag:VALUE'",
		"tree --mine": "--where 'assignee:mine'", "list --sort-by x": "--sort", "stats --owner x": "--where 'assignee:VALUE'",
		"add x --depends y": "--dependencies", "add x --owner y": "--assignee", "add x --desc y": "--message",
		"complete x --conclusion y": "--message", "set x --label y": "--tags", "search --assignee x y": "arbor search 'assignee:VALUE'",
		"next --assignee x": "arbor list --where 'is:ready assignee:VALUE'", "next --who x": "arbor list --where 'is:ready assignee:VALUE'",
		"list --who x": "--where 'assignee:VALUE'", "set x --who y": "--assignee", "search --owner x y": "arbor search 'assignee:VALUE'",
		"set x --status done": "arbor start NODE, arbor complete NODE or arbor drop NODE", "set x --parent y": "arbor mv NODE PARENT",
		"export --format csv": "arbor export FORMAT", "show --format json": "--json", "list --csv": "arbor export csv",
		"next --where x": "arbor list --where 'is:ready QUERY'",
	} {
		contains(t, "arbor "+line, w.fails(exitInvalid, strings.Fields(line)...), "did you mean "+want+"?")
	}
	for _, m := range flagMeanings { // a flag of some command
		found := m.flag == strings.ToUpper(m.flag)
		var look func(cmd *cobra.Command)
		look = func(cmd *cobra.Command) {
			found = found || cmd.Flags().Lookup(m.flag) != nil
			for _, sub := range cmd.Commands() {
				look(sub)
			}
		}
		if look(newRoot(&shell{sys: &System{}})); !found {
			t.Errorf("no command has --%s", m.flag)
		}
	}
}

// Each command that the tables name exists, and none of their words is a command.
func TestWhatIsMeantExists(t *testing.T) {
	root := newRoot(&shell{sys: &System{More: []Command{{Use: "serve"}}}})
	named := func(line string) (*cobra.Command, bool) {
		words := strings.Fields(line)
		words = words[:slices.IndexFunc(append(words, "A"), func(w string) bool { return w[0] < 'a' || w[0] > 'z' })]
		cmd, rest, err := root.Find(words)
		return cmd, err == nil && len(rest) == 0 && cmd != root
	}
	seen := map[string]bool{}
	for _, m := range meanings {
		if _, ok := named(m.command); !ok {
			t.Errorf("arbor %s does not exist", m.command)
		}
		for _, word := range strings.Fields(m.words) {
			if _, is := named(word); is || seen[word] {
				t.Errorf("%s is a command, or stands twice", word)
			}
			seen[word] = true
		}
	}
	for _, name := range []string{"createSession", "memcord_read", "list-tasks", "memoryManager_createState"} {
		if _, ok := ops.Peer(name); !ok {
			t.Errorf("%s is not known", name)
		}
	}
}
