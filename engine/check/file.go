package check

import (
	"slices"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// File returns the findings about one file of a view: those that View has for it, and those about the documents that
// it names. absent says whether the project lacks the document of a target, and which one may be meant. It looks at
// this file and at the nodes that it names, not at the whole workspace.
func File(v *view.View, p mdstore.Path, absent func(string) (meant string, lacks bool), off ...string) []Finding {
	c := checker{v: v, off: off, circles: map[mdstore.ID]bool{}}
	if d, broken := v.AllBroken()[p]; broken {
		c.out = append(c.out, Finding{Diagnostic: d})
	}
	missing := map[string]string{}
	look := func(d *mdoc.Doc, refs []mdstore.Ref) {
		for _, r := range refs {
			if _, node := v.Node(mdstore.ID(r.Target)); !node && !bool(r.Expired) {
				if meant, lacks := absent(r.Target); lacks {
					missing[r.Target] = meant
				}
			}
		}
		c.missing(d, refs, missing)
	}
	switch n, node := v.File(p); {
	case p == v.Workspace().Path:
		c.workspace()
		look(v.Workspace().Doc, v.Workspace().Docs())
	case node:
		c.circles[n.ID] = n.ID != mdstore.Root && v.Circular(n)
		if c.suspect(n) {
			c.node(n)
		}
		if len(n.Dependencies) > 0 {
			for _, cycle := range v.DependencyCycles() {
				c.cycle(cycle)
			}
		}
		look(n.Doc(), n.Docs())
		look(n.Doc(), slices.DeleteFunc(n.References(), func(r mdstore.Ref) bool {
			_, known := v.Referred(n, r.Target)
			return known || view.NamesNode(r.Target)
		}))
	default:
		if page, ok := v.Pages().At(p); ok {
			c.page(page, slices.DeleteFunc(v.Pages().Of(page.Kind), func(o *mdstore.Page) bool { return o.ID != page.ID }))
		}
	}
	c.out = slices.DeleteFunc(c.out, func(f Finding) bool { return f.File != string(p) })
	if c.sort(); v.Workspace().Newer() {
		return LeftAlone(c.out)
	}
	return c.out
}

// FilePage returns the findings about a page of the vault itself, such as an agent, by itself.
func FilePage(p *mdstore.Page, off ...string) []mdoc.Diagnostic {
	return slices.DeleteFunc(Diagnostics(Pages([]*mdstore.Page{p})), func(d mdoc.Diagnostic) bool {
		return slices.Contains(off, d.Code)
	})
}

// Mend plans the repair of the finding. It returns false if there is none, or if something else must be mended first.
func (f Finding) Mend(d *plan.Draft) (bool, error) {
	if f.mend == nil {
		return false, nil
	}
	return f.mend(d)
}
