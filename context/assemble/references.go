package assemble

import (
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// references takes what the focus refers to, one step far.
func (g *gatherer) references(focus *mdstore.Node) {
	g.b.References = []RefPart{}
	if !focus.Filed() {
		return
	}
	refs := referencesOf(focus)
	expired := Omission{What: WhatReference, Role: RoleFocus, NodeID: focus.ID, Reason: ReasonExpired}
	for _, r := range refs {
		if r.Expired {
			expired.Count++
			expired.Bytes += len(r.Target) + len(r.Description)
			continue
		}
		if len(g.b.References) == 0 {
			g.b.References = make([]RefPart, 0, len(refs))
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
		g.left.add(expired)
	}
}

func (g *gatherer) node(p *RefPart, n *mdstore.Node) {
	p.Kind, p.NodeID, p.Title, p.Status, p.At = RefNode, n.ID, n.Title, n.Status, n.Path
	if n.Filed() {
		doc, version := n.File()
		at := locate(doc)
		p.Version, p.Requirement, p.Conclusion = version.String(), at.requirement, at.conclusion
		p.Lines = Lines{Requirement: at.lines.Requirement, Conclusion: at.lines.Conclusion}
	} else {
		p.Version = n.Version().String()
	}
	g.complain(WhatNode, RoleReference, n.ID, n.Filed(), n.Problems)
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

// address reports whether a target is no file, such as https://example.org/ or mailto:.
func address(target string) bool {
	return strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:")
}

// generated reports whether a target has the form of the ids that Arbor makes, so that no document is meant.
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
