package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/statemachine"
)

func diffCommand(sh *shell) command {
	in, format := &ops.PlanDiffIn{}, ""
	c := command{in: in, list: true}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().StringVar(&format, "format", "text", "`text|markdown`")
		must(cmd.RegisterFlagCompletionFunc("format", choices("text", "markdown")))
	}
	c.check = func(*cobra.Command) error {
		if format != "text" && format != "markdown" {
			return usagef("--format is %q; text and markdown are the formats", format)
		}
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.PlanDiffOut) error {
		if format == "markdown" {
			return sh.print(diffMarkdown(out))
		}
		style := sh.style()
		all := []string{out.From + " → " + cmp.Or(out.To, "now") + ": " + diffHead(out)}
		for _, g := range diffGroups {
			for i, l := range g.lines(out) {
				if i == 0 {
					all = append(all, "", style.Paint("1", g.title))
				}
				all = append(all, "  "+render.Visible(l.title)+"  "+style.Paint("2", render.Visible(l.id(wholeIDs(sh))))+"  "+render.Visible(l.text))
			}
		}
		sh.bounded(all, "lines")
		for _, d := range out.Damaged {
			sh.warn("!! %s", render.Visible(d))
		}
		return sh.unprinted
	})
	return c
}

// A diffGroup is one kind of change: tell returns what it shows of one, nil for one that is none.
type diffGroup struct {
	title string
	tell  func(c ops.PlanChange) []string
}

var diffGroups = []diffGroup{
	{"Finished", func(c ops.PlanChange) []string {
		return told(c.Kind != view.Removed && c.NodeID != "" && ended(c.Status), strings.TrimSuffix(c.Status+": "+c.Conclusion, ": "))
	}},
	{"Started", func(c ops.PlanChange) []string {
		return told(c.Was == string(statemachine.Pending) && c.Kind == view.Altered && !ended(c.Status), c.Status)
	}},
	{"Reopened", func(c ops.PlanChange) []string {
		return told(c.Kind == view.Altered && ended(c.Was) && !ended(c.Status), c.Was+" → "+c.Status)
	}},
	{"New", func(c ops.PlanChange) []string {
		return told(c.Kind == view.Added, strings.TrimSuffix("in "+c.Parent, "in "))
	}},
	{"Moved", func(c ops.PlanChange) []string {
		return told(c.Kind == view.Altered && c.From+c.Parent != "", c.From+" → "+c.Parent)
	}},
	{"Removed", func(c ops.PlanChange) []string { return told(c.Kind == view.Removed, c.Was) }},
	{"Rules", func(c ops.PlanChange) (all []string) {
		for _, r := range c.RulesAdded {
			all = append(all, "+ "+r)
		}
		for _, r := range c.RulesGone {
			all = append(all, "− "+r)
		}
		return all
	}},
	{"Changed", func(c ops.PlanChange) []string {
		all := c.What
		if c.Status != "" && c.Was != string(statemachine.Pending) && !ended(c.Was) && (!ended(c.Status) || c.NodeID == "") {
			all = append(all, c.Was+" → "+c.Status)
		}
		return told(c.Kind == view.Altered && len(all) > 0, strings.Join(all, "; "))
	}},
}

func told(is bool, text string) []string {
	if is {
		return []string{text}
	}
	return nil
}

func ended(status string) bool { return statemachine.Terminal(statemachine.Status(status)) }

// A diffLine is a line of a group.
type diffLine struct {
	ops.PlanChange
	title, text string
}

func (l diffLine) id(whole bool) string {
	if id := cmp.Or(l.NodeID, l.WorkspaceID); !whole {
		return view.Short(id)
	}
	return cmp.Or(l.NodeID, l.WorkspaceID)
}

func (g diffGroup) lines(out *ops.PlanDiffOut) (all []diffLine) {
	for _, c := range out.Changes {
		for _, text := range g.tell(c) {
			all = append(all, diffLine{c, c.Title, text})
		}
	}
	return all
}

// diffHead sums up: how many lines each group has, how many entries the logs got, and what else there is.
func diffHead(out *ops.PlanDiffOut) string {
	var parts []string
	add := func(what string, n int) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", what, n))
		}
	}
	log := 0
	for _, g := range diffGroups {
		add(strings.ToLower(g.title), len(g.lines(out)))
	}
	for _, c := range out.Changes {
		log += c.Log
	}
	add("log entries", log)
	for _, kind := range slices.Sorted(maps.Keys(out.Others)) {
		add(kind+"s", out.Others[kind])
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing changed in the plan")
}

// The bounds of a comment: the forges that show it take 65,536 characters.
const (
	mostInGroup = 25
	mostOfLine  = 250 // columns
)

// diffMarkdown returns the comment for a pull request: what was finished, started, is new, and folded what else changed.
func diffMarkdown(out *ops.PlanDiffOut) string {
	var b strings.Builder
	b.WriteString("**Plan:** " + diffHead(out) + "\n")
	for _, g := range diffGroups {
		lines := g.lines(out)
		switch {
		case len(lines) == 0:
			continue
		case g.title == "Changed":
			fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", g.title)
		default:
			b.WriteString("\n**" + g.title + "**\n\n")
		}
		for _, l := range lines[:min(len(lines), mostInGroup)] {
			b.WriteString(strings.TrimSuffix("- **"+onForge(l.title)+"** "+onForge(l.text), " ") + "\n")
		}
		if n := len(lines) - mostInGroup; n > 0 {
			fmt.Fprintf(&b, "- and %d more\n", n)
		}
		if g.title == "Changed" {
			b.WriteString("\n</details>\n")
		}
	}
	for _, d := range out.Damaged[:min(len(out.Damaged), mostInGroup)] {
		b.WriteString("\nCannot be read: " + onForge(d) + "\n")
	}
	return b.String()
}

// onForge returns a text as one line of Markdown that calls nobody and nothing, as @name and #1 would.
func onForge(s string) string {
	s = render.Truncate(render.Visible(s), mostOfLine, false)
	return strings.ReplaceAll(render.EscapeMarkdown(s), "@", "@\u200b")
}
