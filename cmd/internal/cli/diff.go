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
			lines := g.lines(out, func(c ops.PlanChange, text string) string {
				id := cmp.Or(c.NodeID, c.WorkspaceID)
				if !wholeIDs(sh) {
					id = view.Short(id)
				}
				return "  " + render.Visible(c.Title) + "  " + style.Paint("2", render.Visible(id)) + "  " + render.Visible(text)
			})
			if len(lines) > 0 {
				all = append(all, "", style.Paint("1", g.title))
			}
			all = append(all, lines...)
		}
		sh.bounded(all, "lines")
		for _, d := range out.Damaged {
			sh.warn("!! %s", render.Visible(d))
		}
		return sh.unprinted
	})
	return c
}

// A diffGroup is one kind of change. tell returns the texts about a change; none for a change of another kind.
type diffGroup struct {
	title string
	tell  func(c ops.PlanChange) []string
}

var diffGroups = []diffGroup{
	{"Finished", func(c ops.PlanChange) []string {
		is := c.Kind != view.Removed && c.NodeID != "" && ended(c.Status)
		return told(is, strings.TrimSuffix(c.Status+": "+c.Conclusion, ": "))
	}},
	{"Started", func(c ops.PlanChange) []string {
		return told(c.Kind == view.Altered && c.Was == string(statemachine.Pending) && !ended(c.Status), c.Status)
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
		var all []string
		for _, w := range c.What {
			if w.Key != "rules" && (w.Key != "conclusion" || !ended(c.Status)) { // other groups show these
				all = append(all, w.String())
			}
		}
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

func (g diffGroup) lines(out *ops.PlanDiffOut, line func(c ops.PlanChange, text string) string) (all []string) {
	for _, c := range out.Changes {
		for _, text := range g.tell(c) {
			all = append(all, strings.TrimRight(line(c, text), " "))
		}
	}
	return all
}

// diffHead returns a summary: the number of lines in each group, of new log entries, and of other changed files.
func diffHead(out *ops.PlanDiffOut) string {
	var parts []string
	add := func(what string, n int) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", what, n))
		}
	}
	for _, g := range diffGroups {
		add(strings.ToLower(g.title), len(g.lines(out, func(_ ops.PlanChange, text string) string { return text })))
	}
	log := 0
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
	mostOfLine  = 120 // columns of a title, and of the text after it
)

// diffMarkdown returns the comment for a pull request. The group Changed is collapsed.
func diffMarkdown(out *ops.PlanDiffOut) string {
	text := "**Plan:** " + diffHead(out) + "\n"
	list := func(title string, lines []string) {
		before, after := "\n**"+title+"**\n\n", ""
		if title == "Changed" {
			before, after = "\n<details><summary>"+title+"</summary>\n\n", "\n</details>\n"
		}
		if n := len(lines) - mostInGroup; n > 0 {
			lines = append(lines[:mostInGroup:mostInGroup], fmt.Sprintf("- and %d more", n))
		}
		if len(lines) > 0 {
			text += before + strings.Join(lines, "\n") + "\n" + after
		}
	}
	for _, g := range diffGroups {
		list(g.title, g.lines(out, func(c ops.PlanChange, text string) string {
			return "- **" + onForge(c.Title) + "** " + onForge(text)
		}))
	}
	var damaged []string
	for _, d := range out.Damaged {
		damaged = append(damaged, "- "+onForge(d))
	}
	list("Cannot be read", damaged)
	return text
}

// onForge returns a text as one line of Markdown in which the forge finds no mentions (@name) or links (#1).
func onForge(s string) string {
	s = render.Truncate(render.Visible(s), mostOfLine, false)
	return strings.ReplaceAll(render.EscapeMarkdown(s), "@", "@\u200b")
}
