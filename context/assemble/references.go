package assemble

import (
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// references takes the targets of the focus's references, one step far.
func (g *gatherer) references(focus *mdstore.Node) {
	g.b.References = []RefPart{}
	if !focus.Filed() {
		return
	}
	refs := focus.References()
	expired := Omission{What: WhatReference, Role: RoleFocus, NodeID: focus.ID, Reason: ReasonExpired}
	for _, r := range refs {
		if r.Expired {
			expired.Count++
			expired.Bytes += len(r.Target) + len(r.Description)
			continue
		}
		p := RefPart{Description: r.Description, Line: r.Line}
		if n, ok := g.src.Node(mdstore.ID(r.Target)); ok {
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
	p.Kind, p.NodeID, p.Title, p.Status, p.At = RefNode, n.ID, n.Title, n.Status, n.Path
	if !n.Filed() {
		p.Version = n.Version().String()
		g.noFile(RoleReference, n)
		return
	}
	doc, version := n.File()
	p.Version = version.String()
	p.Requirement, p.Conclusion = doc.Text(mdstore.SecRequirement), doc.Text(mdstore.SecConclusion)
	lines := linesOf(doc)
	p.Lines = Lines{Requirement: lines.Requirement, Conclusion: lines.Conclusion}
	g.unreadable(WhatNode, RoleReference, n.ID, n.Problems)
}

func (g *gatherer) document(p *RefPart, target string) {
	p.Kind, p.Path = RefDoc, target
	known := true
	if docs, ok := g.src.(DocSource); ok && !address(target) {
		var f mdoc.Foreign
		if f, known = docs.Doc(target); !known {
			if file, _, part := strings.Cut(target, "#"); part && file != "" {
				f, known = docs.Doc(file)
			}
		}
		p.Title, p.DocDescription = f.Title, f.Description
		if known {
			return
		}
	}
	p.Dangling = !known
	if generated(target) {
		p.Kind, p.NodeID, p.Path, p.Dangling = RefNode, mdstore.ID(target), "", true
	}
}

// address reports whether a target is an address, such as https://example.org/ or mailto:, and not a file.
func address(target string) bool {
	return strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:")
}

// generated reports whether a target has the form of the ids that Arbor makes, so that it means a node.
func generated(target string) bool {
	if target == string(mdstore.Root) {
		return true
	}
	s, ok := strings.CutPrefix(target, "node-")
	time, random, cut := strings.Cut(s, "-")
	return ok && cut && time != "" && len(random) == 6 && base36(time) && base36(random)
}

func base36(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
