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
	"arbor/statemachine"
)

func statusCell(sh *shell, status statemachine.Status) cell {
	return cell{text: render.SignOf(status, sh.ascii()) + " " + string(status), status: status}
}

// warnLost warns about files of nodes that are not in the tree.
func warnLost(sh *shell, files int) {
	if files > 0 {
		sh.warn("%s; arbor check names them", ops.LostFiles(files))
	}
}

// walk calls f for each node, a parent before its children.
func walk(nodes []*ops.TreeNode, f func(*ops.TreeNode)) {
	for _, n := range nodes {
		f(n)
		walk(n.Children, f)
	}
}

func treeCommand(sh *shell) command {
	in := &ops.NodeListIn{}
	c := command{op: "node_list", in: in, list: true, without: []string{"limit", "cursor", "sort"}, help: ops.Help{
		Use: "tree [NODE]", Summary: "draw the tree of nodes, or the part below one",
		Text: `Each line has a status sign, the title, the id, and marks for focus, problems,
damage and isolation. If the tree is too long, lower levels are replaced by
their number of nodes.`,
		Example: "arbor tree\narbor tree Backend --depth 2\narbor tree --status pending,implementing",
	}}
	c.check = func(*cobra.Command) error {
		if sh.flags.all || !sh.flags.json {
			in.Limit = -1 // showTree cuts a long tree by depth
		}
		return nil
	}
	c.show = showing(sh, showTree)
	return c
}

func showTree(sh *shell, out *ops.NodeListOut) error {
	if sh.flags.quiet {
		warnLost(sh, out.Lost)
		var ids []string
		walk(out.Tree, func(n *ops.TreeNode) { ids = append(ids, render.Visible(n.ID)) })
		return sh.bounded(ids, "nodes")
	}
	room := 0
	if !sh.flags.all {
		room = listLines - 2
	}
	rows, hidden := fit(out.Tree, room)
	sh.print(render.Tree(namesOf(sh, "").shorten(rows), sh.style()))
	if len(rows) == 0 {
		sh.say("%s", out.Hint)
	}
	if hidden > 0 {
		sh.warn("%d nodes are not shown; --all shows them, arbor tree NODE those below one", hidden)
	}
	warnLost(sh, out.Lost)
	return nil
}

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
			return usagef("--release gives one node back, and goes with none of --claim, --limit, --lease and --all")
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
	id := namesOf(sh, "").id
	for _, n := range out.Nodes {
		title := strings.Join(append([]string{n.Title}, n.Marks()...), "  ")
		if len(n.BlockedBy) > 0 {
			title += "  waits for " + strings.Join(shortIDs(id, n.BlockedBy), ", ")
		}
		for _, q := range n.Questions {
			title += "  asks: " + render.Visible(q.Text)
		}
		if len(n.Way) > 0 {
			title += "  in " + strings.Join(n.Way, " / ")
		}
		if whose := whose(n.Claim); whose != "" {
			title += "  (" + whose + ")"
		}
		rows = append(rows, []cell{{text: id(n.ID), sgr: "2"}, statusCell(sh, n.Status), {text: title}})
	}
	sh.flags.all = sh.flags.all || in.Claim // print everything that was claimed
	sh.bounded(sh.table([]string{"ID", "STATUS", "TITLE"}, rows), "lines")
	if sh.flags.quiet {
		return nil
	}
	switch rest := out.Ready - out.Claimed - len(out.Nodes); {
	case in.Blocked || out.Ready == 0: // the hint says it
	case rest > 0:
		sh.say("%d more are ready; -n lists them", rest)
	}
	if out.Claimed > 0 {
		sh.say("%d are claimed already", out.Claimed)
	}
	for i, r := range out.Running {
		if i == mostRunning {
			sh.say("%d more are running: arbor list --where is:running lists them", len(out.Running)-i)
			break
		}
		by := whose(r.Claim)
		sh.say("%s", strings.TrimSuffix("running: "+r.Title+"  "+id(r.NodeID)+"  ("+by+")", "  ()"))
	}
	sh.hint(out.Hint)
	return nil
}

// mostRunning is how many running nodes arbor next names.
const mostRunning = 10

// whose returns who has claimed a node, or had claimed it before its lease ended.
func whose(c ops.Claim) string {
	var parts []string
	if c.ClaimedBy != "" {
		parts = append(parts, "claimed by "+c.ClaimedBy+" until "+timeOf(c.LeasedUntil))
	}
	if l := c.Lapsed; l != nil {
		parts = append(parts, "begun by "+l.By()+", which claimed it "+timeOf(l.Since)+" and is gone")
	}
	return strings.Join(parts, "; ")
}

// inUTC returns a time of a log, which is in UTC, with that word; any other text stays as it is.
func inUTC(at string) string {
	if _, err := time.Parse(mdstore.TimeLayout, at); err != nil {
		return at
	}
	return at + " UTC"
}

func timeOf(ms int64) string { return time.UnixMilli(ms).UTC().Format(mdstore.TimeLayout) + " UTC" }
