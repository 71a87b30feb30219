package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/context/render"
)

// environment is what help says about variables.
var environment = []struct{ name, text string }{
	{"ARBOR_VAULT", "the vault's folder, as --vault"},
	{"ARBOR_SESSION", "the session, as --session"},
	{"ARBOR_OPERATOR", "AI or Human, as --as"},
	{"ARBOR_GIT", "how long a write waits while git is in the middle of something (5s), or ignore"},
	{"VISUAL, EDITOR", "the editor of -e"},
	{"NO_COLOR, CLICOLOR_FORCE", "no colours, or colours although stdout is no terminal"},
	{"LC_ALL, LC_CTYPE, LANG", "drawings are ASCII where these name another encoding than UTF-8"},
}

// help prints the help of a command: what it is, examples, what there is to know, its flags.
func (sh *shell) help(cmd *cobra.Command, _ []string) {
	style := sh.style()
	var b strings.Builder
	if cmd.HasParent() {
		commandHelp(&b, cmd, style)
	} else {
		rootHelp(&b, cmd, style)
	}
	_ = sh.print(b.String()) // nobody is left to tell
}

// usage is what the library asks for when a command fails. It is short: the error says what to do.
func (sh *shell) usage(cmd *cobra.Command) error {
	return sh.print("usage: " + cmd.UseLine())
}

func heading(b *strings.Builder, style render.Style, text string) {
	b.WriteString("\n" + style.Paint("1", text) + "\n")
}

func indented(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("  " + strings.TrimRight(line, "\n") + "\n")
	}
}

func rootHelp(b *strings.Builder, root *cobra.Command, style render.Style) {
	b.WriteString(style.Paint("1", "arbor") + ": " + root.Short + "\n")
	heading(b, style, "Examples")
	indented(b, root.Example)
	b.WriteString("\n" + root.Long + "\n")
	for _, g := range root.Groups() {
		heading(b, style, g.Title)
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				fmt.Fprintf(b, "  %-11s %s\n", c.Name(), c.Short)
			}
		}
	}
	heading(b, style, "Flags of every command")
	b.WriteString(flagUsages(root.PersistentFlags()))
	heading(b, style, "Environment")
	for _, e := range environment {
		fmt.Fprintf(b, "  %-25s %s\n", e.name, e.text)
	}
	heading(b, style, "Exit codes")
	for _, e := range exitHelp {
		fmt.Fprintf(b, "  %-4d %s\n", e.code, e.text)
	}
	b.WriteString("\narbor COMMAND --help tells more about each.\n")
}

func commandHelp(b *strings.Builder, cmd *cobra.Command, style render.Style) {
	b.WriteString(style.Paint("1", useLine(cmd)) + "\n\n" + cmd.Short + ".\n")
	if cmd.Example != "" {
		heading(b, style, "Examples")
		indented(b, cmd.Example)
	}
	if cmd.Long != "" {
		b.WriteString("\n" + cmd.Long + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		heading(b, style, "Commands")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(b, "  %-11s %s\n", c.Name(), c.Short)
			}
		}
	}
	if own := flagUsages(cmd.LocalNonPersistentFlags()); own != "" {
		heading(b, style, "Flags")
		b.WriteString(own)
	}
	if cmd.HasParent() && cmd.Name() != "help" {
		heading(b, style, "Flags of every command")
		b.WriteString(flagUsages(cmd.Root().PersistentFlags()))
	}
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
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = false
	all.VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "version" {
			own.AddFlag(f)
		}
	})
	return own.FlagUsages()
}

func newHelp(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND...]", Short: "Print the help of a command", Hidden: true,
		ValidArgsFunction: func(cmd *cobra.Command, words []string, prefix string) ([]string, cobra.ShellCompDirective) {
			at, _, err := cmd.Root().Find(words)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var found []string
			for _, c := range at.Commands() {
				if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), prefix) {
					found = append(found, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			at, rest, err := cmd.Root().Find(words)
			if err != nil || len(rest) > 0 {
				if at == nil {
					at = cmd.Root()
				}
				return unknownCommand(at, rest[0])
			}
			sh.help(at, nil)
			return nil
		},
	}
}
