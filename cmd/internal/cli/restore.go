package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

func newRestore(sh *shell) *cobra.Command {
	in := ops.NodeRestoreIn{}
	cmd := &cobra.Command{
		Use: "restore [NODE]", Short: "List deleted nodes, or restore one with its subtree",
		Long: `Without NODE it lists the trash. NODE is the id or title of a deleted node; if
there are several, the one deleted last is restored. It returns to its old
parent; with --parent, or if the old parent is gone, to another one. References
to it stay expired. To restore an archived workspace, use arbor ws restore.`,
		Example:           "arbor restore\narbor restore \"Sign-in endpoint\"\narbor restore node-mj2hz4gy --parent root",
		ValidArgsFunction: completeFlag(sh, trashOffers),
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) == 0 {
				return showTrash(cmd.Context(), sh)
			}
			if in.In, in.NodeID, in.DryRun = sh.in(), words[0], sh.flags.dryRun; in.Parent == "." {
				id, err := sh.node(cmd.Context(), in.Parent)
				if err != nil {
					return err
				}
				in.Parent = id
			}
			out, err := call(cmd.Context(), sh, ops.NodeRestore, in)
			if err != nil {
				return err
			}
			return sh.wrote(out, out.Wrote, "")
		},
	}
	cmd.Flags().StringVarP(&in.Parent, "parent", "p", "", "the `PARENT` below which it hangs then")
	cmd.Flags().BoolVar(&in.Cascade, "cascade", false, "reopen completed or cancelled ancestors")
	must(cmd.RegisterFlagCompletionFunc("parent", completeFlag(sh, nodeOffers(nil))))
	sh.writes(cmd)
	return cmd
}

// trashOffers offers the deleted nodes.
func trashOffers(ctx context.Context, sh *shell) (all []offer) {
	out, err := call(ctx, sh, ops.Trash, sh.in())
	if err != nil {
		return nil
	}
	for _, n := range out.Nodes {
		all = append(all, offer{word: n.ID, desc: n.Title, named: true})
	}
	return all
}

// showTrash lists the deleted nodes.
func showTrash(ctx context.Context, sh *shell) error {
	out, err := call(ctx, sh, ops.Trash, sh.in())
	if err != nil {
		return err
	}
	if sh.flags.json {
		return sh.json(out)
	}
	var rows [][]cell
	id := names{long: wholeIDs(sh)}.short
	for _, n := range out.Nodes {
		rows = append(rows, []cell{{text: id(n.ID), sgr: "2"}, {text: counted(n.Nodes, "node")}, {text: n.Title}})
	}
	err = sh.bounded(sh.table([]string{"ID", "NODES", "TITLE"}, rows), "lines")
	sh.hint(out.Hint)
	return err
}
