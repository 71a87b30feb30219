package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

type logOptions struct {
	*shell
	in   ops.LogAppendIn
	text textSource
}

func newLog(sh *shell, run func(context.Context, *logOptions) error) *cobra.Command {
	if run == nil {
		run = runLog
	}
	opt := &logOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "log [NODE] [EVENT | -]", Short: "Add to the log of a node or of the workspace, or read it",
		Long: `With an EVENT, or with -m, -F, - or -e, it adds an entry: the time in UTC, who
(--as), and the event, which may have several lines. Without a text it prints the
log, oldest entry first. Without NODE it is the workspace's log.`,
		Example: `arbor log node-mj2hz4gy "The limit is 5 tries a minute"
arbor log -m "Moved the release to Friday"
git log -1 --format=%B | arbor log node-mj2hz4gy -
arbor log node-mj2hz4gy`,
		Args:              args(0, 2, "a NODE and an EVENT"),
		ValidArgsFunction: sh.completeNodes(nil, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				opt.in.NodeID = words[0]
				words = words[1:]
			}
			if err := opt.text.parsed(cmd, words); err != nil {
				return err
			}
			return run(cmd.Context(), opt)
		},
	}
	opt.text.flags(cmd, "the event")
	sh.lists(cmd)
	sh.writes(cmd)
	return cmd
}

func runLog(ctx context.Context, opt *logOptions) (err error) {
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	if !opt.text.given() {
		return orText(showLog(ctx, opt), "arbor log -m EVENT writes to the workspace's log")
	}
	if opt.in.Operator, err = opt.operator(); err != nil {
		return err
	}
	if opt.in.Operator == "" {
		opt.in.Operator = mdstore.OperatorHuman
	}
	opt.in.In, opt.in.Write = opt.shell.in(), opt.write()
	if opt.in.Event, err = opt.text.read(ctx, opt.shell, nil); err != nil {
		return err
	}
	out, err := call(ctx, opt.shell, ops.LogAppend, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}

// orText adds to what is said of an only word that names no node what would have made a text of it.
func orText(err error, how string) error {
	if !isCode(err, engine.NodeNotFound) {
		return err
	}
	e := *engine.AsError(err)
	e.Message += "; if it is a text: " + how
	return &e
}

func showLog(ctx context.Context, opt *logOptions) error {
	var entries []mdstore.LogEntry
	var wrong []mdoc.Diagnostic
	hidden := 0
	if opt.in.NodeID == "" {
		out, err := call(ctx, opt.shell, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: opt.shell.in()})
		if err != nil {
			return err
		}
		entries, hidden, wrong = out.Log, out.LogHidden, out.Diagnostics
	} else {
		out, err := call(ctx, opt.shell, ops.NodeGet, ops.NodeGetIn{In: opt.shell.in(), NodeID: opt.in.NodeID})
		if err != nil {
			return err
		}
		entries, wrong = out.Node.Log, out.Node.Diagnostics
	}
	hint := "arbor log NODE EVENT adds to it"
	if opt.in.NodeID == "" {
		hint = "arbor log -m EVENT adds to it"
	}
	if opt.flags.json {
		return opt.json(struct {
			Log         []mdstore.LogEntry `json:"log"`
			Hidden      int                `json:"logHidden,omitempty"`
			Diagnostics []mdoc.Diagnostic  `json:"diagnostics,omitempty"`
			ops.Out
		}{entries, hidden, wrong, hinted(hint)})
	}
	p := opt.page()
	if room := listLines - 1; len(entries) > listLines && !opt.flags.all {
		hidden += len(entries) - room
		entries = entries[len(entries)-room:]
	}
	for _, e := range entries {
		p.b.WriteString(p.entry(e) + "\n")
	}
	if err := p.print(); err != nil {
		return err
	}
	opt.damage(wrong)
	switch {
	case len(entries) == 0:
		opt.say("the log is empty")
	case hidden > 0 && opt.in.NodeID != "":
		opt.warn("%d earlier entries are not shown; --all brings them", hidden)
	case hidden > 0:
		opt.warn("%d earlier entries are not shown; they are in Workspace.md", hidden)
	}
	opt.hint(hint)
	return nil
}

type problemOptions struct {
	*shell
	in    ops.ProblemUpdateIn
	text  textSource
	clear bool
}

