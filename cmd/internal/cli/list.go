package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

func listCommand(sh *shell) command {
	in := &ops.NodeListIn{}
	c := command{in: in, list: true}
	c.check = func(*cobra.Command) error {
		switch {
		case sh.flags.all:
			in.Limit = -1
		case in.Limit == 0 && !sh.flags.json:
			in.Limit = listLines - 2 // the head and the line about the rest are lines too
		}
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.NodeListOut) error { return showList(sh, in, out) })
	return c
}

func showList(sh *shell, in *ops.NodeListIn, out *ops.NodeListOut) error {
	matching := func(n *ops.TreeNode) bool {
		return (len(in.Status) == 0 || slices.Contains(in.Status, n.Status)) && (in.Type == "" || in.Type == n.Type)
	}
	var rows [][]cell
	var ids []string
	ascii := sh.ascii()
	walk(out.Tree, func(n *ops.TreeNode) {
		if !matching(n) { // only the way to others
			return
		}
		ids = append(ids, render.Visible(n.ID))
		if !sh.flags.quiet {
			status := cell{text: render.SignOf(n.Status, ascii) + " " + n.Status, status: n.Status}
			rows = append(rows, []cell{{text: n.ID, sgr: "2"}, status, {text: n.Type}, {text: n.Title + remarks(n)}})
		}
	})
	text := strings.Join(ids, "\n")
	if !sh.flags.quiet {
		text = sh.table([]string{"ID", "STATUS", "TYPE", "TITLE"}, rows)
	}
	if err := sh.print(text); err != nil {
		return err
	}
	if len(ids) == 0 {
		sh.say("no such nodes")
	}
	warnLost(sh, out.Lost)
	if out.Cursor != "" {
		sh.warn("%d of %d nodes; --cursor %s brings what follows, --all everything", out.Shown, out.Total, out.Cursor)
	}
	return nil
}

// lost warns of files of nodes that are in no place of the tree.
func warnLost(sh *shell, files int) {
	if files > 0 {
		sh.warn("%s; arbor check names them", ops.LostFiles(files))
	}
}

// remarks are what a list says of a node after its title.
func remarks(n *ops.TreeNode) (s string) {
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

// walk calls f for each node, a parent before its children.
func walk(nodes []*ops.TreeNode, f func(*ops.TreeNode)) {
	for _, n := range nodes {
		f(n)
		walk(n.Children, f)
	}
}

func treeCommand(sh *shell) command {
	in := &ops.NodeListIn{}
	c := command{op: "node_list", in: in, list: true, without: []string{"limit", "cursor"}, help: ops.Help{
		Use: "tree [NODE]", Summary: "draw the tree of nodes, or the part below one",
		Text: `One line each: status sign, title, id, and marks for focus, problems, damage and
isolation. A tree that is too long is drawn to the depth that fits; what is left
out is counted where it would be.`,
		Example: "arbor tree\narbor tree Backend --depth 2\narbor tree --status pending,implementing",
	}}
	c.check = func(*cobra.Command) error {
		if sh.flags.all || !sh.flags.json {
			in.Limit = -1 // a tree that is too long is cut by depth below
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
		return sh.bounded(ids, "nodes", "--all brings the rest")
	}
	room := 0
	if !sh.flags.all {
		room = listLines - 2
	}
	rows, hidden := fit(out.Tree, room)
	if err := sh.print(render.Tree(rows, sh.style())); err != nil {
		return err
	}
	if len(rows) == 0 {
		sh.say("no such nodes")
	}
	if hidden > 0 {
		sh.warn("%d nodes are not shown; --all brings them, arbor tree NODE those below one", hidden)
	}
	warnLost(sh, out.Lost)
	return nil
}
