package cli

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
)

type nextOptions struct {
	*shell
	in    ops.NodeNextIn
	count int
	lease time.Duration
}

func newNext(sh *shell, run func(context.Context, *nextOptions) error) *cobra.Command {
	if run == nil {
		run = runNext
	}
	opt := &nextOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "next", Short: "Tell which nodes are ready to be worked on", Aliases: []string{"ready"},
		Long: `In tree order, the first one unless -n says more. Work that somebody has claimed,
begun and left is among them.

--claim takes them: nobody else is given them while the claim lasts. What you
write to a node makes it last longer; completing the node ends it, and so does
--release. A session is given its own nodes again before others; without one
(--session, ARBOR_SESSION) a claim is of the operator (--as), whom it is not
given twice. Other sessions of assistants cannot start a claimed node; a person
can, and can release any.`,
		Example:           "arbor next\narbor next -n 5\narbor start $(arbor next --claim -q)\narbor next --claim --session alice --lease 2h\narbor next --release node-mj2hz4gy --session alice",
		Args:              args(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.in.SessionID = sh.session()
			if opt.in.Claim && sh.flags.all {
				return usagef("--claim takes as many as -n says, and nobody else is given them; --all would take every one")
			}
			if cmd.Flags().Changed("release") {
				switch {
				case opt.in.Release == "":
					return usagef("--release needs a NODE")
				case opt.in.Claim || sh.flags.all || cmd.Flags().Changed("count") || cmd.Flags().Changed("lease"):
					return usagef("--release gives one node back, and goes with none of --claim, --count, --lease and --all")
				}
			}
			switch {
			case cmd.Flags().Changed("count"):
				if opt.in.Count = &opt.count; opt.count == 0 {
					return usagef("-n/--count is 0; 1 is the least")
				}
			case sh.flags.all:
				opt.in.Count = new(math.MaxInt32)
			}
			switch leased := cmd.Flags().Changed("lease"); {
			case leased && !opt.in.Claim:
				return usagef("--lease says how long what is taken stays taken, and nothing is taken without --claim; use both")
			case leased && (opt.lease < time.Second || opt.lease > engine.MaxLease):
				return usagef("--lease is %v; a second is the shortest, and %.0fh the longest", opt.lease, engine.MaxLease.Hours())
			}
			opt.in.LeaseSeconds = int(opt.lease / time.Second)
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().IntVarP(&opt.count, "count", "n", 0, "at most `N` nodes; 1 unless said otherwise")
	cmd.Flags().BoolVar(&opt.in.Claim, "claim", false, "take them")
	cmd.Flags().DurationVar(&opt.lease, "lease", 0, "for `HOW LONG`; 30m unless said otherwise, 24h at most")
	cmd.Flags().StringVar(&opt.in.Release, "release", "", "give back a `NODE` that is claimed")
	must(cmd.RegisterFlagCompletionFunc("count", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("lease", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("release", sh.completeNodes(nil, -1)))
	sh.lists(cmd)
	return cmd
}

func runNext(ctx context.Context, opt *nextOptions) error {
	opt.in.In = opt.shell.in()
	if opt.in.Release != "" {
		var err error
		if opt.in.Release, err = opt.node(ctx, opt.in.Release); err != nil {
			return err
		}
	}
	out, err := call(ctx, opt.shell, ops.NodeNext, opt.in)
	if err != nil {
		return err
	}
	switch {
	case opt.flags.json:
		return opt.json(out)
	case out.Released:
		return opt.print(render.Visible(opt.in.Release) + " is claimed no more\n")
	case opt.in.Release != "":
		opt.say("%s: nobody has claimed it", opt.in.Release)
		return nil
	}
	var rows [][]cell
	var ids []string
	for _, n := range out.Nodes {
		title := n.Title
		if len(n.Way) > 0 {
			title += "  in " + strings.Join(n.Way, " / ")
		}
		if whose := whose(n.Claim); whose != "" {
			title += "  (" + whose + ")"
		}
		sign := render.SignOf(n.Status, opt.ascii())
		rows = append(rows, []cell{{text: n.NodeID, sgr: "2"}, {text: sign + " " + n.Status, status: n.Status}, {text: title}})
		ids = append(ids, render.Visible(n.NodeID))
	}
	list, what := ids, "nodes"
	if !opt.flags.quiet {
		list, what = lines(opt.table([]string{"ID", "STATUS", "TITLE"}, rows)), "lines"
	}
	if opt.in.Claim { // all of it: who is not told what they have claimed keeps everybody else from it for nothing
		if err := opt.print(strings.Join(list, "\n")); err != nil {
			return err
		}
	} else if err := opt.bounded(list, what, "--all brings the rest"); err != nil {
		return err
	}
	if opt.flags.quiet {
		return nil
	}
	switch rest := out.Ready - out.Claimed - len(out.Nodes); {
	case out.Ready == 0:
		opt.say("no node is ready")
	case rest > 0:
		opt.say("%d more are ready; -n brings them", rest)
	}
	if out.Claimed > 0 {
		opt.say("%d are claimed already", out.Claimed)
	}
	opt.hint(out.Hint)
	return nil
}

// whose tells in words who has claimed a node, and who had.
func whose(c ops.Claim) string {
	var parts []string
	if c.ClaimedBy != "" {
		parts = append(parts, "claimed by "+c.ClaimedBy+" until "+timeOf(c.LeasedUntil))
	}
	if l := c.Lapsed; l != nil {
		parts = append(parts, "begun by "+l.Session+l.Operator+", who claimed it "+timeOf(l.Since)+" and is gone")
	}
	return strings.Join(parts, "; ")
}

func timeOf(ms int64) string { return time.UnixMilli(ms).UTC().Format(mdstore.TimeLayout) + " UTC" }
