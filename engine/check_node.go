package engine

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A checker collects what is wrong in a snapshot.
type checker struct {
	s       *Snapshot
	circles map[mdstore.ID]bool
	out     []finding
}

// A place is where in a file something is wrong; the zero place is the whole file.
type place struct{ line, col int }

func valueOf(d *mdoc.Doc, key string) (p place) {
	p.line, p.col = d.FieldPosition(key)
	return p
}

func itemAt(d *mdoc.Doc, s mdoc.Span) (p place) {
	p.line, p.col = d.ItemPosition(s)
	return p
}

// A repair is what check --fix does about a finding: in words, and as a plan. The zero repair is a person's.
type repair struct {
	text string
	mend func(*draft) (bool, error)
}

// at adds a finding in a document.
func (c *checker) at(d *mdoc.Doc, p place, code string, r repair, format string, args ...any) {
	c.out = append(c.out, finding{mdoc.Diagnostic{File: d.Name(), Line: p.line, Col: p.col, Code: code, Text: fmt.Sprintf(format, args...), Fix: r.text}, r.mend})
}

// field is at for the value of a front matter key.
func (c *checker) field(d *mdoc.Doc, key, code string, r repair, format string, args ...any) {
	c.at(d, valueOf(d, key), code, r, format, args...)
}

// on returns a repair of a node's file, and none where the file takes no edits and will take none.
func (c *checker) on(n *mdstore.Node, text string, mend func(d *draft, e *edit) error) repair {
	if n.Editable() != nil || len(c.s.Files(n.ID)) > 1 && c.s.original(n.ID) == nil {
		return repair{}
	}
	return repair{text, func(d *draft) (bool, error) {
		if d.editable(n) != nil {
			return false, nil // one of several with its id still
		}
		return true, mend(d, d.onNode(n))
	}}
}

// onWorkspace returns a repair of the workspace's file, and none where that takes no edits.
func (c *checker) onWorkspace(text string, mend func(d *draft, e *edit) error) repair {
	if c.s.ws.Doc.Editable() != nil || c.s.ws.Version.IsZero() {
		return repair{}
	}
	return repair{text, func(d *draft) (bool, error) { return true, mend(d, d.onWorkspace()) }}
}

// set returns the plan of writing one value of the front matter.
func set(who mdstore.ID, key string, v mdoc.Scalar) func(*draft, *edit) error {
	return func(_ *draft, e *edit) error {
		e.set(key, v)
		e.did("%s %s mended", who, key)
		return nil
	}
}

