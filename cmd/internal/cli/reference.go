package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
	"arbor/mdstore"
)

type refOptions struct {
	*shell
	in ops.NodeReferenceIn
}

func newRef(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "ref NODE", Short: "Read the references of a node, or change them",
		Long: `Without a verb it lists them. A reference names another node or a document; the
context of the node brings what an active one says: one hop, no further.`,
		Example: `arbor ref node-mj2hz4gy
arbor ref add node-mj2hz4gy "Sign-in endpoint" "the limits are there"
arbor ref add node-mj2hz4gy docs/api.md
arbor ref expire node-mj2hz4gy docs/api.md`,
		Args:              args(1, 1, "a NODE, or a verb: add, remove, expire, activate"),
		ValidArgsFunction: sh.completeNodes(nil, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			return runRefs(cmd.Context(), &refOptions{shell: sh, in: ops.NodeReferenceIn{NodeID: words[0]}})
		},
	}
	sh.lists(cmd)
	cmd.AddCommand(
		newRefChange(sh, "add", "Add a reference to a node or a document", `arbor ref add node-mj2hz4gy docs/api.md "the endpoints"`, nil),
		newRefChange(sh, "remove", "Remove a reference", "arbor ref remove node-mj2hz4gy docs/api.md", nil),
		newRefChange(sh, "expire", "Keep a reference, but out of the context", "arbor ref expire node-mj2hz4gy docs/api.md", nil),
		newRefChange(sh, "activate", "Bring an expired reference back", "arbor ref activate node-mj2hz4gy docs/api.md", nil))
	return cmd
}

func runRefs(ctx context.Context, opt *refOptions) (err error) {
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	out, err := call(ctx, opt.shell, ops.NodeGet, ops.NodeGetIn{In: opt.shell.in(), NodeID: opt.in.NodeID})
	if err != nil {
		return err
	}
	refs := out.Node.References
	if opt.flags.json {
		return opt.json(struct {
			References []ops.Reference `json:"references"`
			ops.Out
		}{refs, hinted("arbor ref add adds to them; arbor context brings what the active ones say")})
	}
	if len(refs) == 0 {
		opt.say("%s has no references", out.Node.Title)
		return nil
	}
	docs := make([]mdstore.Ref, len(refs))
	for i, r := range refs {
		docs[i] = mdstore.Ref{Target: r.Target, Description: r.Description, Expired: r.Expired}
	}
	return opt.docLines(docs, "references")
}

func newRefChange(sh *shell, action, short, example string, run func(context.Context, *refOptions) error) *cobra.Command {
	if run == nil {
		run = runRefChange
	}
	opt := &refOptions{shell: sh, in: ops.NodeReferenceIn{Action: action}}
	use, words := action+" NODE TARGET", args(2, 2, "a NODE and a TARGET")
	if action == "add" {
		use, words = "add NODE TARGET [DESC]", args(2, 3, "a NODE and a TARGET", "a DESC")
	}
	cmd := &cobra.Command{
		Use: use, Short: short, Example: example,
		Long: "The target is a node, or the path of a document relative to the project.",
		Args: words,
		ValidArgsFunction: func(cmd *cobra.Command, words []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if action != "add" && len(words) == 1 {
				return sh.completeReferences(cmd, action, words[0], prefix)
			}
			found, _ := sh.completeNodes(nil, 2)(cmd, words, prefix)
			if len(words) == 1 {
				return found, cobra.ShellCompDirectiveDefault // documents as well
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.NodeID, opt.in.TargetIDOrPath = words[0], words[1]
			if len(words) > 2 {
				opt.in.Description = words[2]
			}
			return run(cmd.Context(), opt)
		},
	}
	sh.matches(cmd)
	return cmd
}

func runRefChange(ctx context.Context, opt *refOptions) (err error) {
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	out, err := call(ctx, opt.shell, ops.NodeReference, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}
