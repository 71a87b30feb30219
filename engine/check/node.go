package check

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

func (c *checker) workspace() {
	w := c.v.Workspace()
	for _, d := range mdstore.WorkspaceKind.Check(w.Path, w.Doc) {
		c.add(d, repair{})
	}
	for _, p := range w.Problems {
		f := Finding{Diagnostic: p}
		switch { // if p.Fix names a repair, this adds the plan for it
		case p.Fix == "":
		case p.Code == mdstore.CodeIDMissing:
			f.mend = c.onWorkspace(p.Fix, set(w.ID, mdstore.KeyID, mdoc.Text(string(w.ID)))).mend
		case p.Code == mdstore.CodeStatusInvalid:
			f.mend = c.onWorkspace(p.Fix, set(w.ID, mdstore.KeyStatus, mdoc.Text(w.Status))).mend
		}
		c.out = append(c.out, f)
	}
	if len(w.Problems) == 0 || w.Doc.Editable() == nil {
		if hash := w.RulesHash(); w.StoredHash != hash {
			c.field(w.Doc, mdstore.KeyRulesHash, CodeHashStale, c.onWorkspace("write the hash of the rules as they stand", set(w.ID, mdstore.KeyRulesHash, mdoc.Text(hash))),
				"rulesHash is %s, the rules as they stand have %s", orMissing(w.StoredHash), orMissing(hash))
		}
		if _, ok := c.v.Node(w.Focus); w.Focus != "" && !ok {
			focus := c.ifAbsent(w.Focus, c.onWorkspace("focus the root", func(d *plan.Draft, _ *plan.Edit) error { return d.MoveFocus(mdstore.Root) }))
			if _, ok := c.v.Node(mdstore.Root); !ok && c.newRoot().mend == nil {
				focus = repair{}
			}
			if at, unread := c.v.BrokenFolder(string(w.Focus)); unread {
				c.field(w.Doc, mdstore.KeyFocus, CodeFocusDangling, repair{}, "focusedNodeId %s cannot be read; mend %s", w.Focus, at)
			} else {
				c.field(w.Doc, mdstore.KeyFocus, CodeFocusDangling, focus, "focusedNodeId %s is no node; focus another one", w.Focus)
			}
		}
	}
	if _, ok := c.v.Node(mdstore.Root); !ok {
		c.at(w.Doc, position{}, CodeRootMissing, c.newRoot(),
			"no node has the id root; restore %s (git, the trash), or give the topmost node that id", rootPlace)
	}
}

