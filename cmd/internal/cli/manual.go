package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
)

// Manual returns the page that describes every command of a System, those of other front ends included, as Markdown.
func Manual(sys System) string { return manual(newRoot(&shell{sys: &sys})) }

func manual(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# The command line\n\n<!-- Written by go test ./cmd/internal/app -run TestManual -update: change the commands, not this page. -->\n\n")
	b.WriteString(root.Long + "\n\n```sh\n" + root.Example + "\n```\n")
	for _, g := range root.Groups() {
		b.WriteString("\n**" + g.Title + "**\n\n| command | |\n|---|---|\n")
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", c.CommandPath(), anchor(c.CommandPath()), render.EscapeMarkdown(c.Short))
			}
		}
	}
	b.WriteString("\n## Every command\n\nA node or workspace is named by its id, by a unique prefix of its id, or by its exact\ntitle; `.` is the focused node. Results go to stdout and words about the work to\nstderr, so pipes get nothing but results. `--json` prints one document on stdout,\nfor errors as well: `{\"error\": {\"code\", \"message\", \"details\"}}`. Listings take at most\n200 lines and tell what brings the rest. Nothing prompts without a terminal.\n\n```text\n")
	b.WriteString(flagUsages(root.PersistentFlags()) + "```\n")
	b.WriteString("\n| variable | |\n|---|---|\n")
	for _, e := range environment {
		fmt.Fprintf(&b, "| `%s` | %s |\n", e.name, e.text)
	}
	b.WriteString("\n| exit code | |\n|---|---|\n")
	for _, e := range exitHelp {
		fmt.Fprintf(&b, "| %d | %s |\n", e.code, e.text)
	}
	for _, g := range root.Groups() {
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				commandDocs(&b, c)
			}
		}
	}
	return b.String()
}

func commandDocs(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n```text\n%s\n```\n", c.CommandPath(), c.Short, useLine(c))
	if c.Long != "" {
		b.WriteString("\n" + paragraphs(c.Long) + "\n")
	}
	if c.Example != "" {
		b.WriteString("\n```sh\n" + c.Example + "\n```\n")
	}
	if own := flagUsages(c.LocalNonPersistentFlags()); own != "" {
		b.WriteString("\n```text\n" + own + "```\n")
	}
	if len(c.Aliases) > 0 {
		b.WriteString("\nAlso: `" + strings.Join(c.Aliases, "`, `") + "`.\n")
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			commandDocs(b, sub)
		}
	}
}

// paragraphs keeps what stands in lines of its own apart.
func paragraphs(long string) string {
	head, table, ok := strings.Cut(long, "\n\n")
	if ok && strings.Contains(table, "→") {
		return head + "\n\n- " + strings.ReplaceAll(table, "\n", "\n- ")
	}
	return long
}

func anchor(path string) string { return strings.ReplaceAll(path, " ", "-") }
