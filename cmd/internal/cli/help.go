package cli

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/context/render"
	"arbor/engine/ops"
)

// environment has the environment variables for the help.
var environment = []struct{ name, text string }{
	{"ARBOR_VAULT", "the vault's folder, as --vault"},
	{"ARBOR_SESSION", "the session, as --session"},
	{"ARBOR_OPERATOR", "AI or Human, as --as"},
	{"ARBOR_TOOLSETS", "the sets of tools that servers offer"},
	{"ARBOR_GIT", "how long a write waits for git (5s), or ignore"},
	{"VISUAL, EDITOR", "the editor of -e"},
	{"NO_COLOR, CLICOLOR_FORCE", "no colours, or colours without a terminal"},
	{"LC_ALL, LC_CTYPE, LANG", "drawings are ASCII where these are not UTF-8"},
}

// help prints the help of a command: summary, examples, details and flags.
func (sh *shell) help(cmd *cobra.Command, _ []string) {
	if cmd == cmd.Root() {
		_ = helpOfAll(sh, cmd, false)
		return
	}
	var b strings.Builder
	style, columns := sh.style(), helpColumns(sh)
	b.WriteString(style.Paint("1", useLine(cmd)) + "\n\n" + cmd.Short + ".\n")
	if cmd.Example != "" {
		b.WriteString("\n" + style.Paint("1", "Examples") + "\n")
		b.WriteString("  " + strings.ReplaceAll(cmd.Example, "\n", "\n  ") + "\n")
	}
	if cmd.Long != "" {
		b.WriteString("\n" + reflow(cmd.Long) + "\n")
	}
	if len(cmd.Aliases) > 0 {
		b.WriteString("\nAlso: " + strings.Join(cmd.Aliases, ", ") + ".\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n" + style.Paint("1", "Commands") + "\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-10s  %s\n", c.Name(), c.Short)
			}
		}
	}
	if own := flagUsages(cmd.LocalNonPersistentFlags(), columns); own != "" {
		b.WriteString("\n" + style.Paint("1", "Flags") + "\n" + own)
	}
	b.WriteString("\n" + flagsLine + "\n")
	_ = sh.print(render.Wrap(b.String(), columns))
}

const fullLine = 58 // columns: a line of at least this length continues in the next one

// reflow joins the lines of each paragraph, because the source breaks them at another width than the screen's. Lines
// shorter than fullLine end with a line break, and so do lines before one that is indented, as those of a list are.
func reflow(text string) string {
	var b strings.Builder
	all := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range all {
		b.WriteString(line)
		switch {
		case i+1 == len(all):
		case render.Columns(line) >= fullLine && all[i+1] != "" && !strings.HasPrefix(all[i+1], "  "):
			b.WriteByte(' ')
		default:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// flagsLine ends the help of every command.
const flagsLine = "Flags of every command: arbor help flags"

// helpOfAll prints a line for each command in the groups that come first, or with every for all commands.
func helpOfAll(sh *shell, root *cobra.Command, every bool) error {
	var b strings.Builder
	style := sh.style()
	b.WriteString(style.Paint("1", "arbor") + ": " + root.Short + "\n\n" + root.Long + "\n")
	if !every {
		b.WriteString("\n" + style.Paint("1", "Examples") + "\n  " + strings.ReplaceAll(root.Example, "\n", "\n  ") + "\n")
	}
	var line func(c *cobra.Command)
	line = func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), root.Name()+" ")
		fmt.Fprintf(&b, "  %-10s  %s\n", path, c.Short)
		for _, sub := range c.Commands() {
			if every && sub.IsAvailableCommand() {
				line(sub)
			}
		}
	}
	for _, g := range groups {
		if g.first || every {
			b.WriteString("\n" + style.Paint("1", g.title) + "\n")
			for _, c := range g.in(root) {
				line(c)
			}
		}
	}
	if every {
		b.WriteString("\n" + flagsLine + "\n")
	} else {
		b.WriteString("\narbor help WORD says more about each, arbor help all lists every command, and\n" +
			"arbor help flags the flags of every command, variables and exit codes.\n")
	}
	return sh.print(render.Wrap(b.String(), helpColumns(sh)))
}