func newProblem(sh *shell, run func(context.Context, *problemOptions) error) *cobra.Command {
	if run == nil {
		run = runProblem
	}
	opt := &problemOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "problem [NODE] [TEXT | -]", Short: "Say what is wrong with a node or the workspace, clear it, or read it",
		Long: `A problem is what is wrong now and what to do about it; it is part of every context
below. With a TEXT, or with -m, -F, - or -e, it takes the place of the one there
is. Without a text it prints the problem. Without NODE it is the workspace's.`,
		Example: `arbor problem node-mj2hz4gy "The test server is down" --next "Ask ops on Monday"
arbor problem -m "The release date is at risk"
arbor problem node-mj2hz4gy --clear`,
		Args:              args(0, 2, "a NODE and a TEXT"),
		ValidArgsFunction: sh.completeNodes(nil, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				opt.in.NodeID = words[0]
				words = words[1:]
			}
			if err := opt.text.parsed(cmd, words); err != nil {
				return err
			}
			if opt.clear && (opt.text.given() || opt.in.NextStep != "") {
				return usagef("--clear takes the problem away; it goes with no text and no --next")
			}
			if !opt.text.given() && opt.in.NextStep != "" {
				return usagef("--next goes with the problem: TEXT, -m, -F, - or -e")
			}
			return run(cmd.Context(), opt)
		},
	}
	opt.text.flags(cmd, "the problem")
	cmd.Flags().StringVar(&opt.in.NextStep, "next", "", "what to do about it: the next `STEP`")
	cmd.Flags().BoolVar(&opt.clear, "clear", false, "nothing is wrong any more")
	must(cmd.RegisterFlagCompletionFunc("next", cobra.NoFileCompletions))
	mayBeEmpty(cmd, "next")
	sh.matches(cmd)
	return cmd
}

func runProblem(ctx context.Context, opt *problemOptions) (err error) {
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	if opt.clear {
		out, err := call(ctx, opt.shell, ops.ProblemClear, ops.ProblemClearIn{In: opt.in.In, NodeID: opt.in.NodeID, Match: opt.in.Match, Write: opt.in.Write})
		if err != nil {
			return err
		}
		return opt.wrote(out, *out, "")
	}
	if !opt.text.given() {
		return orText(showProblem(ctx, opt), "arbor problem -m TEXT says what is wrong with the workspace")
	}
	opt.in.Problem, err = opt.text.read(ctx, opt.shell, func() (string, error) {
		p, _, err := getProblem(ctx, opt)
		if err != nil || p == nil {
			return "", err
		}
		return p.Text, nil
	})
	if err != nil {
		return err
	}
	out, err := call(ctx, opt.shell, ops.ProblemUpdate, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, *out, "")
}

func getProblem(ctx context.Context, opt *problemOptions) (pr *mdstore.Problem, wrong []mdoc.Diagnostic, err error) {
	if opt.in.NodeID == "" {
		out, err := call(ctx, opt.shell, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: opt.in.In})
		if err != nil {
			return nil, nil, err
		}
		return out.Problem, out.Diagnostics, nil
	}
	out, err := call(ctx, opt.shell, ops.NodeGet, ops.NodeGetIn{In: opt.in.In, NodeID: opt.in.NodeID})
	if err != nil {
		return nil, nil, err
	}
	return out.Node.Problem, out.Node.Diagnostics, nil
}

func showProblem(ctx context.Context, opt *problemOptions) error {
	pr, wrong, err := getProblem(ctx, opt)
	if err != nil {
		return err
	}
	if opt.flags.json {
		hint := "arbor problem --clear takes it away when it is solved"
		if pr == nil {
			hint = "nothing is wrong; arbor problem NODE TEXT says what is, and -m TEXT what is wrong with the workspace"
		}
		return opt.json(struct {
			Problem     *mdstore.Problem  `json:"problem"`
			Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty"`
			ops.Out
		}{pr, wrong, hinted(hint)})
	}
	opt.damage(wrong)
	if pr == nil {
		opt.say("no problem")
		return nil
	}
	text := pr.Text
	if pr.NextStep != "" {
		text += "\n\n### " + mdstore.NextStep + "\n\n" + pr.NextStep
	}
	return opt.shell.text(text)
}
