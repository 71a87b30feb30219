package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

// A group is a heading of the list of commands, with its commands in order.
type group struct {
	title, commands string
	first           bool // arbor without arguments lists it
}

// groups are the commands at the top that help lists. All other commands at the top work, but are not listed.
var groups = []group{
	{"Plan", "init add set edit mv rm restore undo", true},
	{"Work", "start complete drop reopen log problem tick", true},
	{"Look", "status list show tree context next search graph", true},
	{"Vault", "use import export sync check serve ui", true},
	{"More, by noun", "session memory env ws admin", true},
	{"Further verbs", "submit retry fail cancel focus isolate ref history diff blame changes watch conflicts stats " +
		"adopt prime ask", false},
	{"Connect an assistant or editor", "setup mcp lsp", false},
}

// A noun is a command that has others below it. Without a verb it lists its things, or prints its help.
type noun struct {
	path   string   // "session state"
	list   string   // the operation that lists; "" prints the help
	verbs  string   // in order
	help   ops.Help // without Use
	hidden bool
}

var nouns = []noun{
	{path: "session", list: "session_list",
		verbs: "list start end show load note bind unbind for state transcript", help: ops.Help{
			Summary: "group the work of one shell or assistant",
			Text: `A session belongs to one workspace and may have a file with a goal, notes and a
log. It is named by --session or ARBOR_SESSION. Without a verb it lists the
sessions that have a file.`,
			Example: "arbor session\nexport ARBOR_SESSION=alice\narbor session bind Login"}},
	{path: "session state", list: "state_list", verbs: "list save load set rm", help: ops.Help{
		Summary: "save the state of the work, and continue from it later",
		Text:    "Without a verb it lists the newest states.",
		Example: "arbor session state\narbor session state load \"Before the review\" --read"}},
	{path: "session transcript", list: "transcript_read", verbs: "show append clear", help: ops.Help{
		Summary: "keep the messages of a session",
		Text:    "The session is that of --session or ARBOR_SESSION. Without a verb it prints the\nmessages.",
		Example: "arbor session transcript append user \"Where were we?\"\narbor session transcript show --last 2"}},
	{path: "memory", list: "memory_list",
		verbs: "list save show set archive restore compress rm summarize merge import export use", help: ops.Help{
			Summary: "keep texts in slots", Aliases: "mem",
			Text: `A slot is a Markdown file below memory/ in the workspace, and its entries are
the texts. You can edit it, and git can merge it. arbor search searches all
slots. Without a verb it lists the slots.`,
			Example: "arbor memory\narbor memory save decisions -m \"We use JWT tokens.\"\narbor memory show decisions -1"}},
	{path: "env", list: "env_list",
		verbs: "list add attach detach restore rm tools run approve trust grants undo clients connect", help: ops.Help{
			Summary: "say in which folders assistants' tools may act, and what they may do",
			Text: `An environment is a folder with tools and a trust level: full runs all tools,
restricted asks you before a tool changes anything, read_only runs only tools
that read. Without a verb it lists the environments.`,
			Example: "arbor env\narbor env add . --trust restricted"}},
	{path: "ws", list: "workspace_list",
		verbs: "list show set edit archive restore rm gc load rules docs", help: ops.Help{
			Summary: "read, change, archive and delete workspaces",
			Text:    "Without a verb it lists the active workspaces.",
			Example: "arbor ws\narbor ws archive Login"}},
	{path: "admin", verbs: "config git completion where version people vault", help: ops.Help{
		Summary: "configure this program and this machine",
		Text:    "Settings, the merge driver for git, shell completion, and which vault is used.",
		Example: "arbor admin config\narbor admin where"}},
	{path: "admin vault", verbs: "copy", help: ops.Help{
		Summary: "copy whole vaults",
		Text:    "A vault is a folder, or rows in a database of PostgreSQL: docs/server.md.",
		Example: "arbor admin vault copy . \"postgres://ann@db.example/plans\""}},
	{path: "admin config", list: "config_get", verbs: "list show set", help: ops.Help{
		Summary: "read and change settings",
		Text:    "Without a verb it lists the settings in effect. docs/settings.md has every key.",
		Example: "arbor admin config\narbor admin config set provider=anthropic --user"}},
	{path: "admin git", verbs: "install uninstall", help: ops.Help{
		Summary: "install the git merge driver for the vault's files",
		Text: "Git merges files as lines, in which two people's work on one plan often conflicts.\n" +
			"Arbor's merge driver merges fields, logs, lists and texts of its own files.",
		Example: "arbor admin git install --dry-run"}},
	{path: "admin people", list: "people_list", verbs: "list add redeem grant tokens revoke rm", help: ops.Help{
		Summary: "say who may use this vault through arbor serve",
		Text: `A server that other machines can reach knows persons. Each has rights, and a token
for each browser and each assistant. Without a verb it lists the persons.
docs/server.md tells how to begin.`,
		Example: "arbor admin people\narbor admin people add ann"}},
	{path: "node", hidden: true, help: ops.Help{
		Summary: "the tools of MCP about nodes, by their names",
		Text:    "For scripts that know the names of the tools: node create is arbor add.",
		Example: "arbor node create \"Sign-in endpoint\""}},
}

