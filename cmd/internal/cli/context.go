package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

type contextOptions struct {
	*shell
	in                ops.ContextGetIn
	noLog, noProblems bool
}

func newContext(sh *shell, run func(context.Context, *contextOptions) error) *cobra.Command {
	if run == nil {
		run = runContext
	}
	opt := &contextOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "context [NODE]", Short: "Gather what somebody working on a node must know", Aliases: []string{"ctx"},
		Long: `The workspace's goal and rules, the way from the root (or the nearest isolated
node) to the node, the conclusions of its children and what it refers to; nothing
else. Without NODE it is the focused one. --budget keeps it short: what is left
out is listed with its size. Four bytes count as a token, of the Markdown, or of
the JSON without its indentation and the members changes and hint. After nodes were
moved by hand, arbor list looks at every file; this looks at those that it shows.`,
		Example:           "arbor context\narbor context node-mj2hz4gy --budget 4000\narbor context . --format json",
		Args:              args(0, 1, "one NODE"),
		ValidArgsFunction: sh.completeNodes(nil, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				opt.in.NodeID = words[0]
			}
			no := false
			if opt.noLog || cmd.Flags().Changed("log") && opt.in.MaxLogEntries == 0 {
				opt.in.IncludeLog = &no
			}
			if opt.noProblems {
				opt.in.IncludeProblem = &no
			}
			switch opt.in.Format {
			case "", "md", "markdown":
				opt.in.Format = "markdown"
			case "json":
				sh.flags.json = true
			default:
				return usagef("--format is %q; md and json are the formats", opt.in.Format)
			}
			if sh.flags.json && !cmd.Flags().Changed("format") {
				opt.in.Format = "json"
			}
			return run(cmd.Context(), opt)
		},
	}
	fs := cmd.Flags()
	fs.IntVarP(&opt.in.Budget, "budget", "b", 0, "at most `N` tokens of four bytes each")
	fs.StringVar(&opt.in.Format, "format", "", "`md|json`; md unless said otherwise")
	fs.IntVar(&opt.in.MaxLogEntries, "log", 0, "the newest `N` log entries of each node, 0 for none; 20 unless said otherwise")
	fs.BoolVar(&opt.noLog, "no-log", false, "no log entries")
	fs.BoolVar(&opt.in.ReverseLog, "reverse-log", false, "newest log entries first")
	fs.BoolVar(&opt.noProblems, "no-problem", false, "no problems")
	must(cmd.RegisterFlagCompletionFunc("format", choices("md", "json")))
	must(cmd.RegisterFlagCompletionFunc("budget", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("log", cobra.NoFileCompletions))
	return cmd
}

func runContext(ctx context.Context, opt *contextOptions) (err error) {
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	opt.in.In = opt.shell.in()
	out, err := call(ctx, opt.shell, ops.ContextGet, opt.in)
	if err != nil {
		return err
	}
	if opt.flags.json {
		return opt.json(out)
	}
	if err := opt.text(out.Markdown); err != nil {
		return err
	}
	if out.Changes > 0 {
		opt.say("%s changed since this session last looked; arbor changes tells what", counted(out.Changes, "file"))
	}
	opt.hint(out.Hint)
	return nil
}

type focusOptions struct {
	*shell
	in ops.ContextFocusIn
}

func newFocus(sh *shell, run func(context.Context, *focusOptions) error) *cobra.Command {
	if run == nil {
		run = runFocus
	}
	opt := &focusOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "focus [NODE]", Short: "Move the workspace's focus to a node, or tell where it is",
		Long:              "The focused node is the one that \".\" names, and the default of arbor context.",
		Example:           "arbor focus node-mj2hz4gy\narbor focus",
		Args:              args(0, 1, "one NODE"),
		ValidArgsFunction: sh.completeNodes(nil, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				opt.in.NodeID = words[0]
			}
			return run(cmd.Context(), opt)
		},
	}
	sh.matches(cmd)
	return cmd
}

func runFocus(ctx context.Context, opt *focusOptions) (err error) {
	if opt.in.NodeID == "" {
		return showFocus(ctx, opt.shell)
	}
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	out, err := call(ctx, opt.shell, ops.ContextFocus, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}

func showFocus(ctx context.Context, sh *shell) error {
	ws, err := call(ctx, sh, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: sh.in()})
	if err != nil {
		return err
	}
	id := ws.Workspace.FocusedNodeID
	if sh.flags.json {
		hint := "arbor context brings what is to be known about it; arbor focus NODE moves it"
		if id == "" {
			hint = "no node has the focus; arbor focus NODE gives it to one"
		}
		return sh.json(struct {
			FocusedNodeID string `json:"focusedNodeId"`
			ops.Out
		}{id, hinted(hint)})
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
	return sh.print(sh.table([]string{"ID", "STATUS", "TITLE"}, [][]cell{{{text: id}, {text: n.Node.Status, status: n.Node.Status}, {text: n.Node.Title}}}))
}
