package cli

import (
	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

func newRestore(sh *shell) *cobra.Command {
	in := ops.NodeRestoreIn{}
	cmd := &cobra.Command{
		Use: "restore NODE", Short: "Bring a deleted node and all below it back",
		Long: `NODE is the id or the exact title of what was deleted; of several the last one
comes back. It hangs below its old parent again; where that is gone, or with
--parent, below another one. References to it stay expired. A workspace comes
out of the archive by arbor ws restore.`,
		Example:           "arbor restore \"Sign-in endpoint\"\narbor restore node-mj2hz4gy --parent root",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, words []string) error {
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