// in returns the commands of the group, in the order of root.
func (g group) in(root *cobra.Command) (all []*cobra.Command) {
	for _, c := range root.Commands() {
		if slices.Contains(strings.Fields(g.commands), c.Name()) {
			all = append(all, c)
		}
	}
	return all
}

// helpOfFlags prints what applies to every command.
func helpOfFlags(sh *shell, root *cobra.Command) error {
	var b strings.Builder
	heading := func(text string) { b.WriteString("\n" + sh.style().Paint("1", text) + "\n") }
	b.WriteString(sh.style().Paint("1", "arbor help flags") + "\n\nWhat applies to every command.\n")
	heading("Flags")
	b.WriteString(flagUsages(root.PersistentFlags(), helpColumns(sh)))
	heading("Environment")
	for _, e := range environment {
		fmt.Fprintf(&b, "  %-25s %s\n", e.name, e.text)
	}
	heading("Exit codes")
	for _, e := range exitHelp {
		fmt.Fprintf(&b, "  %-4d %s\n", e.code, e.text)
	}
	return sh.print(render.Wrap(b.String(), helpColumns(sh)))
}

// helpColumns returns the width of help texts in columns.
func helpColumns(sh *shell) int {
	const most = 80
	if w := sh.term.width; w > 0 && w < most {
		return w
	}
	return most
}

// bare prints the output of arbor without arguments: the names of the commands, on one screen.
func bare(sh *shell, root *cobra.Command) error {
	var b strings.Builder
	style := sh.style()
	b.WriteString(style.Paint("1", "arbor") + ": " + root.Short + "\n\n")
	b.WriteString("  " + strings.ReplaceAll(root.Example, "\n", "\n  ") + "\n\n")
	for _, g := range groups {
		if !g.first {
			continue
		}
		b.WriteString(style.Paint("1", g.title) + "\n ")
		for _, c := range g.in(root) {
			b.WriteString(" " + c.Name())
		}
		b.WriteString("\n")
	}
	b.WriteString("\narbor help says what each is for, arbor help WORD how it is used, and\n" +
		"arbor help all lists everything.\n")
	return sh.print(render.Wrap(b.String(), helpColumns(sh)))
}

// useLine returns the usage of a command: with its own words, and with a command below it.
func useLine(cmd *cobra.Command) string {
	line := cmd.Use
	if p := cmd.Parent(); p != nil {
		line = p.CommandPath() + " " + line
	}
	if !cmd.HasAvailableSubCommands() {
		return line
	}
	if _, words := ops.SplitUse(cmd.Use); words != "" {
		return line + "\n" + cmd.CommandPath() + " COMMAND"
	}
	return line + " [COMMAND]"
}

// flagUsages returns the flags one a line, without the library's own.
func flagUsages(all *pflag.FlagSet, columns int) string {
	if f := all.Lookup("help"); f != nil {
		f.Hidden = true
	}
	return all.FlagUsagesWrapped(columns)
}

// addHelp makes the library's help command print the help of this package, and fail for unknown commands.
func addHelp(sh *shell, root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Use, help.Short, help.Hidden, help.Run = "help [COMMAND...]", "Print the help of a command, all, or "+
		"flags", true, nil
	help.RunE = func(cmd *cobra.Command, words []string) error {
		switch strings.Join(words, " ") {
		case "all":
			return helpOfAll(sh, root, true)
		case "flags":
			return helpOfFlags(sh, root)
		}
		at, rest, err := root.Find(words)
		if err != nil || len(rest) > 0 {
			sh.refused = at.CommandPath()
			return unknownCommand(at, rest[0])
		}
		sh.help(at, nil)
		return nil
	}
}

