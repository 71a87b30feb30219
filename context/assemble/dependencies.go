package assemble

import (
	"slices"

	"arbor/mdstore"
)

// dependencies takes what the nodes of the chain depend on, those of the focus first and none twice, with the
// conclusions.
func (g *gatherer) dependencies() {
	met := map[string]bool{}
	for _, c := range slices.Backward(g.b.Chain) {
		n, _ := g.src.Node(c.NodeID)
		for _, target := range c.Dependencies {
			p := DependencyPart{NodeID: target}
			to, ok := g.src.Referred(n, target)
			if ok {
				p.NodeID, p.Title, p.Status = string(to.ID), to.Title, to.Status
			}
			if met[p.NodeID] {
				continue
			}
			if met[p.NodeID] = true; ok {
				doc, version := to.File()
				var lines Lines
				p.File, p.Version, lines = g.place(to.Path, version, doc)
				p.Conclusion, p.Lines.Conclusion = doc.Text(mdstore.SecConclusion), lines.Conclusion
				g.unreadable(WhatNode, RoleDependency, to.ID, to.Problems)
			}
			g.b.Dependencies = append(g.b.Dependencies, p)
		}
	}
}
