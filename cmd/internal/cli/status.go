package cli

import (
	"context"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore/gitrepo"
)

const (
	boardLines  = 10 // problems and diagnostics that a status names, two lines each
	aroundLines = 12 // lines for the head, headings and blank lines
)

func statusCommand(sh *shell) command {
	in := &ops.WorkspaceStatusIn{}
	c := command{in: in, list: true}
	c.instead = func(ctx context.Context) (bool, error) { return showOverview(ctx, sh) }
	c.check = func(*cobra.Command) error {
		in.All = sh.flags.all || !sh.flags.json // show cuts a long board
		in.Git = in.Git || !sh.flags.json && !sh.flags.quiet
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.WorkspaceStatusOut) error {
		if sh.flags.quiet {
			return sh.print(render.Visible(out.Workspace.ID))
		}
		n := namesOf(sh, out.Workspace.ID)
		head, room := out.Board(math.MaxInt), 0
		if !sh.flags.all {
			head = out.Board(boardLines)
			room = listLines - aroundLines - 2*len(head.Problems) - len(head.Damaged)
		}
		for i := range head.Problems {
			head.Problems[i].ID = n.id(head.Problems[i].ID)
		}
		head.ID = n.id(head.ID)
		rows, hidden := fit(out.Tree, room)
		style := sh.style()
		style.Markdown = in.Format == "markdown"
		sh.print(render.Board(head, n.shorten(rows), style))
		if hidden > 0 {
			sh.warn("%d of %d nodes are not shown; --all shows them, arbor tree NODE those below one", hidden, out.Counts.Total)
		}
		sh.gitLine(out.Git)
		sh.hint(out.Hint)
		return nil
	})
	return c
}

// gitLine prints a line about conflicts, uncommitted changes, and commits to push or pull; nothing if there are none.
func (sh *shell) gitLine(s *gitrepo.Status) {
	if s == nil {
		return
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, counted(n, what))
		}
	}
	add(s.Unmerged, "conflict")
	add(s.Changed, "uncommitted change")
	add(s.Ahead, "commit")
	if s.Ahead > 0 {
		parts[len(parts)-1] += " that " + s.Upstream + " lacks"
	}
	add(s.Behind, "commit")
	if s.Behind > 0 {
		parts[len(parts)-1] += " of " + s.Upstream + " missing here"
	}
	if s.Unmerged > 0 {
		parts = append(parts, "arbor conflicts lists what is to be decided")
	}
	if parts != nil {
		sh.say("git: %s", strings.Join(parts, ", "))
	}
}

// fit returns the rows of a tree that can be drawn in so many lines, 0 for any number, and the number of nodes left
// out. A tree that is too long loses its deepest levels first. In the first level that does not fit, each parent shows
// as many children as there is room for.
func fit(tree []*ops.TreeNode, lines int) (rows []render.TreeRow, hidden int) {
	total, deepest, widest := measure(tree, 0)
	all := rowsOf(tree, deepest+1, 0)
	if lines <= 0 || drawn(all) <= lines {
		return all, 0
	}
	level := widest + 1 // steps from one level to the next: another child of each parent
	first := func(steps int) []render.TreeRow { return rowsOf(tree, 1+steps/level, steps%level) }
	tooMany := sort.Search(deepest*level, func(steps int) bool { return drawn(first(steps)) > lines })
	rows = first(max(0, tooMany-1))
	for drawn(rows) > lines { // more nodes at the top than lines
		rows = rows[:len(rows)-1]
	}
	return rows, total - len(rows)
}

// drawn returns the number of lines that rows need.
func drawn(rows []render.TreeRow) int {
	n := len(rows)
	for _, r := range rows {
		if r.Hidden > 0 {
			n++
		}
	}
	return n
}

// measure returns the number of nodes in a tree, without those that the result had left out already, the deepest level,
// and the greatest number of children of a node.
func measure(nodes []*ops.TreeNode, depth int) (total, deepest, widest int) {
	total, deepest, widest = len(nodes), depth, len(nodes)
	for _, n := range nodes {
		below, d, w := measure(n.Children, depth+1)
		total, deepest, widest = total+below, max(deepest, d), max(widest, w)
	}
	return total, deepest, widest
}

// rowsOf returns all rows of the first levels, and in the next level the first children of each parent.
func rowsOf(tree []*ops.TreeNode, levels, children int) (rows []render.TreeRow) {
	var visit func(nodes []*ops.TreeNode, depth int)
	visit = func(nodes []*ops.TreeNode, depth int) {
		for _, n := range nodes {
			show := len(n.Children)
			if depth == levels-1 {
				show = min(children, show)
			} else if depth >= levels {
				show = 0
			}
			below, _, _ := measure(n.Children[show:], 0)
			row := n.Row(depth)
			row.Hidden += below
			rows = append(rows, row)
			visit(n.Children[:show], depth+1)
		}
	}
	visit(tree, 0)
	return rows
}

