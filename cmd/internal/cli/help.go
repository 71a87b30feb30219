package cli

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/engine/ops"
)

// environment is what help says about variables.
var environment = []struct{ name, text string }{
	{"ARBOR_VAULT", "the vault's folder, as --vault"},
	{"ARBOR_SESSION", "the session, as --session"},
	{"ARBOR_OPERATOR", "AI or Human, as --as"},
	{"ARBOR_GIT", "how long a write waits for git to finish (5s), or ignore"},
	{"VISUAL, EDITOR", "the editor of -e"},
	{"NO_COLOR, CLICOLOR_FORCE", "no colours, or colours although stdout is no terminal"},
	{"LC_ALL, LC_CTYPE, LANG", "drawings are ASCII where these name another encoding than UTF-8"},
}

// help prints the help of a command: what it is, examples, what there is to know, its flags.
func (sh *shell) help(cmd *cobra.Command, _ []string) {
	var b strings.Builder
	root, style := cmd.Root(), sh.style()
	heading := func(text string) { b.WriteString("\n" + style.Paint("1", text) + "\n") }
	commands := func(group string) {
		for _, c := range cmd.Commands() {
			if c.GroupID == group && c.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-11s %s\n", c.Name(), c.Short)
			}
		}
	}
	if cmd == root {
		b.WriteString(style.Paint("1", "arbor") + ": " + root.Short + "\n")
	} else {
		b.WriteString(style.Paint("1", useLine(cmd)) + "\n\n" + cmd.Short + ".\n")
	}
	if cmd.Example != "" {
		heading("Examples")
		b.WriteString("  " + strings.ReplaceAll(cmd.Example, "\n", "\n  ") + "\n")
	}
	if cmd.Long != "" {
		b.WriteString("\n" + strings.TrimSpace(cmd.Long) + "\n")
	}
	if len(cmd.Aliases) > 0 {
		b.WriteString("\nAlso: " + strings.Join(cmd.Aliases, ", ") + ".\n")
	}
	for _, g := range cmd.Groups() {
		heading(g.Title)
		commands(g.ID)
	}
	if cmd != root && cmd.HasAvailableSubCommands() {
		heading("Commands")
		commands("")
	}
	if own := flagUsages(cmd.LocalNonPersistentFlags()); own != "" && cmd != root {
		heading("Flags")
		b.WriteString(own)
	}
	heading("Flags of every command")
	b.WriteString(flagUsages(root.PersistentFlags()))
	if cmd == root {
		heading("Environment")
		for _, e := range environment {
			fmt.Fprintf(&b, "  %-25s %s\n", e.name, e.text)
		}
		heading("Exit codes")
		for _, e := range exitHelp {
			fmt.Fprintf(&b, "  %-4d %s\n", e.code, e.text)
		}
		b.WriteString("\narbor COMMAND --help says more about each.\n")
	}
	_ = sh.print(b.String())
}

// useLine returns the whole command line of a command.
func useLine(cmd *cobra.Command) string {
	line := cmd.Use
	if p := cmd.Parent(); p != nil {
		line = p.CommandPath() + " " + line
	}
	if cmd.HasAvailableSubCommands() {
		line += " [COMMAND]"
	}
	return line
}

// flagUsages returns the flags one a line, without the library's own.
func flagUsages(all *pflag.FlagSet) string {
	if f := all.Lookup("help"); f != nil {
		f.Hidden = true
	}
	return all.FlagUsages()
}

// helpCommand makes the library's help command print the help of this package, and fail for unknown commands.
func addHelp(sh *shell, root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Use, help.Short, help.Hidden, help.Run = "help [COMMAND...]", "Print the help of a command", true, nil
	help.RunE = func(cmd *cobra.Command, words []string) error {
		at, rest, err := root.Find(words)
		if err != nil || len(rest) > 0 {
			return unknownCommand(at, rest[0])
		}
		sh.help(at, nil)
		return nil
	}
}

// inOurWords returns a hint with commands in place of operations. One that names a command already stays as it is.
func inOurWords(hint string) string {
	if strings.Contains(hint, "(arbor ") {
		return hint
	}
	return ourWords().Replace(hint)
}

var ourWords = sync.OnceValue(func() *strings.Replacer {
	all := ops.All()
	slices.SortFunc(all, func(a, b ops.Operation) int { return len(b.Name) - len(a.Name) }) // the longest match wins
	var pairs []string
	for _, o := range all {
		pairs = append(pairs, o.Name, commandLine(o))
	}
	pairs = append(pairs, "rulesHash", "--rules-hash", "workspaceId", "--workspace", "dryRun", "--dry-run")
	return strings.NewReplacer(pairs...)
})

// commandLine returns the command of an operation without its words: "arbor node move".
func commandLine(o ops.Operation) string {
	path, words := splitUse(o.Use)
	if strings.HasPrefix(words, "--") {
		path += " " + words
	}
	return "arbor " + path
}