func newWhere(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use: "where", Short: "Tell which vault is used, and why",
		Long: `The vault is --vault, or else ARBOR_VAULT, or else the nearest one in this
folder or above: a folder .tanmi-workspace, or the folder that the key vault of
an arbor.toml names. A vault above the git repository counts only if the
repository's arbor.toml (vault = "../.tanmi-workspace") or your own settings
name it. A submodule belongs to its superproject, and a linked working tree also
uses the main one's vault. -q prints only the path.`,
		Example:           "arbor admin where\ncd \"$(arbor admin where -q)\"",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return printWhere(sh) },
	}
}

func printWhere(sh *shell) error {
	found, err := sh.sys.Vaults.Find(sh.place())
	switch {
	case err != nil:
		sayLooked(sh, found)
		return err
	case sh.flags.json:
		return sh.json(found)
	case sh.flags.quiet:
		return sh.print(render.Visible(found.Vault))
	}
	p := sh.page()
	p.line("vault    " + found.Vault)
	p.line("project  " + found.Project)
	p.line("why      " + found.Why)
	p.print("")
	if found.Warning != "" {
		sh.say("warning: %s", found.Warning)
	}
	sayLooked(sh, found)
	return nil
}

func sayLooked(sh *shell, found Found) {
	for _, l := range found.Looked {
		sh.say("looked at %s: %s", l.Path, l.What)
	}
}

// A Version says which program this is.
type Version struct {
	Version  string `json:"version"`            // of the module, "(devel)" when built from a checkout
	Revision string `json:"revision,omitempty"` // of the checkout
	Time     string `json:"time,omitempty"`     // of the revision, RFC 3339
	Modified bool   `json:"modified,omitempty"` // the checkout had changes of its own
	Go       string `json:"go"`
}

// String returns the version in one line.
func (v Version) String() string {
	s := "arbor " + v.Version
	if v.Revision != "" {
		s += " (" + v.Revision[:min(12, len(v.Revision))]
		if v.Time != "" {
			s += ", " + v.Time[:min(len(time.DateOnly), len(v.Time))]
		}
		if v.Modified {
			s += ", modified"
		}
		s += ")"
	}
	return s + " " + v.Go + " " + runtime.GOOS + "/" + runtime.GOARCH
}

func newVersion(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, commit and date", Long: "Also arbor version and arbor --version.",
		Example:           "arbor admin version --json",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return printVersion(sh) },
	}
}

func printVersion(sh *shell) error {
	if sh.flags.json {
		return sh.json(struct {
			Version
			OS   string `json:"os"`
			Arch string `json:"arch"`
		}{sh.sys.Version, runtime.GOOS, runtime.GOARCH})
	}
	return sh.print(sh.sys.Version.String())
}

const widestChoice = 20 // characters: longer lists of values go into the help text

// usageOf returns the help of a flag, with the name of its value in backquotes, as pflag wants it. The name is the
// first word in capitals, such as NODE, N or PATH:DESC, or else the name of the parameter.
func usageOf(p ops.Param) string {
	if all := strings.Join(p.Enum, "|"); len(all) > widestChoice {
		return strings.TrimSuffix("`"+strings.ToUpper(p.Name)+"` is "+strings.Join(p.Enum, ", ")+"; "+p.Help, "; ")
	} else if p.Enum != nil {
		return strings.TrimSuffix("`"+all+"`; "+p.Help, "; ")
	}
	if p.Shape.Kind == ops.KindBool {
		return p.Help
	}
	help, list := p.Help, p.Type == reflect.TypeFor[[]string]()
	switch once := p.Field.Tag.Get("is") == "status" || p.Field.Tag.Get("is") == "key"; {
	case p.Field.Tag.Get("commas") == "split":
		help += "; commas separate several"
	case list && !once && !strings.Contains(help, "may be repeated"):
		help += "; may be repeated"
	}
	for _, w := range strings.FieldsFunc(help, func(r rune) bool { return !unicode.IsLetter(r) && r != ':' }) {
		if w = strings.TrimRight(w, ":"); w == "N" || len(w) > 1 && w == strings.ToUpper(w) {
			return strings.Replace(help, w, "`"+w+"`", 1)
		}
	}
	name := "`" + strings.ToUpper(p.Name) + "`"
	if p.Help != "" {
		name += ": "
	}
	return name + help
}