func contextCommand(sh *shell) command {
	in := &ops.ContextGetIn{}
	var noLog, noProblems bool
	format := ""
	c := command{in: in}
	c.flags = func(cmd *cobra.Command) {
		fs := cmd.Flags()
		fs.StringVar(&format, "format", "", "`md|json`; md unless given")
		fs.BoolVar(&noLog, "no-log", false, "no log entries")
		fs.BoolVar(&noProblems, "no-problem", false, "no problems")
		must(cmd.RegisterFlagCompletionFunc("format", choices("md", "json")))
	}
	c.check = func(cmd *cobra.Command) error {
		if noLog || cmd.Flags().Changed("log") && in.MaxLogEntries == 0 {
			in.IncludeLog = "false"
		}
		if noProblems {
			in.IncludeProblem = new(false)
		}
		if !slices.Contains([]string{"", "md", "markdown", "json"}, format) {
			return usagef("--format is %q; md and json are the formats", format)
		}
		if in.Format = "markdown"; format == "json" || format == "" && sh.flags.json {
			in.Format, sh.flags.json = "json", true
		}
		in.Bare = in.Format == "markdown" && !wholeIDs(sh)
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.ContextGetOut) error {
		sh.text(out.Markdown)
		if out.Changes > 0 {
			sh.say("%s changed since this session last looked; arbor changes lists them", counted(out.Changes, "file"))
		}
		sh.hint(out.Hint)
		return nil
	})
	return c
}

func focusCommand(sh *shell) command {
	in := &ops.ContextFocusIn{}
	return command{in: in, instead: func(ctx context.Context) (bool, error) {
		if in.NodeID != "" {
			return false, nil
		}
		return true, showFocus(ctx, sh)
	}}
}

func showFocus(ctx context.Context, sh *shell) error {
	focus, err := call(ctx, sh, ops.Focused, sh.in())
	if err != nil {
		return err
	}
	id := focus.NodeID
	if focus.Lost != "" && !sh.flags.json {
		sh.hint(focus.Lost)
	}
	switch {
	case sh.flags.json:
		hint := "arbor context shows its context; arbor focus NODE moves it"
		if id == "" {
			hint = "no node has the focus; arbor focus NODE gives it to one"
		}
		return sh.part(map[string]any{"focusedNodeId": id}, nil, hint)
	case id == "":
		sh.say("no node has the focus")
		return nil
	case sh.flags.quiet:
		return sh.print(render.Visible(id))
	}
	n, err := call(ctx, sh, ops.NodeGet, ops.NodeGetIn{In: ops.In{WorkspaceID: focus.WorkspaceID}, NodeID: id})
	if err != nil {
		return err
	}
	short := namesOf(sh, focus.WorkspaceID).id(id)
	row := []cell{{text: short}, {text: string(n.Node.Status), status: n.Node.Status}, {text: n.Node.Title}}
	return sh.bounded(sh.table([]string{"ID", "STATUS", "TITLE"}, [][]cell{row}), "lines")
}

func changesCommand(sh *shell) command {
	in := &ops.ChangesGetIn{}
	c := command{in: in, list: true}
	c.show = showing(sh, func(sh *shell, out *ops.ChangesGetOut) error {
		var all []string
		style := sh.style()
		for _, c := range out.Changes {
			c.Path = sh.shown(c.Path)
			all = append(all, changeLine(c, style, sh.flags.quiet))
		}
		sh.flags.all = sh.flags.all || in.Since == "" // print everything: no later call lists it again
		sh.bounded(all, "files")
		if len(out.Changes) == 0 && !out.First {
			sh.say("nothing changed")
		}
		sh.met(out.Met)
		sh.hint(out.Hint)
		return nil
	})
	return c
}

func changeLine(c ops.FileChange, style render.Style, quiet bool) string {
	if quiet {
		return render.Visible(c.Path)
	}
	colors := map[string]string{"created": "32", "changed": "33", "removed": "31"}
	line := style.Paint(colors[c.Kind], c.Kind) + " " + render.Visible(c.Path)
	if c.Title != "" {
		line += "  " + style.Paint("1", render.Visible(c.Title))
	}
	if c.By != "" {
		line += "  " + style.Paint("2", "by "+render.Visible(c.By))
	}
	for _, text := range c.Text {
		line += "\n  " + render.Visible(text)
	}
	if c.Text != nil {
		return line
	}
	what := strings.Join(c.Fields, ", ")
	if len(c.Sections) > 0 {
		what += "; ## " + strings.Join(c.Sections, ", ## ")
	}
	if what = strings.TrimPrefix(what, "; "); what != "" {
		line += ": " + render.Visible(what)
	}
	return line
}
