package cli

import (
	"context"

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
		switch format {
		case "", "md", "markdown", "json":
		default:
			return usagef("--format is %q; md and json are the formats", format)
		}
		if in.Format = "markdown"; format == "json" || format == "" && sh.flags.json {
			in.Format, sh.flags.json = "json", true
		}
		return nil
	}
	c.show = showing(func(_ context.Context, out *ops.ContextGetOut) error {
		if err := sh.text(out.Markdown); err != nil {
			return err
		}
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
		return true, sh.showFocus(ctx)
	}}
}

func (sh *shell) showFocus(ctx context.Context) error {
	ws, err := call(ctx, sh, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: sh.in()})
	if err != nil {
		return err
	}
	id := ws.Workspace.FocusedNodeID
	if sh.flags.json {
		hint := "arbor context brings its context; arbor focus NODE moves it"
		if id == "" {
			hint = "no node has the focus; arbor focus NODE gives it to one"
		}
		return sh.json(struct {
			FocusedNodeID string `json:"focusedNodeId"`
			ops.Out
		}{id, ops.Out{Hint: hint}})
	}
	if id == "" {
		sh.say("no node has the focus")
		return nil
	}
	if sh.flags.quiet {
		return sh.print(render.Visible(id))
	}
	n, err := call(ctx, sh, ops.NodeGet, ops.NodeGetIn{In: ops.In{WorkspaceID: ws.Workspace.ID}, NodeID: id})
	if err != nil {
		return err
	}
	row := []cell{{text: id}, {text: n.Node.Status, status: n.Node.Status}, {text: n.Node.Title}}
	return sh.print(sh.table([]string{"ID", "STATUS", "TITLE"}, [][]cell{row}))
}
