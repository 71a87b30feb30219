package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// showLoad prints the result of workspace_load as a page of Markdown.
func showLoad(sh *shell, out *ops.WorkspaceLoadOut) error {
	id, l := out.WorkspaceContext.WorkspaceID, out.Loaded
	if sh.flags.quiet {
		return sh.print(render.Visible(id))
	}
	p, c := sh.page(), l.Context
	p.title("# "+c.Name, id)
	if c.Description != "" {
		p.write("\n" + render.Visible(c.Description))
	}
	p.section("## Purpose", c.Purpose)
	if c.CurrentGoal != c.Purpose {
		p.section("## Current Goal", c.CurrentGoal)
	}
	p.section("## Workflows", strings.Join(l.Workflows, "\n\n"))
	p.list("## Key Files", pairs(l.KeyFiles))
	p.section("## Preferences", l.Preferences)
	p.list("## Related", pairs(l.Related))
	if a := l.Agent; a != nil {
		p.section("## Agent: "+render.Visible(a.AgentName), a.SystemPrompt)
	}
	var activity []string
	for _, line := range c.RecentActivity {
		if n := len(mdstore.TimeLayout); len(line) > n {
			line = inUTC(line[:n]) + line[n:]
		}
		activity = append(activity, line)
	}
	p.list("## Recent Activity", activity)
	p.list("## Sessions", headLines(l.Sessions))
	p.list("## States", headLines(l.States))
	p.heading("## Plan")
	p.line(fmt.Sprintf("%s, %v", counted(l.Plan.Counts.Total, "node"), l.Plan.Counts.Outcomes))
	if n := l.Plan.Focus; n != nil {
		p.line("- focus: " + n.Title + " (" + n.Status + ", " + n.NodeID + ")")
	}
	for _, n := range l.Plan.Next {
		p.line("- next: " + n.Title + " (" + n.Status + ", " + n.NodeID + ")")
	}
	var lines []string
	for _, f := range l.RecentFiles {
		lines = append(lines, f.Path+" ("+moment(f.Modified)+")")
	}
	p.list("## Recent Files", lines)
	p.list("## Files", l.WorkspaceStructure)
	for _, w := range l.Warnings {
		sh.warn("warning: %s", w)
	}
	return p.print(out.Hint)
}

// pairs returns paths with their descriptions, one line each.
func pairs(of ops.Paths) (lines []string) {
	for _, r := range of {
		line := r.Target
		if r.Description != "" {
			line += ": " + r.Description
		}
		lines = append(lines, line)
	}
	return lines
}

// headLines returns sessions or states, one line each.
func headLines(all []ops.StateHead) (lines []string) {
	for _, s := range all {
		line := s.Name
		if s.Description != "" {
			line += ": " + s.Description
		}
		for _, tag := range s.Tags {
			line += " #" + tag
		}
		lines = append(lines, line+" ("+moment(s.Created)+", "+s.ID+")")
	}
	return lines
}

// moment returns a time, given in Unix milliseconds, to the minute.
func moment(ms int64) string {
	return time.UnixMilli(ms).UTC().Format(mdstore.TimeLayout[:len("2006-01-02 15:04")]) + " UTC"
}

// list writes a list under its heading, or nothing if it is empty.
func (p *page) list(heading string, items []string) {
	if len(items) > 0 {
		p.heading(heading)
		p.items(items)
	}
}

// briefingFlags adds the parts of a briefing that arbor init takes as flags.
func briefingFlags(cmd *cobra.Command, in *ops.WorkspaceInitIn) {
	part := func(name, usage string, to func(*ops.BriefingIn) **string) {
		cmd.Flags().Func(name, usage, func(text string) error {
			if in.Brief == nil {
				in.Brief = &ops.BriefingIn{}
			}
			*to(in.Brief) = &text
			return nil
		})
	}
	part("purpose", "the `PURPOSE`: what the work is for",
		func(b *ops.BriefingIn) **string { return &b.Purpose })
	part("root", "the `FOLDER` that the work is in, relative to the project",
		func(b *ops.BriefingIn) **string { return &b.RootFolder })
	part("description", "what the workspace is, in one `LINE`",
		func(b *ops.BriefingIn) **string { return &b.Description })
}
