package assemble

import (
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A gatherer fills a bundle from its source, without regard to the budget.
type gatherer struct {
	src  Source
	opt  Options
	b    *Bundle
	left ledger

	own   int   // bytes of the workspace's passages on a page, or unknown
	sizes []int // of those of each part of the chain
}

// gather reads all that belongs into the context of a node.
func gather(src Source, focus mdstore.ID, opt Options) (*gatherer, error) {
	n, ok := src.Node(focus)
	if !ok {
		return nil, &UnknownNodeError{ID: focus}
	}
	g := &gatherer{src: src, opt: opt, b: &Bundle{Budget: max(opt.Budget, 0)}, own: unknown}
	g.workspace()
	g.chain(n)
	g.children(n)
	g.references(n)
	g.b.Omitted = g.left.list(separate)
	return g, nil
}

func (g *gatherer) workspace() {
	w := g.src.Workspace()
	p := &g.b.Workspace
	p.Rules, p.Docs = []string{}, []Doc{}
	if w == nil || w.Doc == nil {
		g.left.add(Omission{What: WhatFile, Role: RoleWorkspace, Reason: ReasonMissing, Count: 1})
		if w == nil {
			return
		}
	}
	p.ID, p.Name, p.Goal, p.At = w.ID, w.Name, w.Goal, w.Path
	if w.Doc == nil {
		p.Version = w.Version.String()
		return
	}
	own := ownPassages(w)
	p.Lines = own.at.lines
	p.Lines.Log = Range{} // which no node's context holds
	p.Version, p.Rules, p.RulesHash = own.text(w.Version), own.rules, own.rulesHash
	p.Docs = g.docs(own, RoleWorkspace, "")
	p.Problem = g.problem(own.problem, RoleWorkspace, "")
	g.own = g.known(own.size)
	g.complain(WhatFile, RoleWorkspace, "", true, w.Problems)
}

// chain walks up from the focus, then reads the nodes from the top down.
func (g *gatherer) chain(focus *mdstore.Node) {
	var room [16]*mdstore.Node
	up := append(room[:0], focus)
	cut := -1 // index of the nearest isolated node; what follows it is hidden
	var broken Omission
	seen := visited{}
	for n := focus; ; {
		if n.Isolated && cut < 0 {
			cut = len(up) - 1
		}
		if n.ID == mdstore.Root {
			break
		}
		parent, ok := g.src.Node(n.Parent)
		if !ok || n.Parent == "" {
			broken = Omission{What: WhatNode, Role: RoleAncestor, NodeID: n.Parent, Reason: ReasonMissing, Count: 1}
			if n.Parent == "" {
				broken.Detail = string(n.ID) + " names no parent"
			}
			break
		}
		if seen.before(up, parent.ID) {
			broken = Omission{What: WhatNode, Role: RoleAncestor, NodeID: parent.ID, Reason: ReasonCycle, Count: 1,
				Detail: "the parents of " + string(n.ID) + " lead back to " + string(parent.ID)}
			break
		}
		up = append(up, parent)
		n = parent
	}
	if broken.Count > 0 {
		g.left.add(broken)
	}
	shown := len(up)
	if cut >= 0 {
		shown = cut + 1
	}
	for _, n := range slices.Backward(up[shown:]) {
		g.left.add(Omission{What: WhatNode, Role: RoleAncestor, NodeID: n.ID, Reason: ReasonIsolated, Count: 1, Bytes: size(n)})
	}
	g.b.Chain, g.sizes = make([]ChainPart, shown), make([]int, shown)
	for i := range shown {
		role := RoleAncestor
		if i == shown-1 {
			role = RoleFocus
		}
		g.sizes[i] = g.part(&g.b.Chain[i], up[shown-1-i], role)
	}
}

// visited knows the nodes of a walk: by looking at a short one, by a set for a long one.
type visited map[mdstore.ID]bool

func (v *visited) before(walk []*mdstore.Node, id mdstore.ID) bool {
	if len(walk) <= 32 {
		return slices.ContainsFunc(walk, func(n *mdstore.Node) bool { return n.ID == id })
	}
	if len(*v) == 0 {
		*v = make(visited, 2*len(walk))
		for _, n := range walk {
			(*v)[n.ID] = true
		}
	}
	if (*v)[id] {
		return true
	}
	(*v)[id] = true
	return false
}

// known returns the size of passages where none of them is left out.
func (g *gatherer) known(size int) int {
	if g.opt.OmitProblem || g.opt.OmitLog || g.opt.MaxLogEntries != 0 {
		return unknown
	}
	return size
}

// part returns how many bytes the passages of the part take on a page, or unknown.
func (g *gatherer) part(p *ChainPart, n *mdstore.Node, role string) (size int) {
	p.NodeID, p.Title, p.Type, p.Status, p.Role, p.Isolated, p.At = n.ID, n.Title, n.Type, n.Status, n.Role, n.Isolated, n.Path
	p.Docs, p.LogEntries = []Doc{}, []LogEntry{}
	if !n.Filed() {
		p.Version = n.Version().String()
		g.complain(WhatNode, role, n.ID, false, n.Problems)
		return unknown
	}
	doc, version := n.File()
	own := passagesOf(n, doc, version)
	at := own.at
	p.Version, p.Lines = own.text(version), at.lines
	p.Requirement, p.Conclusion, p.Note = at.requirement, at.conclusion, at.note
	p.Docs = g.docs(own, role, n.ID)
	p.Problem = g.problem(own.problem, role, n.ID)
	switch {
	case !g.opt.OmitLog && g.opt.MaxLogEntries == 0:
		p.LogEntries = own.log
		g.older(own.older, own.olderBytes, ReasonLimit, role, n.ID)
	case at.has.log:
		p.LogEntries = g.log(n.Holding(doc).Log(), role, n.ID)
	}
	g.complain(WhatNode, role, n.ID, true, n.Problems)
	return g.known(own.size)
}

// docs returns the active documents and lists the expired ones as one omission.
func (g *gatherer) docs(own *passages, role string, id mdstore.ID) []Doc {
	if own.expired > 0 {
		g.left.add(Omission{What: WhatDoc, Role: role, NodeID: id, Reason: ReasonExpired, Count: own.expired, Bytes: own.expiredBytes})
	}
	return own.docs
}

func (g *gatherer) problem(p mdstore.Problem, role string, id mdstore.ID) *mdstore.Problem {
	if p.IsZero() {
		return nil
	}
	if g.opt.OmitProblem {
		g.left.add(Omission{What: WhatProblem, Role: role, NodeID: id, Reason: ReasonExcluded, Count: 1, Bytes: len(p.Text) + len(p.NextStep)})
		return nil
	}
	q := p // on the heap, where there is one
	return &q
}

// log returns the newest entries, oldest first, where that are not as many as by default.
func (g *gatherer) log(all []mdstore.LogEntry, role string, id mdstore.ID) []LogEntry {
	keep, reason := g.opt.MaxLogEntries, ReasonLimit
	switch {
	case g.opt.OmitLog:
		keep, reason = 0, ReasonExcluded
	case keep == 0:
		keep = DefaultLogEntries
	case keep < 0:
		keep = len(all)
	}
	out, older, bytes := newest(all, keep)
	g.older(older, bytes, reason, role, id)
	return out
}

// older lists entries that are not shown.
func (g *gatherer) older(count, bytes int, reason, role string, id mdstore.ID) {
	if count > 0 {
		g.left.add(Omission{What: WhatLog, Role: role, NodeID: id, Reason: reason, Count: count, Bytes: bytes})
	}
}

// complain lists a file that cannot be read as it should be.
func (g *gatherer) complain(what, role string, id mdstore.ID, filed bool, problems []mdoc.Diagnostic) {
	detail := ""
	if len(problems) > 0 {
		detail = problems[0].String()
	} else if !filed {
		detail = "there is no file to read"
	}
	if detail != "" {
		g.left.add(Omission{What: what, Role: role, NodeID: id, Reason: ReasonUnreadable, Count: 1, Detail: detail})
	}
}

// children takes the conclusions of finished children and counts the others.
func (g *gatherer) children(focus *mdstore.Node) {
	g.b.ChildConclusions = []ChildPart{}
	g.b.ChildCounts = map[string]int{}
	for _, n := range g.below(focus.ID) {
		if statemachine.Terminal(n.Status) && n.Filed() {
			doc, version := n.File()
			if at := locate(doc); at.conclusion != "" {
				c := ChildPart{NodeID: n.ID, Title: n.Title, Status: n.Status, Conclusion: at.conclusion, At: n.Path, Version: version.String(), age: n.UpdatedAt}
				c.Lines.Conclusion = at.lines.Conclusion
				if c.age == 0 {
					c.age = n.CreatedAt
				}
				g.b.ChildConclusions = append(g.b.ChildConclusions, c)
				g.complain(WhatNode, RoleChild, n.ID, true, n.Problems)
				continue
			}
		}
		if statemachine.Valid(n.Type, n.Status) {
			g.b.ChildCounts[string(n.Status)]++
		} else {
			g.b.ChildCounts[StatusInvalid]++
		}
	}
}

func (g *gatherer) below(id mdstore.ID) []*mdstore.Node {
	if k, ok := g.src.(KinSource); ok {
		return k.Below(id)
	}
	all := g.src.Children(id)
	out := make([]*mdstore.Node, 0, len(all))
	for _, id := range all {
		if n, ok := g.src.Node(id); ok {
			out = append(out, n)
		}
	}
	return out
}

// size returns the bytes of the texts that a node would bring into a chain.
func size(n *mdstore.Node) int {
	if !n.Filed() {
		return 0
	}
	p := n.Problem()
	sum := len(n.Requirement()) + len(n.Conclusion()) + len(n.Note()) + len(p.Text) + len(p.NextStep)
	for _, d := range n.Docs() {
		sum += len(d.Target) + len(d.Description)
	}
	for _, e := range n.Log() {
		sum += len(e.Time) + len(e.Operator) + len(e.Event)
	}
	return sum
}
