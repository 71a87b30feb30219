package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
	"arbor/mdstore"
)

// A nodeList has the input and the flags of arbor list.
type nodeList struct {
	sh     *shell
	in     *ops.NodeListIn
	fields []string // nil: the usual ones
}

func listCommand(sh *shell) command {
	l := &nodeList{sh: sh, in: &ops.NodeListIn{}}
	c := command{in: l.in, list: true}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().StringSliceVar(&l.fields, "fields", nil, "only these `FIELDS`, separated by commas: id, parentId, ...")
		must(cmd.RegisterFlagCompletionFunc("fields", choices(ops.ListFields()...)))
	}
	c.check = func(*cobra.Command) error {
		known := func(f string) bool { return slices.Contains(ops.ListFields(), f) }
		l.in.Own = slices.DeleteFunc(slices.Clone(l.fields), known)
		switch {
		case sh.flags.all:
			l.in.Limit = -1
		case l.in.Limit == 0 && !sh.flags.json:
			l.in.Limit = listLines - 2 // one line is for the head, and one for the number of nodes left out
		}
		return nil
	}
	c.show = showing(sh, l.show)
	c.doc = func(out any) any { return l.doc(out.(*ops.NodeListOut)) }
	return c
}

// nodes returns the nodes that match, without those that are only shown as ancestors.
func (l *nodeList) nodes(out *ops.NodeListOut) (all []*ops.TreeNode) {
	walk(out.Tree, func(n *ops.TreeNode) {
		if !n.Passed {
			all = append(all, n)
		}
	})
	return all
}

// said returns the fields of a node for a list, by the names of ops.ListFields. It leaves out empty fields, unless
// --fields names them.
func (l *nodeList) said(n *ops.TreeNode, names names) map[string]any {
	all, some := map[string]any{}, map[string]any{}
	data, err := json.Marshal(n)
	must(err)
	must(json.Unmarshal(data, &all))
	if node, ok := names.node(n.ID); ok && node.Parent != "" {
		all["parentId"] = node.Parent
	}
	for _, o := range n.Own {
		all[o.Key] = o.Value()
	}
	for _, f := range slices.Concat(ops.ListFields(), l.in.Own) {
		if v, ok := all[f]; slices.Contains(l.fields, f) || l.fields == nil && ok {
			some[f] = v
		}
	}
	return some
}

// doc returns the list for --json: flat, in tree order, and without nodes that are only shown as ancestors. arbor tree
// prints the result of the operation instead.
func (l *nodeList) doc(out *ops.NodeListOut) any {
	names, nodes := namesOf(l.sh, ""), []map[string]any{}
	for _, n := range l.nodes(out) {
		nodes = append(nodes, l.said(n, names))
	}
	return struct {
		Nodes any `json:"nodes,omitempty"`
		*ops.NodeListOut
		Tree any `json:"tree,omitempty"` // hides the result's tree
	}{Nodes: nodes, NodeListOut: out}
}

func (l *nodeList) show(sh *shell, out *ops.NodeListOut) error {
	names := namesOf(sh, "")
	head, rows := []string{"ID", "STATUS", "TYPE", "TITLE"}, [][]cell{}
	if l.fields != nil {
		head = strings.Split(strings.ToUpper(strings.Join(l.fields, " ")), " ")
	}
	for _, n := range l.nodes(out) {
		id, title := cell{text: names.id(n.ID), sgr: "2"}, cell{text: n.Title + remarks(n)}
		row := []cell{id, statusCell(sh, n.Status), {text: string(n.Type)}, title}
		var all map[string]any
		if l.fields != nil {
			row, all = nil, l.said(n, names)
		}
		for _, f := range l.fields {
			text := ""
			if own, ok := n.Own.Key(f); ok {
				text = own.Text()
			} else if field := mdstore.FieldOf(f); field != nil {
				text = field.Said(n.Text(field))
			} else if all[f] != nil {
				text = fmt.Sprint(all[f])
			}
			if f == "id" || f == "parentId" {
				text = names.id(text)
			}
			row = append(row, cell{text: text})
		}
		rows = append(rows, row)
	}
	sh.print(strings.Join(sh.table(head, rows), "\n"))
	if len(rows) == 0 {
		sh.say("%s", out.Hint)
	}
	warnLost(sh, out.Lost)
	if out.Cursor != "" {
		sh.warn("%d of %d nodes; --cursor %s brings what follows, --all everything", out.Shown, out.Total, out.Cursor)
	}
	return nil
}

// remarks returns the text after the title of a node in a list.
func remarks(n *ops.TreeNode) (s string) {
	for _, m := range []struct {
		on   bool
		text string
	}{{n.Focused, "focus"}, {n.HasProblem, "! problem"}, {n.Damaged, "!! damaged"},
		{len(n.BlockedBy) > 0, "blocked"}} {
		if m.on {
			s += "  " + m.text
		}
	}
	for _, m := range n.Marks() {
		s += "  " + m
	}
	if n.ClaimedBy != "" {
		s += "  claimed by " + n.ClaimedBy
	}
	return s
}