// unlisted are commands below a noun that also work at the top.
var unlisted = []string{"ws load", "ws rules", "ws docs"}

// within has the operations that have no command of their own, because they are part of another operation's command.
var within = map[string]string{"conflicts": "resolve_conflict", "approval_list": "approve", "deny": "approve",
	"briefing_update": "workspace_update"}

// addCommands adds every command below root: those of nouns, of operations, of other front ends, and all others.
func addCommands(sh *shell, root *cobra.Command) {
	at := map[string]*cobra.Command{"": root}
	put := func(path string, c *cobra.Command) {
		above, _ := splitPath(path)
		at[above].AddCommand(c)
		at[path] = c
	}
	for _, n := range nouns {
		put(n.path, nounCommand(sh, n))
	}
	for _, v := range verbs {
		put(string(v.do), sh.command(transitionCommand(sh, v)))
	}
	for path, c := range map[string]*cobra.Command{ // commands that are not those of one operation
		"tick": sh.command(tickCommand(sh)), "tree": sh.command(treeCommand(sh)), "watch": newWatch(sh), "use": newUse(sh),
		"edit": newEdit(sh), "ws edit": newWorkspaceEdit(sh), "restore": newRestore(sh),
		"admin config list": newConfigList(sh), "admin config set": newConfigEdit(sh),
		"admin where": newWhere(sh), "admin completion": newCompletion(root),
		"admin version": newVersion(sh), "version": newVersion(sh), // people type the short one
	} {
		put(path, c)
	}
	for _, o := range slices.Concat(ops.All(), ops.Commands()) {
		path, words := ops.SplitUse(o.Use)
		if path == "" || strings.HasPrefix(words, "--") || within[o.Name] != "" {
			continue // no command, or part of another one
		}
		put(path, operationCommand(sh, o, path))
		if tool, ok := strings.CutPrefix(o.Name, "node_"); ok && at["node "+tool] == nil {
			put("node "+tool, operationCommand(sh, o, "node "+tool))
		}
		if _, name := splitPath(path); slices.Contains(unlisted, path) {
			put(name, operationCommand(sh, o, name))
		}
	}
	put("import tanmi", newImportTanmi(sh))
	for _, m := range sh.sys.More {
		put(strings.TrimSpace(m.Under+" "+strings.Fields(m.Use)[0]), newFrontEnd(sh, m))
	}
	for _, n := range nouns {
		inOrder(at[n.path], n.verbs)
	}
	all := ""
	for _, g := range groups {
		all += " " + g.commands
	}
	inOrder(root, all)
	for _, c := range root.Commands() {
		c.Hidden = !slices.Contains(strings.Fields(all), c.Name())
	}
}

// splitPath splits the path of a command into the path of its noun and its own name.
func splitPath(path string) (above, name string) {
	i := strings.LastIndexByte(path, ' ')
	return path[:max(i, 0)], path[i+1:]
}

// inOrder sorts the commands below cmd in the order of a list of names; others come last.
func inOrder(cmd *cobra.Command, order string) {
	names, all := strings.Fields(order), slices.Clone(cmd.Commands())
	place := func(c *cobra.Command) int {
		if i := slices.Index(names, c.Name()); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(all, func(a, b *cobra.Command) int { return place(a) - place(b) })
	cmd.RemoveCommand(all...)
	cmd.AddCommand(all...)
}

// nounCommand returns the command of a noun.
func nounCommand(sh *shell, n noun) *cobra.Command {
	c := command{op: n.list, without: allParams}
	if special := specials[n.list]; special != nil {
		c = special(sh)
		c.op, c.without = n.list, allParams
	}
	c.help = n.help
	c.help.Use = n.path
	if n.list != "" {
		return sh.command(c)
	}
	return &cobra.Command{
		Use: c.help.Use[strings.LastIndexByte(n.path, ' ')+1:], Short: sentence(n.help.Summary), Long: n.help.Text,
		Example: n.help.Example, Aliases: strings.Fields(n.help.Aliases), RunE: sh.runGroup,
	}
}

// sentence returns a text with its first letter in upper case.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
