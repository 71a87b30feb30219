package cli

import (
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/claims"
	"arbor/engine/ops"
	"arbor/mdstore"
)

func nextCommand(sh *shell) command {
	in, lease := &ops.NodeNextIn{}, time.Duration(0)
	c := command{in: in, list: true}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().DurationVar(&lease, "lease", 0, "claim for `HOW LONG`; 30m unless given, 24h at most")
		must(cmd.RegisterFlagCompletionFunc("lease", cobra.NoFileCompletions))
	}
	c.check = func(cmd *cobra.Command) error {
		leased := cmd.Flags().Changed("lease")
		switch {
		case in.Claim && sh.flags.all:
			return usagef("--claim takes as many as -n says, and no other session gets them; --all would take every one")
		case in.Release != "" && (in.Claim || sh.flags.all || in.Count != nil || leased):
			return usagef("--release gives one node back, and goes with none of --claim, --count, --lease and --all")
		case in.Count != nil && *in.Count == 0:
			return usagef("-n/--count is 0; 1 is the least")
		case leased && !in.Claim:
			return usagef("--lease says how long a claim lasts, and nothing is claimed without --claim; use both")
		case leased && (lease < time.Second || lease > claims.MaxLease):
			return usagef("--lease is %v; a second is the shortest, and %.0fh the longest", lease, claims.MaxLease.Hours())
		}
		if sh.flags.all && in.Count == nil {
			in.Count = new(math.MaxInt32)
		}
		in.LeaseSeconds = int(lease / time.Second)
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.NodeNextOut) error { return showNext(sh, in, out) })
	return c
}

func showNext(sh *shell, in *ops.NodeNextIn, out *ops.NodeNextOut) error {
	switch {
	case out.Released:
		return sh.print(render.Visible(in.Release) + " is claimed no more\n")
	case in.Release != "":
		sh.say("%s: it was not claimed", in.Release)
		return nil
	}
	var rows [][]cell
	for _, n := range out.Nodes {
		title := n.Title
		if len(n.Way) > 0 {
			title += "  in " + strings.Join(n.Way, " / ")
		}
		if whose := whose(n.Claim); whose != "" {
			title += "  (" + whose + ")"
		}
		status := cell{text: render.SignOf(n.Status, sh.ascii()) + " " + n.Status, status: n.Status}
		rows = append(rows, []cell{{text: n.NodeID, sgr: "2"}, status, {text: title}})
	}
	sh.flags.all = sh.flags.all || in.Claim // all that is claimed is printed
	if err := sh.boundedTable("nodes", []string{"ID", "STATUS", "TITLE"}, rows); err != nil || sh.flags.quiet {
		return err
	}
	switch rest := out.Ready - out.Claimed - len(out.Nodes); {
	case out.Ready == 0:
		sh.say("no node is ready")
	case rest > 0:
		sh.say("%d more are ready; -n brings them", rest)
	}
	if out.Claimed > 0 {
		sh.say("%d are claimed already", out.Claimed)
	}
	sh.hint(out.Hint)
	return nil
}

// whose says which session has claimed a node, or had.
func whose(c ops.Claim) string {
	var parts []string
	if c.ClaimedBy != "" {
		parts = append(parts, "claimed by "+c.ClaimedBy+" until "+timeOf(c.LeasedUntil))
	}
	if l := c.Lapsed; l != nil {
		parts = append(parts, "begun by "+l.Session+l.Operator+", which claimed it "+timeOf(l.Since)+" and is gone")
	}
	return strings.Join(parts, "; ")
}

func timeOf(ms int64) string { return time.UnixMilli(ms).UTC().Format(mdstore.TimeLayout) + " UTC" }