func orMissing(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (c *checker) node(n *mdstore.Node) {
	for _, p := range n.Problems {
		f := Finding{Diagnostic: p}
		if p.Fix != "" && p.Code == mdstore.CodeIDMissing {
			r := c.on(n, p.Fix, set(n.ID, mdstore.KeyID, mdoc.Text(string(n.ID))))
			f.Fix, f.mend = r.text, r.mend
		}
		c.out = append(c.out, f)
	}
	c.copies(n)
	c.parent(n)
	c.status(n)
	c.fields(n)
	c.links(n)
	if n.Status == statemachine.Completed {
		if open := n.Unverified(mdstore.Verifies(c.v.Workspace(), n)); len(open) > 0 {
			c.field(n.Doc(), mdstore.KeyStatus, CodeUnverified, repair{},
				"it is completed, and since it was started nothing says that these passed: %s; "+
					"reopen it and complete it again", strings.Join(open, ", "))
		}
	}
	for _, x := range c.dependsOn(n) {
		c.field(n.Doc(), mdstore.KeyDependencies, x.code, repair{}, "%s", x.text)
	}
	for _, r := range n.References() {
		if _, ok := c.v.Referred(n, r.Target); !ok && !bool(r.Expired) {
			if at, unread := c.v.BrokenFolder(r.Target); unread { // it is there, and may be readable again in a moment
				c.at(n.Doc(), itemAt(n.Doc(), r.Span), CodeDangling, repair{}, "reference to %s, which cannot be read; mend %s", r.Target, at)
				continue
			}
			if !view.NamesNode(r.Target) {
				continue
			}
			c.at(n.Doc(), itemAt(n.Doc(), r.Span), CodeDangling, c.ifAbsent(mdstore.ID(r.Target), c.on(n, "mark the reference expired", func(_ *plan.Draft, e *plan.Edit) error {
				e.Mark(string(n.ID), mdstore.SecReferences, r, true)
				return nil
			})), "reference to %s, which is no node; correct the id, expire it, or remove it", r.Target)
		}
	}
}

// links reports links to nodes that lie elsewhere. One repair mends all of them.
func (c *checker) links(n *mdstore.Node) {
	var pairs []string
	var mended *plan.Draft
	fix := c.on(n, "write the path to the node's file", func(d *plan.Draft, e *plan.Edit) error {
		if mended != d {
			mended = d
			e.Relink(pairs...)
		}
		return nil
	})
	for _, l := range mdstore.FileLinks(n.Doc()) {
		to, ok := c.v.Astray(n, l.Target)
		if !ok {
			continue
		}
		now := view.LinkTo(n, to)
		pairs = append(pairs, l.Target, now)
		c.at(n.Doc(), itemAt(n.Doc(), l.Span), CodeLinkMoved, fix,
			"%s leads to no file; node %s is at %s", l.Target, to.ID, now)
	}
}

// fields reports nodes that the fields name and that are not there.
func (c *checker) fields(n *mdstore.Node) {
	for f, id := range n.Nodes() {
		if _, ok := c.v.Referred(n, id); ok {
			continue
		}
		if f.Key == mdstore.KeyDependencies {
			c.field(n.Doc(), f.Key, CodeDependsMissing, repair{},
				"it waits for %s, which is no node; correct the id, or take it out", id)
			continue
		}
		if at, unread := c.v.BrokenFolder(id); unread {
			c.field(n.Doc(), f.Key, CodeDangling, repair{}, "%s names %s, which cannot be read; mend %s", f.Key, id, at)
			continue
		}
		c.field(n.Doc(), f.Key, CodeDangling, repair{}, "%s names %s, which is no node; correct the id, or remove it", f.Key, id)
	}
}

func (c *checker) copies(n *mdstore.Node) {
	same := c.v.Files(n.ID)
	if len(same) < 2 {
		return
	}
	others := othersOf(same, n.Path, func(o *mdstore.Node) mdstore.Path { return o.Path })
	r, advice := repair{}, "give one of them another id, or remove the copy"
	if orig := original(c.v, n.ID); orig != nil && orig.Path == n.Path {
		r = repair{"give the copies ids of their own", func(*plan.Draft) (bool, error) { return true, nil }}
	} else if orig != nil {
		r = repair{"give this copy an id of its own", func(d *plan.Draft) (bool, error) { return true, rename(d, n) }}
	}
	c.field(n.Doc(), mdstore.KeyID, string(errs.DuplicateID), r, "id %s is that of %s too; %s", n.ID, others, advice)
}

func (c *checker) parent(n *mdstore.Node) {
	if n.ID == mdstore.Root {
		if n.Parent != "" {
			c.field(n.Doc(), mdstore.KeyParent, mdstore.CodeFieldInvalid, c.on(n, "write null", set(n.ID, mdstore.KeyParent, mdoc.NullValue())), "parentId is %s, but the root has no parent; write null", n.Parent)
		}
		return
	}
	if n.Editable() != nil && n.Parent == "" {
		return
	}
	p, ok := c.v.Node(n.Parent)
	broken, unread := c.v.BrokenFolder(string(n.Parent))
	switch {
	case !ok && unread:
		c.field(n.Doc(), mdstore.KeyParent, string(errs.OrphanNode), repair{}, "parent %s cannot be read; mend %s", n.Parent, broken)
	case !ok && n.Parent == mdstore.Root:
		c.field(n.Doc(), mdstore.KeyParent, string(errs.OrphanNode), c.newRoot(), "parent root does not exist; the node is in its place again as soon as there is a root")
	case !ok:
		c.field(n.Doc(), mdstore.KeyParent, string(errs.OrphanNode), c.adopted(n), "parent %s does not exist; name another parentId%s, or move the node", n.Parent, c.rootIsOne())
	case c.circles[n.ID] && c.v.Files(n.ID)[0].Path == n.Path: // the other files with this id name their own parents
		c.field(n.Doc(), mdstore.KeyParent, string(errs.Cycle), c.goesBack(n), "its ancestors go round in a circle: %s; give one of them another parentId", c.way(n))
	case childless(p):
		c.field(n.Doc(), mdstore.KeyParent, CodeExecChildren, repair{}, "parent %s is an execution node, which has no children; name another parentId, or make the parent a planning node", p.ID)
	}
}

// rootIsOne names the root as a parent, if there is one.
func (c *checker) rootIsOne() string {
	if _, ok := c.v.Node(mdstore.Root); ok {
		return " (root is one)"
	}
	return ""
}

// childless reports whether a node's type takes no children, whatever other problems the node has. It is false for an
// invalid type, and for a damaged file, of which we may have read only a part.
func childless(n *mdstore.Node) bool {
	return !statemachine.TakesChildren(n.Type) && n.Editable() == nil && slices.Contains(statemachine.Types(), n.Type)
}

func (c *checker) way(n *mdstore.Node) string {
	up, _ := c.v.Ancestors(n.ID)
	s := string(n.ID)
	for _, a := range up[:min(len(up), view.CandidatesShown)] {
		s += " → " + string(a.ID)
	}
	return s + " → " + string(n.ID)
}
