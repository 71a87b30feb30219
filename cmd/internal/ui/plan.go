package ui

import (
	"context"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A plan is the outline of one workspace, and the board of the same nodes.
type plan struct {
	id       mdstore.ID // of the workspace
	name     string
	progress statemachine.Outcomes
	query    string // the filter that the rows match
	has      *has   // where the rows are from
	matches  int
	lost     int // files of nodes that are nowhere in the tree
	tree     []*ops.TreeNode
	folded   map[string]bool // nodes whose children are hidden

	rows    []row
	at      int // the row of the cursor
	top     int // the first row that is shown
	columns []*column
}

// A row is a visible node of the outline.
type row struct {
	*ops.TreeNode
	depth int
	above *ops.TreeNode // its parent; nil for the root
	place int           // among the children of its parent
}

// A column of the board is a status with the nodes that have it.
type column struct {
	status statemachine.Status
	cards  []row
}

// A has is the view and the filter that rows were made of.
type has struct {
	view  *view.View
	query string
}

// A loaded is what a load found.
type loaded struct {
	asked    int
	query    string
	has      *has
	id       mdstore.ID
	name     string
	progress statemachine.Outcomes
	out      *ops.NodeListOut // nil: nothing has changed
	err      error
}

// load reads the whole plan, or what matches a query with the nodes above it, unless that is what was loaded last.
func load(ctx context.Context, env *ops.Env, workspace, query string, last *has) loaded {
	v, err := env.In(ctx, workspace)
	if err != nil {
		return loaded{query: query, err: err}
	}
	ws, now := v.Workspace(), has{v, query}
	if last != nil && *last == now {
		return loaded{query: query}
	}
	l := loaded{query: query, has: &now, id: ws.ID, name: ws.Name, progress: v.Progress()}
	list := ops.NodeListIn{In: ops.In{WorkspaceID: string(ws.ID)}, Limit: -1, Where: query}
	l.out, l.err = ops.NodeList(ctx, env, list)
	return l
}

// show replaces the plan by what a load found. The cursor stays on its node, or on its place if the node is gone.
func (p *plan) show(l loaded) {
	selected := p.selected()
	p.id, p.name, p.progress, p.query, p.has = l.id, l.name, l.progress, l.query, l.has
	p.tree, p.matches, p.lost = l.out.Tree, l.out.Total, l.out.Lost
	p.flatten()
	p.deal()
	if selected != "" && !p.goTo(selected) {
		p.at = max(0, min(p.at, len(p.rows)-1))
	}
}

// selected returns the id of the node under the cursor; "" if there is none.
func (p *plan) selected() string {
	if p.at < len(p.rows) {
		return p.rows[p.at].ID
	}
	return ""
}

// row returns the place of a node among the rows; -1 if it has none.
func (p *plan) row(id string) int {
	for i, r := range p.rows {
		if r.ID == id {
			return i
		}
	}
	return -1
}

// end returns the place behind a row and all that stands below it.
func (p *plan) end(i int) int {
	depth := p.rows[i].depth
	for i++; i < len(p.rows) && p.rows[i].depth > depth; i++ {
	}
	return i
}

// goTo puts the cursor on a node, if it has a row.
func (p *plan) goTo(id string) bool {
	if i := p.row(id); i >= 0 {
		p.at = i
		return true
	}
	return false
}

// reveal unfolds all above a node and puts the cursor on it. It reports false if the node is not in the plan.
func (p *plan) reveal(id string) bool {
	var above func(all []*ops.TreeNode) bool
	above = func(all []*ops.TreeNode) bool {
		for _, n := range all {
			if n.ID == id || above(n.Children) {
				if n.ID != id {
					delete(p.folded, n.ID)
				}
				return true
			}
		}
		return false
	}
	if !above(p.tree) {
		return false
	}
	p.flatten()
	return p.goTo(id)
}

// flatten makes the rows of what is not folded. A filter shows all that it finds.
func (p *plan) flatten() {
	p.rows = p.rows[:0]
	var add func(all []*ops.TreeNode, above *ops.TreeNode, depth int)
	add = func(all []*ops.TreeNode, above *ops.TreeNode, depth int) {
		for i, n := range all {
			p.rows = append(p.rows, row{n, depth, above, i})
			if p.query != "" || !p.folded[n.ID] {
				add(n.Children, n, depth+1)
			}
		}
	}
	add(p.tree, nil, 0)
}

// deal makes the columns of the board: the statuses that execution nodes have, and others where a node has them.
func (p *plan) deal() {
	of := map[statemachine.Status]*column{}
	p.columns = nil
	var deal func(all []*ops.TreeNode, above *ops.TreeNode, depth int)
	deal = func(all []*ops.TreeNode, above *ops.TreeNode, depth int) {
		for i, n := range all {
			if n.ID != string(mdstore.Root) && !n.Passed {
				if of[n.Status] == nil {
					of[n.Status] = &column{status: n.Status}
				}
				of[n.Status].cards = append(of[n.Status].cards, row{n, depth, above, i})
			}
			deal(n.Children, n, depth+1)
		}
	}
	deal(p.tree, nil, 0)
	work := map[statemachine.Status]bool{}
	for _, s := range statemachine.Statuses(statemachine.Execution) {
		work[s] = true
	}
	for _, s := range statemachine.AllStatuses() {
		if of[s] != nil {
			p.columns = append(p.columns, of[s])
		} else if work[s] {
			p.columns = append(p.columns, &column{status: s})
		}
	}
}

// treeRow is the row as drawings of trees have it.
func (r row) treeRow() render.TreeRow { return r.TreeNode.Row(r.depth) }
