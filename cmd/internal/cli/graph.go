package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

// graphCommand is the command of plan_graph. It prints text, a drawing in Mermaid or DOT, or JSON.
func graphCommand(sh *shell) command {
	in, format := &ops.PlanGraphIn{}, ""
	formats := []string{"text", "mermaid", "dot", "json"}
	c := command{in: in, list: true}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().StringVar(&format, "format", "text", "`text|mermaid|dot|json`")
		must(cmd.RegisterFlagCompletionFunc("format", choices(formats...)))
	}
	c.check = func(*cobra.Command) error {
		if !slices.Contains(formats, format) {
			return usagef("--format is %q; text, mermaid, dot and json are the formats", format)
		}
		sh.flags.json = sh.flags.json || format == "json"
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.PlanGraphOut) error {
		g := out.Graph(namesOf(sh, "").id)
		switch {
		case format == "mermaid":
			sh.print(g.Mermaid())
			return nil
		case format == "dot":
			sh.print(g.Dot())
			return nil
		case out.Unmatched:
			sh.say("%s", out.Hint)
			return nil
		case in.Waves && len(out.Waves)+len(out.Stuck) == 0:
			sh.say("no open work; arbor graph also shows finished nodes")
			return nil
		case in.Waves:
			return sh.bounded(lines(g.WavesText(sh.style())), "lines")
		case len(out.Edges) == 0:
			sh.say("no node depends on another one; arbor set NODE dependencies=OTHER makes it wait")
		}
		return sh.bounded(lines(g.Text(sh.style())), "lines")
	})
	return c
}

// moveCommand is arbor mv. With --parent all its words are nodes.
func moveCommand(sh *shell) command {
	parent := ""
	return command{
		show: showing(sh, showMoved),
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVarP(&parent, "parent", "p", "", "the `PARENT`, in place of the last word")
			must(cmd.RegisterFlagCompletionFunc("parent", completeFlag(sh, nodeOffers(nil))))
		},
		more: func() (words []string) {
			if parent != "" {
				words = append(words, parent)
			}
			return words
		},
	}
}

// showMoved prints what a move did, and which nodes wait or are ready because of it.
func showMoved(sh *shell, out *ops.NodeMoveOut) error {
	err := sh.wrote(out, out.Wrote, "")
	sayEach(sh, "waits now", out.Blocked)
	sayEach(sh, "ready now", out.Unblocked)
	return err
}

// sayEach prints a line with what for each node.
func sayEach(sh *shell, what string, nodes []ops.Titled) {
	id := namesOf(sh, "").id
	for _, n := range nodes {
		sh.say("%s: %s  %s", what, n.Title, id(n.NodeID))
	}
}

// shortIDs returns ids as a list shows them.
func shortIDs(short func(string) string, ids []string) (all []string) {
	for _, id := range ids {
		all = append(all, short(id))
	}
	return all
}
