package plan

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// dependent is the guard of beginning work: the node must wait for its dependencies, and for those of the nodes above
// it.
func dependent(d *Draft, n *mdstore.Node, do statemachine.Action) error {
	if !statemachine.BeginsWork(do) {
		return nil
	}
	open := d.openFor(n)
	if len(open) == 0 {
		return nil
	}
	var ids []string
	for _, x := range open {
		ids = append(ids, x.ID())
	}
	return errs.New(errs.DependenciesOpen, "%s: it waits for %s; %s first, or repeat this with {.force: true}",
		view.Named(n), view.WaitsText(open), strings.Join(ends(open), " or ")).
		With(errs.Details{NodeID: string(n.ID), Status: string(n.Status), BlockedBy: ids})
}

// openFor returns the dependencies of a node and of nodes above it that are not completed as planned so far.
func (d *Draft) openFor(n *mdstore.Node) (open []view.Dependency) {
	for _, x := range d.View.Inherited(n) {
		if x.Node == nil || d.StatusOf(x.Node) != statemachine.Completed {
			open = append(open, x)
		}
		if x.Node != nil {
			d.Rely(x.Node)
		}
	}
	return open
}

// ends returns what would end the waiting for open dependencies: "complete it", "retry it", each once.
func ends(open []view.Dependency) (all []string) {
	for _, x := range open {
		how := "complete it"
		switch {
		case x.Node == nil:
			how = "take the id out"
		case x.Node.Status == statemachine.Failed:
			how = "retry it"
		case x.Node.Status == statemachine.Cancelled:
			how = "reopen it"
		}
		if !slices.Contains(all, how) {
			all = append(all, how)
		}
	}
	return all
}

// Acyclic refuses changes that close a cycle among dependencies. It is called after Finish.
func (d *Draft) Acyclic() error {
	files := d.written()
	if d.MayCycle || !slices.ContainsFunc(files, d.reorders) {
		return nil
	}
	was := d.View.DependencyCycles()
	next := d.View.With(files...)
	for _, cycle := range next.DependencyCycles() {
		within := func(old []*mdstore.Node) bool {
			return !slices.ContainsFunc(cycle, func(n *mdstore.Node) bool {
				return !slices.ContainsFunc(old, func(o *mdstore.Node) bool { return o.ID == n.ID })
			})
		}
		if !slices.ContainsFunc(was, within) {
			return errs.New(errs.DependencyCycle,
				"none of these could ever be started: %s; leave one of these dependencies out", next.CycleText(cycle)).
				With(errs.Details{NodeID: string(cycle[0].ID), Candidates: view.Nodes(cycle)})
		}
	}
	return nil
}

// reorders reports whether a file is that of a node whose parent or dependencies change.
func (d *Draft) reorders(f mdstore.File) bool {
	if f.Path == d.View.Workspace().Path {
		return false
	}
	n := mdstore.ParseNode(f)
	old, ok := d.View.File(f.Path)
	if !ok {
		return len(n.Dependencies) > 0
	}
	return n.Parent != old.Parent || !slices.Equal(n.Dependencies, old.Dependencies)
}

// undepend removes the nodes of gone from the dependencies of the other nodes, and returns those that it changed.
func (d *Draft) undepend(gone map[mdstore.ID]bool) (from []mdstore.ID) {
	for n := range d.View.All() {
		if gone[n.ID] || len(n.Dependencies) == 0 || d.Editable(n) != nil {
			continue
		}
		var left []string
		for _, x := range d.View.Dependencies(n) {
			if x.Node == nil || !gone[x.Node.ID] {
				left = append(left, x.Target)
			}
		}
		if len(left) == len(n.Dependencies) {
			continue
		}
		if left == nil {
			left = []string{} // not nil: all are taken out
		}
		d.OnNode(n).setFields(n, &mdstore.Fields{Dependencies: left})
		from = append(from, n.ID)
	}
	return from
}

// scalar returns the value of a field for a file: an existing list stays a list.
func scalar(doc *mdoc.Doc, f *mdstore.Field, text string) mdoc.Scalar {
	if is, ok := doc.Field(f.Key); ok && is.Kind == mdoc.Nested && f.Rule.List && text != "" {
		return mdoc.List(strings.Split(text, "\n")...)
	}
	return f.Scalar(text)
}
