package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

type statusOptions struct {
	*shell
	in ops.WorkspaceStatusIn
}

func newStatus(sh *shell, run func(context.Context, *statusOptions) error) *cobra.Command {
	if run == nil {
		run = runStatus
	}
	opt := &statusOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "status [WS]", Short: "Show the tree of a workspace with progress, focus and problems", Aliases: []string{"st"},
		Long: `The goal, how many execution nodes are done (completed, failed or cancelled), the
whole tree, open problems with their next steps, and files that are damaged.
--format markdown is for pasting it somewhere.`,
		Example:           "arbor status\narbor status Login --format markdown",
		Args:              args(0, 1, "one workspace"),
		ValidArgsFunction: sh.completeWorkspaces,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := sh.workspaceWord(words); err != nil {
				return err
			}
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().StringVar(&opt.in.Format, "format", "", "`box|markdown`; box unless said otherwise")
	must(cmd.RegisterFlagCompletionFunc("format", choices("box", "markdown")))
	sh.lists(cmd)
	return cmd
}

// The lines that the parts around the tree of a status may take.
const (
	problemLines    = 10 // problems, two lines each
	diagnosticLines = 20
	aroundLines     = 12 // head, headings and the blank lines between them
)

func runStatus(ctx context.Context, opt *statusOptions) error {
	opt.in.In, opt.in.All = opt.shell.in(), true // what is shown is bounded below
	out, err := call(ctx, opt.shell, ops.WorkspaceStatus, opt.in)
	if err != nil {
		return err
	}
	switch {
	case opt.flags.json:
		return opt.json(out)
	case opt.flags.quiet:
		return opt.print(render.Visible(out.Workspace.ID))
	}
	head := boardHead(out, opt.flags.all)
	room := 0
	if !opt.flags.all {
		room = listLines - aroundLines - 2*len(head.Problems) - len(head.Damaged)
	}
	rows, hidden := fit(out.Tree, room)
	style := opt.style()
	style.Markdown = opt.in.Format == "markdown"
	if err := opt.print(render.Board(head, rows, style)); err != nil {
		return err
	}
	if hidden > 0 {
		opt.warn("%d of %d nodes are not shown; --all brings them, arbor tree NODE those below one", hidden, out.Counts.Total)
	}
	opt.hint(out.Hint)
	return nil
}

func boardHead(out *ops.WorkspaceStatusOut, all bool) render.BoardHead {
	w := out.Workspace
	h := render.BoardHead{
		ID: w.ID, Name: w.Name, Goal: w.Goal, Archived: w.Status == "archived", Rules: len(w.Rules),
		Done: out.Counts.Done, Work: out.Counts.Work, ByStatus: out.Counts.ByStatus,
	}
	if out.Problem != nil {
		h.Problem = render.BoardProblem{Problem: out.Problem.Text, NextStep: out.Problem.NextStep}
	}
	for i, p := range out.Problems {
		if i == problemLines && !all {
			h.MoreProblems = len(out.Problems) - i
			break
		}
		h.Problems = append(h.Problems, render.BoardProblem{ID: p.NodeID, Title: p.Title, Problem: p.Text, NextStep: p.NextStep})
	}
	for i, d := range out.Diagnostics {
		if i == diagnosticLines && !all {
			h.MoreDamaged = len(out.Diagnostics) - i
			break
		}
		h.Damaged = append(h.Damaged, d.String())
	}
	return h
}

type treeOptions struct {
	*shell
	in ops.NodeListIn
}

func newTree(sh *shell, run func(context.Context, *treeOptions) error) *cobra.Command {
	if run == nil {
		run = runTree
	}
	opt := &treeOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "tree [NODE]", Short: "Draw the tree of nodes, or the part below one",
		Long: `One line each: status sign, title, id, and marks for focus, problems, damage and
isolation. A tree that is too long is drawn to the depth that fits; what is left
out is counted where it would be.`,
		Example:           "arbor tree\narbor tree Backend --depth 2\narbor tree --status pending,implementing",
		Args:              args(0, 1, "one NODE"),
		ValidArgsFunction: sh.completeNodes(nil, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				opt.in.RootID = words[0]
			}
			return run(cmd.Context(), opt)
		},
	}
	treeFlags(sh, cmd, &opt.in)
	return cmd
}

func runTree(ctx context.Context, opt *treeOptions) (err error) {
	if opt.in.RootID, err = opt.node(ctx, opt.in.RootID); err != nil {
		return err
	}
	opt.in.In = opt.shell.in()
	if opt.flags.all || !opt.flags.json {
		opt.in.Limit = -1 // what is too long is cut by depth below
	}
	out, err := call(ctx, opt.shell, ops.NodeList, opt.in)
	if err != nil {
		return err
	}
	if opt.flags.json {
		return opt.json(out)
	}
	if opt.flags.quiet {
		opt.lost(out.Lost)
		var ids []string
		walk(out.Tree, func(n *ops.TreeNode, _ int) { ids = append(ids, render.Visible(n.ID)) })
		return opt.bounded(ids, "nodes", "--all brings the rest")
	}
	room := 0
	if !opt.flags.all {
		room = listLines - 2
	}
	rows, hidden := fit(out.Tree, room)
	if err := opt.print(render.Tree(rows, opt.style())); err != nil {
		return err
	}
	if len(rows) == 0 {
		opt.say("no such nodes")
	}
	if hidden > 0 {
		opt.warn("%d nodes are not shown; --all brings them, arbor tree NODE those below one", hidden)
	}
	opt.lost(out.Lost)
	return nil
}
