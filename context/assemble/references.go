package assemble

import (
	"strings"

	"arbor/mdstore"
)

// references adds the targets of the focus's references, but not the targets of their references.
func (g *gatherer) references(focus *mdstore.Node) {
	g.b.References = []RefPart{}
	expired := Omission{What: WhatReference, Role: RoleFocus, NodeID: focus.ID, Reason: ReasonExpired}
	for _, r := range focus.References() {
		if r.Expired {
			expired.Count++
			expired.Bytes += len(r.Target) + len(r.Description)
			continue
		}
		p := RefPart{TargetID: r.Target, Description: r.Description}
		if g.opt.Places {
			p.Line = r.Line
		}
		if n, ok := g.src.Referred(focus, r.Target); ok {
			g.node(&p, n)
		} else {
			g.document(&p, r.Target)
		}
		g.b.References = append(g.b.References, p)
	}
	if expired.Count > 0 {
		g.omit(expired)
	}
}

func (g *gatherer) node(p *RefPart, n *mdstore.Node) {
	p.TargetID, p.Type, p.Title, p.Status = string(n.ID), RefNode, n.Title, n.Status
	doc, version := n.File()
	var lines Lines
	p.File, p.Version, lines = g.place(n.Path, version, doc)
	p.Requirement, p.Conclusion = doc.Text(mdstore.SecRequirement), doc.Text(mdstore.SecConclusion)
	p.Lines = Lines{Requirement: lines.Requirement, Conclusion: lines.Conclusion}
	if !g.opt.Places && len(n.Problems) == 0 {
		p.File = ""
	}
	g.unreadable(WhatNode, RoleReference, n.ID, n.Problems)
}

func (g *gatherer) document(p *RefPart, target string) {
	p.Type = RefDoc
	if g.opt.Doc != nil && !address(target) {
		f, known := g.opt.Doc(target)
		if p.Title, p.DocDescription, p.Dangling = f.Title, f.Description, !known; known {
			return
		}
	}
	if id := mdstore.ID(target); id == mdstore.Root || id.Generated("node") {
		p.Type, p.Dangling = RefNode, true
	}
}

// address reports whether a target is an address, such as https://example.org/ or mailto:, and not a file.
func address(target string) bool {
	return strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:")
}
