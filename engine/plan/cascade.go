package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A Cascade is a status change of a node that followed from another node's change.
type Cascade struct {
	NodeID mdstore.ID          `json:"nodeId"`
	From   statemachine.Status `json:"from"`
	To     statemachine.Status `json:"to"`
}

// step makes one decided transition of a node: its status, and the line in its log with the conclusion that it moves
// there.
func (d *Draft) step(n *mdstore.Node, dec statemachine.Decision, why, moved string) {
	d.status[n.ID] = dec.To
	e := d.OnNode(n)
	e.Set(mdstore.KeyStatus, mdoc.Text(string(dec.To)))
	d.logText(e, mdstore.StatusChange{By: string(dec.Action), From: dec.From, To: dec.To, Why: why, Moved: moved}.String())
	e.Did(view.Change{ID: n.ID, Key: mdstore.KeyStatus, From: string(dec.From), To: string(dec.To)})
	if moved != "" {
		e.Did(view.Change{ID: n.ID, Key: "conclusion", Do: "moved into the log"})
	}
}

// thawed returns an error if one of the nodes is completed or cancelled, which freezes everything below it, and the
// caller did not ask to reopen it.
func (d *Draft) thawed(id mdstore.ID, up []*mdstore.Node, cascade bool) error {
	for _, a := range up {
		d.Rely(a)
		if s := d.StatusOf(a); statemachine.Frozen(s) && !cascade {
			where := string(a.ID) + " (" + a.Title + ") above it"
			if a.ID == id {
				where = "it"
			}
			return errs.New(errs.InvalidParentStatus, "%s: %s is %s, which freezes everything below; reopen that "+
				"node, or repeat the call with {.cascade: true} to reopen it along",
				id, where, s).With(errs.Details{NodeID: string(a.ID), Status: string(s), Allowed: []string{string(statemachine.Reopen)}})
		}
	}
	return nil
}

// Raise changes the status of ancestors to monitoring, the nearest first, since a node below them was added or runs.
func (d *Draft) Raise(up []*mdstore.Node, reopen bool, why string) ([]Cascade, error) {
	var out []Cascade
	for i, a := range up {
		from := d.StatusOf(a)
		if !statemachine.TakesChildren(a.Type) || !statemachine.Valid(a.Type, from) {
			continue // written by hand; check reports it
		}
		steps, err := statemachine.Rise(from, reopen)
		if err != nil {
			return nil, err
		}
		if len(steps) == 0 {
			continue
		}
		if err := d.Editable(a); err != nil {
			return nil, err
		}
		for _, s := range steps {
			old := moved(d, a, s.From)
			if old != "" {
				d.OnNode(a).write(mdstore.SecConclusion, "")
			}
			d.step(a, s, why, old)
		}
		if statemachine.Frozen(from) {
			d.OnNode(a).thaws = i + 1
		}
		out = append(out, Cascade{a.ID, from, d.StatusOf(a)})
	}
	return out, nil
}

// place returns the ancestors of a node that others are to be put under, the node itself first, after making sure that
// it may have children and is in the tree.
func (d *Draft) place(id mdstore.ID, cascade bool) ([]*mdstore.Node, error) {
	p, err := d.View.Known(id)
	if err != nil {
		if e := errs.As(err); e.Code == errs.NodeNotFound {
			e.Code, e.Message = errs.ParentNotFound, strings.Replace(e.Message, "no such node", "no such parent node", 1)
		}
		return nil, err
	}
	if err := d.unique(id); err != nil {
		return nil, err
	}
	if why, bad := unplaced(p); bad {
		return nil, &mdoc.UnreadableError{Problem: why}
	}
	d.Settle(p)                                               // the child names it
	if p.Gaps().Life && !statemachine.TakesChildren(p.Type) { // its first child makes it a planning node
		p = p.Filled(p.ID, p.Parent, statemachine.Planning)
		d.OnNode(p).Set(mdstore.KeyType, mdoc.Text(string(p.Type)))
	}
	if !statemachine.TakesChildren(p.Type) {
		const how = "%s: an execution node has no children; put others beside it%s or, to split it, create a planning " +
			"node beside it ({node_create type}) and move it below that ({node_move})"
		under := ""
		if above, ok := d.View.Node(p.Parent); ok {
			under = ", below " + view.Named(above) + ","
		}
		return nil, errs.New(errs.ExecutionChildren, how, view.Named(p), under).With(errs.Details{NodeID: string(p.ID)})
	}
	above, whole := d.View.Ancestors(id)
	if !whole {
		return nil, d.loose(p)
	}
	up := append([]*mdstore.Node{p}, above...)
	return up, d.thawed(id, up, cascade)
}

// unplaced returns the problem of a node whose type or status is not in the life cycle.
func unplaced(n *mdstore.Node) (why mdoc.Diagnostic, bad bool) {
	if len(n.Problems) == 0 || statemachine.Valid(n.Type, n.Status) {
		return why, false
	}
	at := slices.IndexFunc(n.Problems, func(p mdoc.Diagnostic) bool {
		return p.Code == mdstore.CodeTypeInvalid || p.Code == mdstore.CodeStatusInvalid
	})
	return n.Problems[max(at, 0)], true
}

// loose returns the error for a node that is not below the root.
func (d *Draft) loose(n *mdstore.Node) error {
	up, _ := d.View.Ancestors(n.ID)
	top := n
	if len(up) > 0 {
		top = up[len(up)-1]
	}
	if p, broken := d.View.BrokenFolder(string(top.Parent)); broken {
		return &mdoc.UnreadableError{Problem: d.View.Broken()[p]}
	}
	if _, ok := d.View.Node(top.Parent); ok {
		return errs.New(errs.Cycle, "%s: its ancestors form a cycle through %s; change parentId of one of them",
			n.ID, top.ID).
			With(errs.Details{NodeID: string(top.ID), Paths: []string{string(top.Path)}})
	}
	whose, what, restore := "its", "parentId is missing", ""
	if top.ID != n.ID {
		whose = "of its ancestor " + string(top.ID) + " the"
	}
	if top.Parent != "" {
		what, restore = fmt.Sprintf("parent %q does not exist", top.Parent), "restore it (git, the trash), "
	}
	return errs.New(errs.OrphanNode, "%s: %s %s; %sname a parentId in %s, or move %s "+
		"({node_move})", n.ID, whose, what, restore, top.Path, top.ID).
		With(errs.Details{NodeID: string(top.ID), Paths: []string{string(top.Path)}})
}

// MoveFocus moves the workspace's focus.
func (d *Draft) MoveFocus(id mdstore.ID) error {
	if d.View.Workspace().Focus == id {
		return nil
	}
	e := d.OnWorkspace()
	if err := e.doc.Editable(); err != nil {
		return err
	}
	v := mdoc.NullValue()
	if id != "" {
		v = mdoc.Text(string(id))
	}
	e.Set(mdstore.KeyFocus, v)
	e.Did(view.Change{ID: d.View.Workspace().ID, Key: "focus", From: string(cmp.Or(d.View.Workspace().Focus, "nothing")), To: string(id)})
	return nil
}
