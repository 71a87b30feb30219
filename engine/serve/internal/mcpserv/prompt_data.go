package mcpserv

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"arbor/context/render"
	"arbor/engine/claims"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

const shownItems = 10 // of a list in a prompt

// promptData has what the text of a prompt needs. Its methods quote texts from files: each line begins with ">".
// Outside of quotes, ids are valid, and statuses and types are known ones.
type promptData struct {
	ctx  context.Context
	env  *ops.Env
	room int
	text strings.Builder // what is written so far
	step int
	snap *view.View

	Args      map[string]string
	Workspace *mdstore.Workspace // nil in start-workspace
	Node      *mdstore.Node      // the subject, or the focus of the session that resumes; nil for none
	Changes   *list              // what others changed since the session that resumes last looked
	First     bool               // the session that resumes has not looked before
}

// load looks up what the arguments name. It refuses what the prompt cannot be about.
func (d *promptData) load(name string) (err error) {
	switch name {
	case "start-workspace":
		d.Args = map[string]string{"name": strings.TrimSpace(d.Args["name"]), "goal": strings.TrimSpace(d.Args["goal"])}
		in := ops.WorkspaceInitIn{Name: d.Args["name"], Goal: d.Args["goal"], Write: ops.Write{DryRun: true}}
		_, err = ops.WorkspaceInit(d.ctx, d.env, in)
		return err
	case "plan-node", "work-on-node":
		var id mdstore.ID
		if d.snap, id, err = d.env.At(d.ctx, d.Args["workspace"], d.Args["node"]); err != nil {
			return err
		}
		d.Node, err = d.snap.Known(id)
	default:
		d.snap, err = d.env.In(d.ctx, d.Args["workspace"])
	}
	if err != nil {
		return err
	}
	d.Workspace = d.snap.Workspace()
	switch {
	case name == "resume":
		d.Node = focusOf(d.ctx, d.env, d.snap)
		changed, isFirst, err := changedSince(d.ctx, d.env, d.Workspace.ID)
		if err != nil {
			return err
		}
		d.Changes, d.First = listOf(first(changed, shownItems), len(changed), changeItem), isFirst
	case name == "plan-node" && !statemachine.TakesChildren(d.Node.Type):
		return errs.New(errs.ExecutionChildren,
			"%s is of type %s and takes no children; plan the node above it, or work on this one (prompt work-on-node)",
			d.Node.ID, typeWord(d.Node))
	}
	return nil
}

// A list is the beginning of a list, in quoted lines. It is nil when there is nothing to list.
type list struct {
	Items []string
	All   int // items, with those that are left out
}

// listOf returns a list of the items that are shown, of all.
func listOf[T any](shown []T, all int, item func(T) string) *list {
	if all == 0 {
		return nil
	}
	l := &list{All: all}
	for _, v := range shown {
		l.Items = append(l.Items, item(v))
	}
	return l
}

func first[T any](all []T, n int) []T { return all[:min(n, len(all))] }

// Show returns the items, and how many are left out. more names the call that shows those; if it is "", Show does not
// count them.
func (l *list) Show(more string) string {
	text := "\n" + strings.Join(l.Items, "\n")
	if left := l.All - len(l.Items); left > 0 && more != "" {
		text += fmt.Sprintf("\n\n%d more: %s.", left, more) // a paragraph of its own, or it would belong to the quote
	}
	return text
}

// quote returns at most most bytes of a text, with "> " before each line.
func quote(text string, most int) string {
	text = strings.Trim(render.VisibleLines(text), "\n")
	if text == "" {
		return ""
	}
	kept := text
	if len(text) > most { // whole lines, if the first one fits
		kept = strings.ToValidUTF8(text[:most], "")
		if i := strings.LastIndexByte(kept, '\n'); i > 0 {
			kept = kept[:i]
		}
	}
	lines := strings.Split(kept, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+line, " ")
	}
	if left := len(text) - len(kept); left > 0 {
		lines = append(lines, fmt.Sprintf("> [… %d bytes more]", left))
	}
	return strings.Join(lines, "\n")
}

// item returns a quoted line with facts that Arbor knows, and a title.
func item(facts, title string) string {
	const columns = 100 // of a title
	return fmt.Sprintf("> - %s: %s", facts, render.Truncate(render.Visible(title), columns, false))
}

// itemWith returns an item with a text below it.
func itemWith(item, text string, most int) string {
	return item + "\n" + quote("  "+strings.ReplaceAll(text, "\n", "\n  "), most)
}

func nodeItem(n *mdstore.Node) string {
	return item(fmt.Sprintf("%s (%s, %s)", render.Visible(string(n.ID)), typeWord(n), statusWord(n)), n.Title)
}

func changeItem(d view.Difference) string {
	facts := "Workspace.md"
	if d.Node != "" {
		facts = render.Visible(string(d.Node))
	}
	facts += " (" + d.Kind
	if parts := slices.Concat(d.Fields, d.Sections); len(parts) > 0 {
		names := strings.Join(parts[:min(6, len(parts))], ", ")
		facts += ": " + render.Truncate(render.Visible(names), 80, false)
	}
	return item(facts+")", d.Title)
}

// typeWord returns the type of a node, and statusWord its status. A file may have any text for them; an unknown one is
// not shown.
func typeWord(n *mdstore.Node) string {
	if statemachine.Initial(n.Type) == "" {
		return "unknown"
	}
	return string(n.Type)
}

