// Package check finds the problems of a workspace's files, alone and together, and plans the repairs that lose no
// text. Each file of this package has one family of findings with their repairs.
package check

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A Finding is a diagnostic with the plan of its repair. mend is nil if a person has to do it; it returns false if
// something else must be mended first.
type Finding struct {
	mdoc.Diagnostic
	mend func(*plan.Draft) (bool, error)
}

// Diagnostics returns the diagnostics of findings.
func Diagnostics(fs []Finding) []mdoc.Diagnostic {
	out := make([]mdoc.Diagnostic, len(fs))
	for i, f := range fs {
		out[i] = f.Diagnostic
	}
	return out
}

// sortFindings orders by file and place. Findings at one place keep their order, which is also the order of repairs.
func sortFindings(fs []Finding) {
	sort.SliceStable(fs, func(i, j int) bool {
		a, b := &fs[i], &fs[j]
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), strings.Compare(a.Code, b.Code)) < 0
	})
}

// View returns the findings about the files of a view, alone and together, in the order of files and lines. It loads
// only documents of nodes whose facts do not rule out a finding. off are the codes that settings turn off, as of Plan
// and Node.
func View(v *view.View, off ...string) []Finding {
	c := checker{v: v, off: off}
	for _, d := range v.Pages().Broken() {
		c.out = append(c.out, Finding{Diagnostic: d})
	}
	c.pages(v.Pages().All())
	return c.plan()
}

// Plan is View without the pages, which are not asked for.
func Plan(v *view.View, off ...string) []Finding {
	c := checker{v: v, off: off}
	return c.plan()
}

// plan finds what is wrong with the workspace's own file and the nodes, and returns all that was found.
func (c *checker) plan() []Finding {
	v := c.v
	c.circles = v.Circles()
	for _, cycle := range v.DependencyCycles() {
		c.cycle(cycle)
	}
	for _, d := range v.Broken() {
		c.out = append(c.out, Finding{Diagnostic: d})
	}
	c.workspace()
	for n := range v.Heads() {
		if c.suspect(n) {
			n, _ = v.File(n.Path)
			c.node(n)
		}
	}
	if c.sort(); v.Workspace().Newer() {
		return LeftAlone(c.out)
	}
	return c.out
}

// Node returns the diagnostics that concern the file of one node.
func Node(v *view.View, n *mdstore.Node, off ...string) []mdoc.Diagnostic {
	c := checker{v: v, off: off, circles: map[mdstore.ID]bool{n.ID: n.ID != mdstore.Root && v.Circular(n)}}
	if c.suspect(n) {
		c.node(n)
	}
	c.sort()
	return Diagnostics(c.out)
}

// sort orders what was found, without the codes that are off.
func (c *checker) sort() {
	c.out = slices.DeleteFunc(c.out, func(f Finding) bool { return slices.Contains(c.off, f.Code) })
	sortFindings(c.out)
}

// LeftAlone returns the findings without their repairs: their files must not be written.
func LeftAlone(fs []Finding) []Finding {
	for i := range fs {
		fs[i].Fix, fs[i].mend = "", nil
	}
	return fs
}

// A checker collects the findings about a view.
type checker struct {
	v       *view.View
	off     []string // codes
	circles map[mdstore.ID]bool
	out     []Finding
}

// A position is the place of a problem in a file; the zero position means the whole file.
type position struct{ line, col int }

func valueOf(d *mdoc.Doc, key string) (p position) {
	p.line, p.col = d.FieldPosition(key)
	return p
}

func itemAt(d *mdoc.Doc, s mdoc.Span) (p position) {
	p.line, p.col = d.ItemPosition(s)
	return p
}

// A repair is what check --fix does about a finding: in words, and as a plan. The zero repair means that a person must
// repair it.
type repair struct {
	text string
	mend func(*plan.Draft) (bool, error)
}

// at adds a finding in a document.
func (c *checker) at(d *mdoc.Doc, p position, code string, r repair, format string, args ...any) {
	c.add(mdoc.Diagnostic{File: d.Name(), Line: p.line, Col: p.col, Code: code, Text: fmt.Sprintf(format, args...)}, r)
}

func (c *checker) add(d mdoc.Diagnostic, r repair) {
	d.Fix = r.text
	c.out = append(c.out, Finding{d, r.mend})
}

// field is at for the value of a front matter key.
func (c *checker) field(d *mdoc.Doc, key, code string, r repair, format string, args ...any) {
	c.at(d, valueOf(d, key), code, r, format, args...)
}

// on returns a repair of a node's file, and none if the file takes no edits and will take none.
func (c *checker) on(n *mdstore.Node, text string, mend func(d *plan.Draft, e *plan.Edit) error) repair {
	if n.Editable() != nil || len(c.v.Files(n.ID)) > 1 && original(c.v, n.ID) == nil {
		return repair{}
	}
	return repair{text, func(d *plan.Draft) (bool, error) {
		if d.Editable(n) != nil {
			return false, nil // other files still have its id
		}
		return true, mend(d, d.OnNode(n))
	}}
}

// onWorkspace returns a repair of the workspace's file, and none if that takes no edits.
func (c *checker) onWorkspace(text string, mend func(d *plan.Draft, e *plan.Edit) error) repair {
	if w := c.v.Workspace(); w.Doc.Editable() != nil || w.Version.IsZero() {
		return repair{}
	}
	return repair{text, func(d *plan.Draft) (bool, error) { return true, mend(d, d.OnWorkspace()) }}
}

// set returns a plan that writes one value of the front matter.
func set(who mdstore.ID, key string, v mdoc.Scalar) func(*plan.Draft, *plan.Edit) error {
	return func(_ *plan.Draft, e *plan.Edit) error {
		e.Set(key, v)
		e.Did(view.Change{ID: who, Key: key, Do: "mended"})
		return nil
	}
}

// suspect reports whether the checks may find something about a node. If it is false, they find nothing.
func (c *checker) suspect(n *mdstore.Node) bool {
	v, facts := c.v, n.Facts()
	if len(n.Problems) > 0 || !facts.Clean() || v.Shared(n.ID) {
		return true
	}
	if n.ID == mdstore.Root {
		if n.Parent != "" {
			return true
		}
	} else if p, ok := v.Node(n.Parent); !ok || c.circles[n.ID] || childless(p) {
		return true
	}
	if v.HasChildren(n.ID) && (n.Status == statemachine.Initial(n.Type) || len(c.openBelow(n)) > 0) {
		return true
	}
	for _, id := range n.Nodes() {
		if _, ok := v.Referred(n, id); !ok {
			return true
		}
	}
	if len(c.dependsOn(n)) > 0 || n.Status == statemachine.Completed && len(mdstore.Verifies(v.Workspace(), n)) > 0 {
		return true
	}
	if facts.HasLinks() {
		return true
	}
	for target := range facts.References() {
		if _, ok := v.Referred(n, target); ok {
			continue
		}
		if _, broken := v.BrokenFolder(target); broken || view.NamesNode(target) {
			return true
		}
	}
	return false
}

// openBelow returns the life cycle's objections to a node because of its open children.
func (c *checker) openBelow(n *mdstore.Node) []statemachine.Refusal {
	open := c.v.OpenChildren(n.ID)
	if len(open) == 0 {
		return nil
	}
	all := statemachine.Audit(statemachine.Standing{Type: n.Type, Status: n.Status}, "", statemachine.Facts{Conclusion: true, OpenChildren: open})
	return slices.DeleteFunc(all, func(r statemachine.Refusal) bool { return r.Code != statemachine.CodeChildrenOpen })
}
