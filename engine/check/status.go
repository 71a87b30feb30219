package check

import (
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// status adds the contradictions between a node's status and its file or its children. It only reports them and changes
// no status.
func (c *checker) status(n *mdstore.Node) {
	for _, d := range mdstore.NodeKind.Check(n.Path, n.Doc()) {
		r := repair{}
		if was, _, unlogged := mdstore.UnloggedStatus(n); unlogged && d.Code == string(statemachine.CodeStatusUnreachable) {
			r = c.on(n, "record it in the log", func(d *plan.Draft, e *plan.Edit) error {
				d.Log(e, mdstore.StatusChange{By: mdstore.ByHand, From: was.To, To: n.Status}.String())
				e.Did(view.Change{ID: n.ID, Key: mdstore.KeyStatus, To: string(n.Status), Do: "recorded"})
				return nil
			})
		}
		if d.Code == mdstore.CodeLooksLike {
			r = c.renamed(n, d)
		}
		c.add(d, r)
	}
	if n.Gaps().Life {
		return // the file says nothing that could be wrong
	}
	kids := c.v.Below(n.ID)
	if len(n.Problems) > 0 || len(kids) == 0 || !c.owns(n) {
		return
	}
	for _, r := range c.openBelow(n) {
		c.field(n.Doc(), mdstore.KeyStatus, string(r.Code), c.raised(n, true), "%s; %s", r.Text, mdstore.Remedy(r.Code))
	}
	// A reopened node is in planning with the children it had; one that never started has none but those by hand.
	kids = slices.DeleteFunc(slices.Clone(kids), func(k *mdstore.Node) bool { return k.Gaps().Life })
	if len(kids) > 0 && statemachine.TakesChildren(n.Type) && n.Status == statemachine.Initial(n.Type) {
		c.field(n.Doc(), mdstore.KeyStatus, string(statemachine.CodeStatusUnreachable),
			c.raised(n, false), "status is %s, but the node has children (%s); it is %s from the first of them on", n.Status, kids[0].ID, statemachine.Monitoring)
	}
}

// renamed returns the repair of what looks like a key or section: a heading that is nearly a section's, a title that
// YAML does not read whole, or a key that is another name of a field, which the file does not have.
func (c *checker) renamed(n *mdstore.Node, d mdoc.Diagnostic) repair {
	for _, s := range n.Doc().Sections() {
		name := mdstore.Meant(n.Doc(), s)
		one := mdstore.OneText(name) || name == mdstore.SecCriteria && atMostOne(n.Doc(), name)
		if one && s.Line == d.Line {
			return c.on(n, "join it with the section "+name, func(_ *plan.Draft, e *plan.Edit) error {
				e.Join(name)
				e.Did(view.Change{ID: n.ID, Key: name, Do: "joined"})
				return nil
			})
		}
	}
	value, _ := n.Doc().Field(mdstore.KeyTitle)
	if line, _ := n.Doc().FieldPosition(mdstore.KeyTitle); line == d.Line {
		if written, ok := mdstore.MarkedText(n.Doc(), mdstore.KeyTitle); ok && strings.HasSuffix(written, value.Value) {
			return c.on(n, "put it in quotes", func(_ *plan.Draft, e *plan.Edit) error {
				e.Set(mdstore.KeyTitle, mdoc.Text(written))
				e.Did(view.Change{ID: n.ID, Key: mdstore.KeyTitle, To: written, Do: "mended"})
				return nil
			})
		}
	}
	for key, f := range mdstore.Lookalikes(n.Doc()) {
		line, _ := n.Doc().FieldPosition(key)
		if _, both := n.Doc().Field(f.Key); line != d.Line || both {
			continue
		}
		return c.on(n, "rename it to "+f.Key, func(_ *plan.Draft, e *plan.Edit) error {
			e.Rename(key, f.Key)
			e.Did(view.Change{ID: n.ID, Key: f.Key, Do: "mended"})
			return nil
		})
	}
	return repair{}
}

func atMostOne(d *mdoc.Doc, section string) bool {
	count := 0
	for _, s := range d.Sections() {
		if s.Name == section {
			count++
		}
	}
	return count <= 1
}

// raised returns the repair of a planning node with open children.
func (c *checker) raised(n *mdstore.Node, reopen bool) repair {
	if !statemachine.TakesChildren(n.Type) {
		return repair{}
	}
	twice := func(d mdoc.Diagnostic) bool { return d.Code == mdstore.CodeSectionTwice }
	if reopen && slices.ContainsFunc(mdstore.NodeKind.Check(n.Path, n.Doc()), twice) {
		return repair{} // a person must say which conclusion goes to the log
	}
	return c.on(n, "move it to "+string(statemachine.Monitoring), func(d *plan.Draft, _ *plan.Edit) error {
		_, err := d.Raise([]*mdstore.Node{n}, reopen, "mended: it has children")
		return err
	})
}

// owns reports whether the children that name an id as their parent belong to this one of several files with the id.
func (c *checker) owns(n *mdstore.Node) bool {
	same := c.v.Files(n.ID)
	if len(same) == 1 {
		return true
	}
	if orig := original(c.v, n.ID); orig != nil {
		return n.Path == orig.Path
	}
	return n.Path == same[0].Path
}