func (c *checker) workspace() {
	w := c.s.ws
	c.sections(w.Doc)
	for _, p := range w.Problems {
		f := finding{Diagnostic: p}
		switch { // the file itself says what is wrong, and here is what it is mended by
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
		if _, ok := c.s.Node(w.Focus); w.Focus != "" && !ok {
			focus := c.gone(w.Focus, c.onWorkspace("focus the root", func(d *draft, _ *edit) error { return d.focus(mdstore.Root) }))
			if _, ok := c.s.Node(mdstore.Root); !ok && c.newRoot().mend == nil {
				focus = repair{}
			}
			if at, unread := c.s.brokenFolder(string(w.Focus)); unread {
				c.field(w.Doc, mdstore.KeyFocus, CodeFocusDangling, repair{}, "focusedNodeId %s cannot be read; mend %s", w.Focus, at)
			} else {
				c.field(w.Doc, mdstore.KeyFocus, CodeFocusDangling, focus, "focusedNodeId %s is no node; focus another one", w.Focus)
			}
		}
	}
	if _, ok := c.s.Node(mdstore.Root); !ok {
		c.at(w.Doc, place{}, CodeRootMissing, c.newRoot(), "no node has the id root; restore nodes/root/Node.md (git, the trash), or give the topmost node that id")
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
		f := finding{Diagnostic: p}
		if p.Fix != "" && p.Code == mdstore.CodeIDMissing {
			r := c.on(n, p.Fix, set(n.ID, mdstore.KeyID, mdoc.Text(string(n.ID))))
			f.Fix, f.mend = r.text, r.mend
		}
		c.out = append(c.out, f)
	}
	c.copies(n)
	c.parent(n)
	c.sections(n.Doc())
	c.status(n)
	for _, r := range n.References() {
		if _, ok := c.s.Node(mdstore.ID(r.Target)); !ok && !r.Expired {
			if at, unread := c.s.brokenFolder(r.Target); unread { // it is there, and may be readable again in a moment
				c.at(n.Doc(), itemAt(n.Doc(), r.Span), CodeDangling, repair{}, "reference to %s, which cannot be read; mend %s", r.Target, at)
				continue
			}
			if !isNodeRef(r.Target) {
				continue
			}
			c.at(n.Doc(), itemAt(n.Doc(), r.Span), CodeDangling, c.gone(mdstore.ID(r.Target), c.on(n, "mark the reference expired", func(_ *draft, e *edit) error {
				e.mark(string(n.ID), mdstore.SecReferences, r, true)
				return nil
			})), "reference to %s, which is no node; correct the id, expire it, or remove it", r.Target)
		}
	}
}

func (c *checker) copies(n *mdstore.Node) {
	same := c.s.Files(n.ID)
	if len(same) < 2 {
		return
	}
	var others []string
	for _, o := range same {
		if o != n {
			others = append(others, string(o.Path))
		}
	}
	r, advice := repair{}, "give one of them another id, or remove the copy"
	if orig := c.s.original(n.ID); orig == n {
		r = repair{"give the copies ids of their own", func(*draft) (bool, error) { return true, nil }}
	} else if orig != nil {
		r = repair{"give this copy an id of its own", func(d *draft) (bool, error) { return true, d.rename(n) }}
	}
	c.field(n.Doc(), mdstore.KeyID, string(DuplicateID), r, "id %s is that of %s too; %s", n.ID, strings.Join(others, " and "), advice)
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
	p, ok := c.s.Node(n.Parent)
	broken, unread := c.s.brokenFolder(string(n.Parent))
	switch {
	case !ok && unread:
		c.field(n.Doc(), mdstore.KeyParent, string(OrphanNode), repair{}, "parent %s cannot be read; mend %s", n.Parent, broken)
	case n.Parent == "":
		c.field(n.Doc(), mdstore.KeyParent, string(OrphanNode), repair{}, "parentId is missing; name the node's parent%s", c.rootIsOne())
	case !ok && n.Parent == mdstore.Root:
		c.field(n.Doc(), mdstore.KeyParent, string(OrphanNode), c.newRoot(), "parent root does not exist; the node is in its place again as soon as there is a root")
	case !ok:
		c.field(n.Doc(), mdstore.KeyParent, string(OrphanNode), repair{}, "parent %s does not exist; name another parentId%s, or move the node", n.Parent, c.rootIsOne())
	case c.circles[n.ID] && c.s.filesOf(n.ID)[0] == n: // the others with its id hang where they say
		c.field(n.Doc(), mdstore.KeyParent, string(Cycle), repair{}, "its ancestors go round in a circle: %s; give one of them another parentId", c.way(n))
	case childless(p):
		c.field(n.Doc(), mdstore.KeyParent, CodeExecChildren, repair{}, "parent %s is an execution node, which has no children; name another parentId, or make the parent a planning node", p.ID)
	}
}

// rootIsOne names the root as a parent, where there is one.
func (c *checker) rootIsOne() string {
	if _, ok := c.s.Node(mdstore.Root); ok {
		return " (root is one)"
	}
	return ""
}

// childless reports whether a node says of itself that it takes no children, whatever else is wrong with it. A type that is none says nothing, and neither does
// a damaged file, of which a part only may have been read.
func childless(n *mdstore.Node) bool {
	return !statemachine.TakesChildren(n.Type) && n.Editable() == nil && slices.Contains(statemachine.Types(), n.Type)
}

func (c *checker) way(n *mdstore.Node) string {
	up, _ := c.s.Ancestors(n.ID)
	s := string(n.ID)
	for _, a := range up[:min(len(up), candidatesShown)] {
		s += " → " + string(a.ID)
	}
	return s + " → " + string(n.ID)
}

// texts are the sections that hold one text; of the others every one is read, and entries go into the last.
var texts = []string{mdstore.SecRequirement, mdstore.SecConclusion, mdstore.SecNote, mdstore.SecProblem}

// sections reports texts that stand twice, as there is no telling which of them an edit means.
func (c *checker) sections(d *mdoc.Doc) {
	for f, s := range twice(d) {
		c.at(d, itemAt(d, s.Heading), CodeSectionTwice, repair{}, "the section %s stands in line %d already; join the two, as commands cannot tell which one to write to", s.Title, f.Line)
	}
}

// twice yields each section of one text that stands behind another of its name, and the first of these.
func twice(d *mdoc.Doc) iter.Seq2[mdoc.Section, mdoc.Section] {
	return func(yield func(first, again mdoc.Section) bool) {
		all := d.Sections()
		for i, s := range all {
			if !slices.Contains(texts, s.Name) {
				continue
			}
			for _, f := range all[:i] {
				if f.Name == s.Name {
					if !yield(f, s) {
						return
					}
					break
				}
			}
		}
	}
}
