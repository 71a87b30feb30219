package app

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arbor/cmd/internal/cli"
	"arbor/engine/config"
	"arbor/engine/ops"
	"arbor/engine/serve"
	"arbor/mdstore"
)

var update = flag.Bool("update", false, "rewrite what docs/cli.md and docs/mcp.md have from the commands and the catalogue")

const cliPage = "../../../docs/cli.md"

// TestManual holds docs/cli.md to what the commands say of themselves.
func TestManual(t *testing.T) {
	for _, c := range frontEnds("") {
		if c.Short == "" || c.Long == "" || c.Example == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s does not teach", c.Use)
		}
		for line := range strings.Lines(c.Long) {
			if len(line) > 84 {
				t.Errorf("%s: a line of its help is longer than 84 columns: %q", c.Use, line)
			}
		}
	}
	golden(t, cliPage, manual(t))
}

const mcpPage = "../../../docs/mcp.md"

// TestKeysOfFiles holds the tables of keys and sections in docs/format.md to the table of kinds.
func TestKeysOfFiles(t *testing.T) {
	const page = "../../../docs/format.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "<!-- keys: ")
	_, after, _ := strings.Cut(rest, "<!-- end of keys -->")
	var b strings.Builder
	for _, k := range mdstore.AllKinds() {
		if k == mdstore.WorkspaceKind || k == mdstore.NodeKind || k.Form == mdstore.SlotForm { // which have a table by hand, with what a missing key means
			for _, key := range k.Keys {
				if !strings.Contains(before+after, "`"+key.Name+"`") {
					t.Errorf("%s does not name the key %s of a %s", page, key.Name, k.Name)
				}
			}
			continue
		}
		place := path.Join(k.Place.Dir, strings.Replace(k.Place.Name, "*", "<name>", 1))
		if k.Place.Deep {
			place = path.Join(k.Place.Dir, "<folder>", strings.Replace(k.Place.Name, "*", "<time>", 1))
		}
		fmt.Fprintf(&b, "\n**%s**: `%s`\n\n| key | value |\n|---|---|\n", k.Name, place)
		for _, key := range k.Keys {
			fmt.Fprintf(&b, "| `%s` | %s |\n", key.Name, key.Help)
		}
		if k.Form == nil || len(k.Form.Sections) == 0 {
			continue
		}
		b.WriteString("\n| section | Chinese heading |\n|---|---|\n")
		for _, sec := range k.Form.Sections {
			fmt.Fprintf(&b, "| `## %s` | `## %s` |\n", sec.Name, strings.Join(sec.Aliases, "`, `## "))
		}
	}
	generated(t, page, "keys", "TestKeysOfFiles", b.String()+"\n")
}

// TestWhichWorkspace holds the table in docs/comeback.md to the ways in which a call means a workspace.
func TestWhichWorkspace(t *testing.T) {
	table := "| | a call is about |\n|---|---|\n"
	for i, m := range ops.Meanings() {
		table += fmt.Sprintf("| %d | %s |\n", i+1, m.When)
	}
	generated(t, "../../../docs/comeback.md", "which workspace", "TestWhichWorkspace", table)
}

// TestGraphPage holds the drawing in docs/dependencies.md to what arbor graph prints of the shipped vault.
func TestGraphPage(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../../testdata/vault/field-notes")); err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	sys := cli.System{Args: []string{"graph", "--format", "mermaid"}, Stdout: &out, Stderr: &said, Dir: dir,
		Getenv: func(string) string { return "" }}
	if code := run(t.Context(), sys); code != 0 {
		t.Fatalf("exit code %d: %s", code, said.String())
	}
	generated(t, "../../../docs/dependencies.md", "graph", "TestGraphPage", "\n```mermaid\n"+out.String()+"```\n\n")
}

// generated holds the part of a page that is called name, and that the test writes with -update, to a text.
func generated(t *testing.T, page, name, test, text string) {
	t.Helper()
	begin, end := "<!-- "+name+": written by go test ./cmd/internal/app -run "+test+" -update -->\n", "<!-- end of "+name+" -->\n"
	was, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(was), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for %s: %q and %q", page, name, begin, end)
	}
	golden(t, page, before+begin+text+end+after)
}

// TestToolTable holds the table of tools in docs/mcp.md to the catalogue.
func TestToolTable(t *testing.T) {
	table, set := "| tool | |\n|---|---|\n", ops.SetPlan
	for _, o := range ops.All() {
		if o.Set != set {
			set = o.Set
			table += "\nWith `--toolsets plan," + set + "`, or `all`:\n\n| tool | |\n|---|---|\n"
		}
		table += fmt.Sprintf("| `%s` | %s |\n", o.Name, strings.TrimSuffix(o.Summary+". "+o.Advice, ". "))
	}
	generated(t, mcpPage, "tools", "TestToolTable", table)
}

