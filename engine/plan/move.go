package plan

import (
	"cmp"
	"math"
	"slices"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// Move are the arguments of a node's move. Before or After, not both, names the sibling next to which it is placed.
// With neither, a node that gets another parent is placed by its order and time, and one that keeps its parent stays.
type Move struct {
	Node, Parent  mdstore.ID
	Before, After mdstore.ID
	Cascade       bool // reopen completed and cancelled ancestors
}

// Moved is what a move did.
type Moved struct {
	Previous mdstore.ID // the parent before
	Cascades []Cascade
}

// Plan gives a node another parent, or another place among its siblings. Files stay where they are.
func (m Move) Plan(d *Draft) (*Moved, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	n, err := d.View.Known(m.Node) // a misplaced node too: moving it is the repair
	if err != nil {
		return nil, err
	}
	if err := d.Editable(n); err != nil {
		return nil, err
	}
	if err := d.match(n.Path, n.Version()); err != nil {
		return nil, err
	}
	if err := d.View.Unread(); err != nil { // the file may be of the parent or a sibling
		return nil, err
	}
	edit := d.OnNode(n)
	if n.ID == mdstore.Root {
		return nil, errs.New(errs.CannotMoveRoot, "%s: the root stays where it is; move its children instead", n.ID)
	}
	if m.Before == m.Node || m.After == m.Node {
		return nil, errs.New(errs.InvalidParams, "%s: a node stands neither before nor after itself; name a sibling", n.ID).With(errs.Details{NodeID: string(n.ID), Candidates: view.Nodes(d.View.Below(m.Parent))})
	}
	up, _ := d.View.Ancestors(m.Parent)
	if m.Parent == n.ID || slices.ContainsFunc(up, func(a *mdstore.Node) bool { return a.ID == n.ID }) {
		return nil, errs.New(errs.MoveCycle, "%s: cannot be moved into its own subtree, which contains %s", n.ID, m.Parent).
			With(errs.Details{NodeID: string(n.ID)})
	}
	out := &Moved{Previous: n.Parent}
	if m.Parent != n.Parent {
		up, err := d.place(m.Parent, m.Cascade)
		if err != nil {
			return nil, err
		}
		d.placing(n).Parent = m.Parent
		edit.Set(mdstore.KeyParent, mdoc.Text(string(m.Parent)))
		edit.Did(view.Change{ID: n.ID, Key: mdstore.KeyParent, From: string(n.Parent), To: string(m.Parent)})
		d.Log(edit, "moved: "+string(n.Parent)+" → "+string(m.Parent))
		if out.Cascades, err = d.Raise(entered(n.Type, n.Status, up), m.Cascade, "child "+string(n.ID)+" moved in"); err != nil {
			return nil, err
		}
	} else if _, ok := d.View.Node(m.Parent); !ok {
		return nil, errs.Recoded(d.View.Unknown(string(m.Parent)), errs.ParentNotFound)
	}
	return out, d.reorder(n, m)
}

// entered returns those ancestors that change when a node is added below them: always its parent, and the others if the
// node is running or one of them must be reopened.
func entered(t statemachine.Type, s statemachine.Status, up []*mdstore.Node) []*mdstore.Node {
	if waits := s == statemachine.Initial(t) || statemachine.Terminal(s); waits && !anyFrozen(up) {
		return up[:1]
	}
	return up
}

// reorder sets the order that puts the node next to the sibling named.
func (d *Draft) reorder(n *mdstore.Node, m Move) error {
	if m.Before == "" && m.After == "" {
		return nil
	}
	order, err := m.beside(d)
	if err == nil && !math.IsNaN(order) {
		d.number(n, order)
	}
	return err
}

// beside returns the order that places a node next to the named sibling; NaN if it is there already.
func (m Move) beside(d *Draft) (float64, error) {
	n := math.NaN()
	if m.Before != "" && m.After != "" {
		return n, errs.New(errs.InvalidParams, "before and after are given both; one of them says the place").With(errs.Details{Param: "after"})
	}
	beside := cmp.Or(m.Before, m.After)
	all := d.children(m.Parent)
	kids := slices.DeleteFunc(slices.Clone(all), func(k *mdstore.Node) bool { return k.ID == m.Node })
	at := slices.IndexFunc(kids, func(k *mdstore.Node) bool { return k.ID == beside })
	if at < 0 {
		return n, errs.New(errs.NodeNotFound, "%s: no child of %s; before and after name one of its children", beside, m.Parent).With(errs.Details{NodeID: string(beside), Candidates: view.Nodes(kids)})
	}
	if m.After != "" {
		at++
	}
	if at < len(all) && all[at].ID == m.Node {
		return n, nil
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	if at > 0 {
		lo = kids[at-1].Place()
	}
	if at < len(kids) {
		hi = kids[at].Place()
	}
	order, ok := between(lo, hi)
	if !ok { // siblings share a place: give the later ones another
		if order, ok = d.spread(kids, at, lo); !ok {
			return n, errs.New(errs.InvalidParams, "%s: no place beside %s: its siblings' orders leave none; give them other orders", m.Node, beside)
		}
	}
	return order, nil
}

// between returns a number strictly between two places, a whole number if there is one.
func between(lo, hi float64) (float64, bool) {
	switch {
	case math.IsInf(lo, -1) && math.IsInf(hi, 1):
		return 1, true
	case math.IsInf(lo, -1):
		w := math.Ceil(hi) - 1
		return w, w < hi
	case math.IsInf(hi, 1):
		return following(lo), following(lo) > lo
	}
	mid := lo + (hi-lo)/2
	if w := math.Floor(mid); w > lo && w < hi {
		return w, true
	}
	return mid, mid > lo && mid < hi
}

// following returns the next whole number. It is x itself if x is too large for that.
func following(x float64) float64 { return math.Floor(x) + 1 }

// spread makes room before kids[at]: it gives kids[at], and the kids after it as far as needed, whole numbers after lo.
// If the siblings before have no place either, it numbers all. It returns the number left free.
func (d *Draft) spread(kids []*mdstore.Node, at int, lo float64) (order float64, ok bool) {
	i, all := at, math.IsInf(lo, 1)
	if all {
		i, lo = 0, 0
	}
	for last := lo; ; i++ {
		if i == at {
			last = following(last)
			order = last
		}
		if i == len(kids) || !all && kids[i].Place() > last {
			return order, order > lo
		}
		if d.Editable(kids[i]) != nil {
			return 0, false
		}
		last = following(last)
		d.number(kids[i], last)
	}
}

// number gives a node another order.
func (d *Draft) number(n *mdstore.Node, order float64) {
	d.placing(n).Order = &order
	d.OnNode(n).setFields(n, &mdstore.Fields{Order: &order})
}

// placing returns the place of a node as planned so far, to be changed.
func (d *Draft) placing(n *mdstore.Node) *mdstore.Node {
	if d.placed[n.ID] == nil {
		at := *n
		d.placed[n.ID] = &at
	}
	return d.placed[n.ID]
}

// children returns the children of a node in their order, as planned so far.
func (d *Draft) children(parent mdstore.ID) []*mdstore.Node {
	kids := d.View.Below(parent)
	if len(d.placed) == 0 {
		return kids
	}
	kids = slices.DeleteFunc(slices.Clone(kids), func(k *mdstore.Node) bool { return d.placed[k.ID] != nil })
	for _, n := range d.placed {
		if n.Parent == parent {
			kids = append(kids, n)
		}
	}
	slices.SortFunc(kids, (*mdstore.Node).Compare)
	return kids
}
