package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

// A listed is a node as the JSON of a list has it, and its columns.
type listed struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	Type       string `json:"type"`
	Status     string `json:"status"`
	Role       string `json:"role,omitempty"`
	ParentID   string `json:"parentId,omitempty"`
	Isolated   bool   `json:"isolated,omitempty"`
	Focused    bool   `json:"focused,omitempty"`
	HasProblem bool   `json:"hasProblem,omitempty"`
	Damaged    bool   `json:"damaged,omitempty"`
	ClaimedBy  string `json:"claimedBy,omitempty"`
}

// listFields returns the names of what a list can say of a node.
func listFields() (all []string) {
	t := reflect.TypeFor[listed]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		all = append(all, name)
	}
	return all
}

// fields returns what is said of a node, by the names of listFields; what is empty or false is left out.
func (n listed) fields() map[string]any {
	all := map[string]any{}
	data, err := json.Marshal(n)
	must(err)
	must(json.Unmarshal(data, &all))
	return all
}

// A nodeList is how a list is asked for.
type nodeList struct {
	sh     *shell
	in     *ops.NodeListIn
	nested bool
	fields []string // nil: the usual ones
}

func listCommand(sh *shell) command {
	l := &nodeList{sh: sh, in: &ops.NodeListIn{}}
	c := command{in: l.in, list: true}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().BoolVar(&l.nested, "tree", false, "with --json: nodes hold those below them")
		cmd.Flags().StringSliceVar(&l.fields, "fields", nil, "only these `FIELDS`, separated by commas: id, title, parentId, ...")
		must(cmd.RegisterFlagCompletionFunc("fields", choices(listFields()...)))
	}
	c.check = func(*cobra.Command) error {
		for _, f := range l.fields {
			if !slices.Contains(listFields(), f) {
				return unknownChoice("--fields", f, listFields())
			}
		}
		switch {
		case l.nested && (l.fields != nil || !sh.flags.json):
			return usagef("--tree goes with --json, and not with --fields; arbor tree draws a tree")
		case sh.flags.all:
			l.in.Limit = -1
		case l.in.Limit == 0 && !sh.flags.json:
			l.in.Limit = listLines - 2 // the head and the line about the rest are lines too
		}
		return nil
	}
	c.show = showing(sh, l.show)
	c.doc = func(out any) any { return l.doc(out.(*ops.NodeListOut)) }
	return c
}

// nodes returns the nodes that were asked for, without those that are only the way to others.
func (l *nodeList) nodes(out *ops.NodeListOut) []listed {
	all, names := []listed{}, namesOf(l.sh, "")
	walk(out.Tree, func(n *ops.TreeNode) {
		if len(l.in.Status) > 0 && !slices.Contains(l.in.Status, n.Status) || l.in.Type != "" && l.in.Type != n.Type {
			return
		}
		parent := ""
		if node, ok := names.node(n.ID); ok {
			parent = string(node.Parent)
		}
		all = append(all, listed{n.ID, n.Title, n.Type, n.Status, n.Role, parent, n.Isolated, n.Focused, n.HasProblem, n.Damaged,
			n.ClaimedBy})
	})
	return all
}

// doc returns the list as JSON has it: flat, in tree order, unless it was asked for as a tree.
func (l *nodeList) doc(out *ops.NodeListOut) any {
	var nodes any = l.nodes(out)
	if l.nested {
		return out
	}
	if l.fields != nil {
		picked := []map[string]any{}
		for _, n := range l.nodes(out) {
			all, some := n.fields(), map[string]any{}
			for _, f := range l.fields {
				some[f] = all[f]
			}
			picked = append(picked, some)
		}
		nodes = picked
	}
	return struct {
		Nodes  any    `json:"nodes"`
		Total  int    `json:"total"`
		Shown  int    `json:"shown"`
		Cursor string `json:"cursor,omitempty"`
		Lost   int    `json:"lost,omitempty"`
		Hint   string `json:"hint"`
	}{nodes, out.Total, out.Shown, out.Cursor, out.Lost, out.Hint}
}

func (l *nodeList) show(sh *shell, out *ops.NodeListOut) error {
	names := namesOf(sh, "")
	head, rows := []string{"ID", "STATUS", "TYPE", "TITLE"}, [][]cell{}
	if l.fields != nil {
		head = strings.Split(strings.ToUpper(strings.Join(l.fields, " ")), " ")
	}
	for _, n := range l.nodes(out) {
		short := n
		short.ID, short.ParentID = names.id(n.ID), names.id(n.ParentID)
		row := []cell{{text: short.ID, sgr: "2"}, statusCell(sh, n.Status), {text: n.Type}, {text: n.Title + n.remarks()}}
		if l.fields != nil {
			row = nil
			all := short.fields()
			for _, f := range l.fields {
				text := cell{}
				if v, ok := all[f]; ok {
					text.text = fmt.Sprint(v)
				}
				row = append(row, text)
			}
		}
		rows = append(rows, row)
	}
	sh.print(strings.Join(sh.table(head, rows), "\n"))
	if len(rows) == 0 {
		sh.say("no such nodes")
	}
	warnLost(sh, out.Lost)
	if out.Cursor != "" {
		sh.warn("%d of %d nodes; --cursor %s brings what follows, --all everything", out.Shown, out.Total, out.Cursor)
	}
	return nil
}

// remarks are what a list says of a node after its title.
func (n listed) remarks() (s string) {
	for _, m := range []struct {
		on   bool
		text string
	}{{n.Focused, "focus"}, {n.HasProblem, "! problem"}, {n.Damaged, "!! damaged"}, {n.Isolated, "isolated"},
		{n.ClaimedBy != "", "claimed by " + n.ClaimedBy}} {
		if m.on {
			s += "  " + m.text
		}
	}
	return s
}