// TestSettingsPage holds the table of keys in docs/settings.md to what the program knows.
func TestSettingsPage(t *testing.T) {
	const page, begin, end = "../../../docs/settings.md", "<!-- generated: keys -->\n", "<!-- end -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table of keys", page)
	}
	table := "\n| key | type | default | variable | flag | who may set it | what it is |\n|---|---|---|---|---|---|---|\n"
	for _, k := range config.Keys() {
		value := ""
		if k.Default != nil {
			value = "`" + config.Text(k.Default) + "`"
		}
		var in []string
		for _, l := range k.In {
			in = append(in, string(l))
		}
		cells := []string{"`" + k.Name + "`", k.Type, value, k.Env, k.Flag, strings.Join(in, ", "), k.Help}
		table += "| " + strings.Join(cells, " | ") + " |\n"
	}
	golden(t, page, before+begin+table+"\n"+end+after)
}

// What is built in is what the servers take where nothing is said.
func TestDefaultsOfServersAreTheirs(t *testing.T) {
	if n := config.Value[int64](config.Merge(), "max-tokens"); n != serve.DefaultMaxTokens {
		t.Errorf("max-tokens is %d, and servers take %d", n, serve.DefaultMaxTokens)
	}
}

// golden compares a page with what it should be; with -update it writes the page.
func golden(t *testing.T, page, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is stale; write it again with\n\tgo test ./cmd/internal/app -run %s -update", page, t.Name())
	}
}

// manual returns the page that describes every command: what its help says.
func manual(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# The command line\n\n" +
		"<!-- Written by go test ./cmd/internal/app -run TestManual -update: change the commands, not this page. -->\n\n" +
		"A node or workspace is named by its id, its exact title, a unique prefix of its id, or the last six\n" +
		"characters of it; `.` is the focused node. A command that only reads takes a part of a title, too.\n" +
		"Listings show the six characters, and whole ids with `-v`, `-q` and `--json`. Results go to stdout\n" +
		"and words about the work to stderr, so pipes get nothing but results. `--json` prints one document\n" +
		"on stdout, for errors as well: `{\"error\": {\"code\", \"message\", \"details\"}}`. Listings take at most\n" +
		"200 lines and say what brings the rest. Nothing prompts without a terminal.\n\n" +
		"What several commands share stands once: a command that differs from one above by a word\n" +
		"refers to it.\n")
	fmt.Fprintf(&b, "\n```text\n%s```\n\n```text\n%s```\n", helpOf(t, "help", "all"), helpOf(t, "help", "flags"))
	var above []section
	var add func(command ...string)
	add = func(command ...string) {
		help := helpOf(t, append(slices.Clone(command), "--help")...)
		s := sectionOf("arbor "+strings.Join(command, " "), help)
		b.WriteString(s.page(above))
		above = append(above, s)
		for _, sub := range commandsIn(help) {
			add(append(slices.Clone(command), sub)...)
		}
	}
	for _, name := range append(commandsIn(helpOf(t, "help", "all")), driverWord) {
		add(name)
	}
	return b.String()
}

// helpOf returns what a command of arbor prints about itself.
func helpOf(t *testing.T, command ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	sys := cli.System{
		Args: command, Stdout: &out, Stderr: &errs, More: frontEnds(""),
		Getenv: func(string) string { return "" },
	}
	if code := cli.Run(t.Context(), sys); code != 0 {
		t.Fatalf("arbor %v --help: exit code %d, %s", command, code, &errs)
	}
	return out.String()
}

// commandsIn returns the commands that a help lists: indented words with a summary behind two spaces or more.
func commandsIn(help string) (names []string) {
	help, _, _ = strings.Cut(help, "\nFlags\n")
	for _, m := range commandLine.FindAllStringSubmatch(help, -1) {
		names = append(names, m[1])
	}
	return names
}

var commandLine = regexp.MustCompile(`(?m)^  ([a-z-]+) {2,}[A-Z]`)

// A section is the help of a command.
type section struct {
	command, usage, summary, examples string
	about                             string // what follows the examples, to the flags
	flags                             string
}

// sectionOf takes the help of a command apart.
func sectionOf(command, help string) section {
	help, _, _ = strings.Cut(help, "\nFlags of every command: ")
	s := section{command: command}
	s.usage, help, _ = strings.Cut(help, "\n\n")
	s.summary, help, _ = strings.Cut(help, "\n\n")
	if strings.HasPrefix(help, "Examples\n") {
		s.examples, help, _ = strings.Cut(help, "\n\n")
	}
	if about, flags, found := strings.Cut("\n"+help, "\nFlags\n"); found {
		help, s.flags = about, "Flags\n"+flags
	}
	s.about = strings.Trim(help, "\n")
	return s
}

// page returns the section as it stands in the manual. What it has word for word in common with a section above is
// replaced by a link to that.
func (s section) page(above []section) string {
	heading, rest := "\n## "+s.command+"\n\n", ""
	for _, a := range above {
		link := fmt.Sprintf("[%s](#%s)", a.command, strings.ReplaceAll(a.command, " ", "-"))
		if s.about != "" && s.about == a.about && s.flags == a.flags {
			rest = fmt.Sprintf("\nThe rest is as for %s.\n", link)
			s.about, s.flags = "", ""
			break
		}
	}
	text := heading + "```text\n"
	for i, part := range []string{s.usage, s.summary, s.examples, s.about, s.flags} {
		if part = strings.Trim(part, "\n"); part != "" && i > 0 {
			text += "\n"
		}
		if part != "" {
			text += part + "\n"
		}
	}
	return text + "```\n" + rest
}
