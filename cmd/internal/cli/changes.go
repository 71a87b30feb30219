package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

func changesCommand(sh *shell) command {
	in := &ops.ChangesGetIn{}
	c := command{in: in, list: true}
	c.check = func(*cobra.Command) error {
		if in.SessionID == "" && in.Since == "" {
			return usagef("since when? --since TIME, or since a session last looked (--session, ARBOR_SESSION)")
		}
		return nil
	}
	c.show = showing(func(_ context.Context, out *ops.ChangesGetOut) error {
		var all []string
		style := sh.style()
		for _, c := range out.Changes {
			c.Path = sh.shown(c.Path)
			all = append(all, changeLine(c, style, sh.flags.quiet))
		}
		if in.Since == "" { // all of it: it counts as seen, and no later call names it
			if err := sh.print(strings.Join(all, "\n")); err != nil {
				return err
			}
		} else if err := sh.bounded(all, "files", "--all brings the rest"); err != nil {
			return err
		}
		if len(out.Changes) == 0 && !out.First {
			sh.say("nothing changed")
		}
		sh.hint(out.Hint)
		return nil
	})
	return c
}

func changeLine(c ops.FileChange, style render.Style, quiet bool) string {
	if quiet {
		return render.Visible(c.Path)
	}
	colors := map[string]string{"created": "32", "changed": "33", "removed": "31"}
	line := style.Paint(colors[c.Kind], c.Kind) + " " + render.Visible(c.Path)
	if c.Title != "" {
		line += "  " + style.Paint("1", render.Visible(c.Title))
	}
	var parts []string
	if len(c.Fields) > 0 {
		parts = append(parts, strings.Join(c.Fields, ", "))
	}
	if len(c.Sections) > 0 {
		parts = append(parts, "## "+strings.Join(c.Sections, ", ## "))
	}
	if len(parts) > 0 {
		line += ": " + render.Visible(strings.Join(parts, "; "))
	}
	return line
}
