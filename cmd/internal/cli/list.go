package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/statemachine"
)

type listOptions struct {
	*shell
	in ops.NodeListIn
}

func newList(sh *shell, run func(context.Context, *listOptions) error) *cobra.Command {
	if run == nil {
		run = runList
	}
	opt := &listOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "list [NODE]", Short: "List nodes, one a line, in tree order", Aliases: []string{"ls"},
		Long: `Id, status, type and title of every node, or of those below NODE. Made for grep and
scripts: -q prints nothing but ids. When there are more than fit, the next page
comes with the cursor that is printed, or all at once with --all.`,
		Example:           "arbor list --status implementing,validating\narbor list Backend --type execution -q\narbor list --all | grep -i login",
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
	cmd.Flags().IntVarP(&opt.in.Limit, "limit", "n", 0, "at most `N` nodes")
	cmd.Flags().StringVar(&opt.in.Cursor, "cursor", "", "go on where an earlier page stopped, at its `CURSOR`")
	must(cmd.RegisterFlagCompletionFunc("limit", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("cursor", cobra.NoFileCompletions))
	return cmd
}

// treeFlags adds the flags that choose nodes.
func treeFlags(sh *shell, cmd *cobra.Command, in *ops.NodeListIn) {
	cmd.Flags().IntVarP(&in.Depth, "depth", "d", 0, "only `N` levels below the start")
	cmd.Flags().StringSliceVarP(&in.Status, "status", "s", nil, "only nodes in these `STATUSES`, separated by commas")
	cmd.Flags().StringVarP(&in.Type, "type", "t", "", "only `planning|execution` nodes")
	var statuses, types []string
	for _, t := range statemachine.Types() {
		types = append(types, string(t))
		for _, s := range statemachine.Statuses(t) {
			if !slices.Contains(statuses, string(s)) {
				statuses = append(statuses, string(s))
			}
		}
	}
	must(cmd.RegisterFlagCompletionFunc("depth", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("status", choices(statuses...)))
	must(cmd.RegisterFlagCompletionFunc("type", choices(types...)))
	sh.lists(cmd)
}

func runList(ctx context.Context, opt *listOptions) (err error) {
	if opt.in.RootID, err = opt.node(ctx, opt.in.RootID); err != nil {
		return err
	}
	opt.in.In = opt.shell.in()
	switch {
	case opt.flags.all:
		opt.in.Limit = -1
	case opt.in.Limit == 0 && !opt.flags.json:
		opt.in.Limit = listLines - 2 // the head and what tells of the rest are lines too
	}
	out, err := call(ctx, opt.shell, ops.NodeList, opt.in)
	if err != nil {
		return err
	}
	if opt.flags.json {
		return opt.json(out)
	}
	matching := func(n *ops.TreeNode) bool {
		return (len(opt.in.Status) == 0 || slices.Contains(opt.in.Status, n.Status)) && (opt.in.Type == "" || opt.in.Type == n.Type)
	}
	rows, ids := make([][]cell, 0, out.Shown), []string{}
	cells := make([]cell, 0, 4*out.Shown)
	signed, ascii := map[string]string{}, opt.ascii() // statuses with their signs, of which there are few
	walk(out.Tree, func(n *ops.TreeNode, _ int) {
		switch {
		case !matching(n): // only the way to others
			return
		case opt.flags.quiet:
			ids = append(ids, render.Visible(n.ID))
			return
		case signed[n.Status] == "":
			signed[n.Status] = render.SignOf(n.Status, ascii) + " " + n.Status
		}
		at := len(cells)
		cells = append(cells, cell{text: n.ID, sgr: "2"}, cell{text: signed[n.Status], status: n.Status}, cell{text: n.Type}, cell{text: n.Title + remarks(n)})
		rows = append(rows, cells[at:len(cells):len(cells)])
	})
	text := strings.Join(ids, "\n")
	if !opt.flags.quiet {
		text = opt.table([]string{"ID", "STATUS", "TYPE", "TITLE"}, rows)
	}
	if err := opt.print(text); err != nil {
		return err
	}
	if len(rows)+len(ids) == 0 {
		opt.say("no such nodes")
	}
	opt.lost(out.Lost)
	if out.Cursor != "" {
		opt.warn("%d of %d nodes; --cursor %s brings what follows, --all everything", out.Shown, out.Total, out.Cursor)
	}
	return nil
}

// lost tells of files that belong to no node of the tree, so that nobody takes a list for all there is.
func (sh *shell) lost(files int) {
	if files > 0 {
		sh.warn("%s; arbor check names them", ops.LostFiles(files))
	}
}

// remarks are what a list says of a node after its title.
func remarks(n *ops.TreeNode) string {
	s := ""
	for _, m := range []struct {
		on   bool
		text string
	}{{n.Focused, "focus"}, {n.HasProblem, "! problem"}, {n.Damaged, "!! damaged"}, {n.Isolated, "isolated"}} {
		if m.on {
			s += "  " + m.text
		}
	}
	return s
}

// walk calls f for each node and its depth, a parent before its children.
func walk(nodes []*ops.TreeNode, f func(*ops.TreeNode, int)) { walkFrom(nodes, 0, f) }

func walkFrom(nodes []*ops.TreeNode, depth int, f func(*ops.TreeNode, int)) {
	for _, n := range nodes {
		f(n, depth)
		walkFrom(n.Children, depth+1, f)
	}
}
