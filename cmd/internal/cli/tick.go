package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

// tickCommand is arbor tick: the part of node update that ticks boxes, with the evidence as its text.
func tickCommand(sh *shell) command {
	in, text, off := &ops.NodeUpdateIn{}, &textSource{}, false
	c := command{op: "node_update", in: in, text: text, help: ops.Help{
		Use: "tick NODE CRITERION...", Summary: "tick acceptance criteria of a node",
		Text: `A CRITERION is its number in arbor show, or the beginning of its text. Only the
check boxes change in the file; -m adds the evidence to the log. Check boxes of
the requirement can be ticked the same way. With --session, if the list changed
since the session last read it, the first try is refused and shows the new list.`,
		Example: `arbor tick "Sign-in endpoint" 2 3 -m "go test ./login: ok"
arbor tick . "the limit"
arbor tick . 2 --off`,
	}}
	op, _ := ops.Find(c.op)
	for _, p := range op.Params() {
		if !slices.Contains([]string{"nodeId", "checked", "ifMatch", "dryRun"}, p.Name) {
			c.without = append(c.without, p.Name)
		}
	}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().BoolVar(&off, "off", false, "open them again")
		text.flags(cmd, "the evidence")
	}
	c.check = func(*cobra.Command) error {
		if off {
			in.Checked, in.Unchecked = nil, in.Checked
		}
		return nil
	}
	c.put = func(s string) { in.Evidence = s }
	c.offers = func(ctx context.Context, words []string) []offer {
		if len(words) > 0 {
			return nil
		}
		return nodeOffers(func(n *ops.TreeNode) bool { return n.Ticked != "" })(ctx, sh)
	}
	return c
}