func statusWord(n *mdstore.Node) string {
	if !statemachine.Valid(n.Type, n.Status) {
		return "unknown"
	}
	return string(n.Status)
}

// Active returns the newest of the active workspaces, newest last.
func (d *promptData) Active() (*list, error) {
	out, err := ops.WorkspaceList(d.ctx, d.env, ops.WorkspaceListIn{Status: mdstore.StatusActive})
	if err != nil {
		return nil, err
	}
	all := out.Workspaces
	newest := all[max(0, len(all)-shownItems):]
	return listOf(newest, len(all), func(w ops.WorkspaceHead) string { return item(w.ID, w.Name) }), nil
}

// Archived reports whether the workspace is archived, so that nothing in it can be changed.
func (d *promptData) Archived() bool { return mdstore.Archived(d.Workspace.Dir) }

// Frozen returns the nearest node above the subject whose status keeps everything below it from changing, nil for none.
func (d *promptData) Frozen() *mdstore.Node {
	up, _ := d.snap.Ancestors(d.Node.ID)
	for _, a := range up {
		if statemachine.Frozen(a.Status) {
			return a
		}
	}
	return nil
}

// Children returns the children of the subject.
func (d *promptData) Children() *list {
	return d.nodes(d.Node.ID, 2*shownItems, func(depth int, _ *mdstore.Node) bool { return depth == 1 })
}

// Running returns the execution nodes that are started and not finished.
func (d *promptData) Running() *list {
	return d.nodes(mdstore.Root, shownItems, func(_ int, n *mdstore.Node) bool {
		return n.Type == statemachine.Execution && statemachine.Valid(n.Type, n.Status) &&
			n.Status != statemachine.Initial(n.Type) && !statemachine.Terminal(n.Status)
	})
}

// nodes returns the nodes below one, and that one, for which keep is true, in the order of the tree.
func (d *promptData) nodes(from mdstore.ID, most int, keep func(depth int, n *mdstore.Node) bool) *list {
	var all []*mdstore.Node
	for depth, n := range d.snap.Walk(from) {
		if keep(depth, n) {
			all = append(all, n)
		}
	}
	return listOf(first(all, most), len(all), nodeItem)
}

// Latest returns the nodes that were updated last, newest first.
func (d *promptData) Latest() *list {
	all := slices.Collect(d.snap.All())
	all = slices.DeleteFunc(all, func(n *mdstore.Node) bool { return n.UpdatedAt <= 0 })
	slices.SortStableFunc(all, func(a, b *mdstore.Node) int { return cmp.Compare(b.UpdatedAt, a.UpdatedAt) })
	return listOf(first(all, shownItems), len(all), func(n *mdstore.Node) string {
		when := time.UnixMilli(n.UpdatedAt).UTC().Format("2006-01-02 15:04")
		return item(fmt.Sprintf("%s (%s, %s)", render.Visible(string(n.ID)), statusWord(n), when), n.Title)
	})
}

// Problems returns the problems of the workspace and its nodes, in the order of the tree.
func (d *promptData) Problems() *list {
	const most = 600 // bytes of one
	var all []string
	add := func(item string, p mdstore.Problem) {
		if !p.IsZero() {
			text := p.Text
			if p.NextStep != "" {
				text += "\nNext step: " + p.NextStep
			}
			all = append(all, itemWith(item, text, most))
		}
	}
	add(item("the workspace", d.Workspace.Name), d.Workspace.Problem())
	for _, n := range d.snap.Walk(mdstore.Root) {
		add(nodeItem(n), n.Problem())
	}
	return listOf(first(all, shownItems), len(all), strings.Clone)
}

// Ready returns the nodes that can be worked on now and that no other session has claimed.
func (d *promptData) Ready() (*list, error) {
	act := plan.Act{Operator: d.env.Operator, Session: d.env.Session}
	offer, err := d.env.Engine.Next(d.ctx, d.Workspace.ID, act, shownItems, 0)
	if err != nil || len(offer.Nodes) == 0 {
		return nil, err
	}
	return listOf(offer.Nodes, offer.Ready, func(r claims.Ready) string { return nodeItem(r.Node) }), nil
}

// Counts says how many nodes have which status.
func (d *promptData) Counts() string {
	by := map[string]int{}
	for _, n := range d.snap.Walk(mdstore.Root) {
		by[statusWord(n)]++
	}
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%d %s", by[status], status))
	}
	return strings.Join(parts, ", ")
}

// Conclusions returns the conclusions of finished nodes, those near the root first, because they summarize those below:
// as many as fit into the reply after the text written so far.
func (d *promptData) Conclusions() *list {
	const most = 2000 // bytes of one
	var byDepth [][]string
	all := 0
	for depth, n := range d.snap.Walk(mdstore.Root) {
		if c := n.Conclusion(); c != "" && statemachine.Terminal(n.Status) {
			byDepth = append(byDepth, make([][]string, max(0, depth+1-len(byDepth)))...)
			byDepth[depth] = append(byDepth[depth], itemWith(nodeItem(n), c, most))
			all++
		}
	}
	room, kept := d.room-jsonSize(d.text.String())-1000, 0 // the lines around them
	texts := slices.Concat(byDepth...)
	for ; kept < all; kept++ {
		if room -= jsonSize(texts[kept] + "\n"); room < 0 {
			break
		}
	}
	return listOf(texts[:kept], all, strings.Clone)
}
