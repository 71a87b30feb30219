package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

func contextCommand(sh *shell) command {
	in := &ops.ContextGetIn{}
	var noLog, noProblems bool
	format := ""
	c := command{in: in}
	c.flags = func(cmd *cobra.Command) {
		fs := cmd.Flags()
		fs.StringVar(&format, "format", "", "`md|json`; md unless given")
		fs.BoolVar(&noLog, "no-log", false, "no log entries")
		fs.BoolVar(&noProblems, "no-problem", false, "no problems")
		must(cmd.RegisterFlagCompletionFunc("format", choices("md", "json")))
	}
	c.check = func(cmd *cobra.Command) error {
		if noLog || cmd.Flags().Changed("log") && in.MaxLogEntries == 0 {
			in.IncludeLog = new(false)
		}
		if noProblems {
			in.IncludeProblem = new(false)
		}
		if !slices.Contains([]string{"", "md", "markdown", "json"}, format) {
			return usagef("--format is %q; md and json are the formats", format)
		}
		if in.Format = "markdown"; format == "json" || format == "" && sh.flags.json {
			in.Format, sh.flags.json = "json", true
		}
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.ContextGetOut) error {
		sh.text(out.Markdown)
		if out.Changes > 0 {
			sh.say("%s changed since this session last looked; arbor changes lists them", counted(out.Changes, "file"))
		}
		sh.hint(out.Hint)
		return nil
	})
	return c
}

func focusCommand(sh *shell) command {
	in := &ops.ContextFocusIn{}
	return command{in: in, instead: func(ctx context.Context) (bool, error) {
		if in.NodeID != "" {
			return false, nil
		}
		return true, showFocus(ctx, sh)
	}}
}

func showFocus(ctx context.Context, sh *shell) error {
	ws, err := sh.own(ctx)
	if err != nil {
		return err
	}
	id := ws.Workspace.FocusedNodeID
	switch {
	case sh.flags.json:
		hint := "arbor context brings its context; arbor focus NODE moves it"
		if id == "" {
			hint = "no node has the focus; arbor focus NODE gives it to one"
		}
		return sh.json(struct {
			FocusedNodeID string `json:"focusedNodeId"`
			ops.Out
		}{id, ops.Out{Hint: hint}})
	case id == "":
		sh.say("no node has the focus")
		return nil
	case sh.flags.quiet:
		return sh.print(render.Visible(id))
	}
	n, err := call(ctx, sh, ops.NodeGet, ops.NodeGetIn{In: ops.In{WorkspaceID: ws.Workspace.ID}, NodeID: id})
	if err != nil {
		return err
	}
	row := []cell{{text: id}, {text: n.Node.Status, status: n.Node.Status}, {text: n.Node.Title}}
	return sh.print(sh.table([]string{"ID", "STATUS", "TITLE"}, [][]cell{row}))
}

func changesCommand(sh *shell) command {
	in := &ops.ChangesGetIn{}
	c := command{in: in, list: true}
	c.check = func(*cobra.Command) error {
		if in.SessionID == "" && in.Since == "" {
			return usagef("since when? --since TIME, or since a session last looked (--session, ARBOR_SESSION)")
		}
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.ChangesGetOut) error {
		var all []string
		style := sh.style()
		for _, c := range out.Changes {
			c.Path = sh.shown(c.Path)
			all = append(all, changeLine(c, style, sh.flags.quiet))
		}
		if in.Since == "" { // all of it: it counts as seen, and no later call names it
			sh.print(strings.Join(all, "\n"))
		} else {
			sh.bounded(all, "files")
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
	what := strings.Join(c.Fields, ", ")
	if len(c.Sections) > 0 {
		what += "; ## " + strings.Join(c.Sections, ", ## ")
	}
	if what = strings.TrimPrefix(what, "; "); what != "" {
		line += ": " + render.Visible(what)
	}
	return line
}
