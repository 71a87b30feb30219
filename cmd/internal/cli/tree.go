package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

// A group is a heading of the top-level help with its commands in the order of a day's work.
type group struct{ id, title, commands string }

const (
	groupAll       = "all"
	groupFrontEnds = "frontends"
	groupCare      = "care"
)

var groups = []group{
	{"see", "See where the work stands", "status tree list show context next changes watch"},
	{"plan", "Plan it", "init add rules docs ref isolate"},
	{"do", "Do it", "start submit complete fail retry reopen cancel focus log problem"},
	{groupAll, "Everything, by noun and verb", "ws node session"},
	{groupFrontEnds, "Serve and exchange", "import"},
	{groupCare, "Take care of the vault", "check where version"},
}

// hidden are verbs below a noun that other programs have at the top. They work there too.
var hidden = []string{"node move", "node delete", "node update"}

// addCommands adds every command below root. An operation is where its help says; what no group names comes with the
// nouns.
func addCommands(sh *shell, root *cobra.Command) {
	var top []*cobra.Command
	byName := map[string]*cobra.Command{}
	add := func(all ...*cobra.Command) {
		for _, c := range all {
			byName[c.Name()] = c
		}
		top = append(top, all...)
	}
	for _, v := range verbs {
		add(sh.command(transitionCommand(sh, v)))
	}
	add(sh.command(treeCommand(sh)), newWatch(sh), newWorkspaces(sh), newNodes(sh), newSession(sh), newImport(sh),
		newWhere(sh), newVersion(sh)) // commands that are not the command of an operation
	for _, o := range ops.All() {
		path, words := splitUse(o.Use)
		if strings.HasPrefix(words, "--") {
			continue // a flag of another operation's command
		}
		for _, place := range []string{path, o.Also} {
			noun, _, below := strings.Cut(place, " ")
			switch {
			case place == "":
			case below:
				byName[noun].AddCommand(operationCommand(sh, o, place))
			default:
				add(operationCommand(sh, o, place))
			}
			if slices.Contains(hidden, place) {
				c := operationCommand(sh, o, place)
				c.Hidden = true
				root.AddCommand(c)
			}
		}
	}
	byName["node"].AddCommand(sh.command(treeCommand(sh)))
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, name := range strings.Fields(g.commands) {
			byName[name].GroupID = g.id
			root.AddCommand(byName[name])
		}
	}
	for _, c := range top {
		if c.GroupID == "" {
			c.GroupID = groupAll
			root.AddCommand(c)
		}
	}
}
