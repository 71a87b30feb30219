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
}

// gather reads all that belongs into the context of a node.
func gather(src Source, focus mdstore.ID, opt Options) (*gatherer, error) {
	n, ok := src.Node(focus)
	if !ok {
		return nil, &UnknownNodeError{ID: focus}
	}
	g := &gatherer{src: src, opt: opt, b: &Bundle{Budget: max(opt.Budget, 0)}}
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
	p.ID, p.Name, p.Goal, p.At, p.Version = w.ID, w.Name, w.Goal, w.Path, w.Version.String()
	if w.Doc == nil {
		return
	}
	has := p.Lines.read(w.Doc)
	p.Lines.Log = Range{} // which no node's context holds
	if has.rules {
		if r := w.Rules(); r != nil {
			p.Rules = r
		}
		p.RulesHash = mdstore.RulesHash(p.Rules)
	}
	if has.docs {
		p.Docs = g.docs(w.Docs(), RoleWorkspace, "")
	}
	if has.problem {
		p.Problem = g.problem(w.Problem(), RoleWorkspace, "")
	}
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
	g.b.Chain = make([]ChainPart, shown)
	for i := range shown {
		role := RoleAncestor
		if i == shown-1 {
			role = RoleFocus
		}
		g.part(&g.b.Chain[i], up[shown-1-i], role)
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

func (g *gatherer) part(p *ChainPart, n *mdstore.Node, role string) {
	p.NodeID, p.Title, p.Type, p.Status, p.Role, p.Isolated = n.ID, n.Title, n.Type, n.Status, n.Role, n.Isolated
	p.At, p.Version = n.Path, n.Version().String()
	p.Docs, p.LogEntries = []Doc{}, []LogEntry{}
	if !n.Filed() {
		g.complain(WhatNode, role, n.ID, false, n.Problems)
		return
	}
	has := p.Lines.read(n.Doc())
	if has.requirement {
		p.Requirement = n.Requirement()
	}
	if has.conclusion {
		p.Conclusion = n.Conclusion()
	}
	if has.note {
		p.Note = n.Note()
	}
	if has.docs {
		p.Docs = g.docs(n.Docs(), role, n.ID)
	}
	if has.problem {
		p.Problem = g.problem(n.Problem(), role, n.ID)
	}
	if has.log {
		p.LogEntries = g.log(n.Log(), role, n.ID)
	}
	g.complain(WhatNode, role, n.ID, true, n.Problems)
}

// docs returns the active documents and lists the expired ones as one omission.
func (g *gatherer) docs(refs []mdstore.Ref, role string, id mdstore.ID) []Doc {
	out := make([]Doc, 0, len(refs))
	expired := Omission{What: WhatDoc, Role: role, NodeID: id, Reason: ReasonExpired}
	for _, r := range refs {
		if r.Expired {
			expired.Count++
			expired.Bytes += len(r.Target) + len(r.Description)
			continue
		}
		out = append(out, Doc{Path: r.Target, Description: r.Description})
	}
	if expired.Count > 0 {
		g.left.add(expired)
	}
	return out
}

func (g *gatherer) problem(p mdstore.Problem, role string, id mdstore.ID) *mdstore.Problem {
	if p.IsZero() {
		return nil
	}
	if g.opt.OmitProblem {
		g.left.add(Omission{What: WhatProblem, Role: role, NodeID: id, Reason: ReasonExcluded, Count: 1, Bytes: len(p.Text) + len(p.NextStep)})
		return nil
	}
	return &p
}

// log returns the newest entries, oldest first.
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
	old := max(len(all)-keep, 0)
	if old > 0 {
		o := Omission{What: WhatLog, Role: role, NodeID: id, Reason: reason, Count: old}
		for _, e := range all[:old] {
			o.Bytes += len(e.Time) + len(e.Operator) + len(e.Event)
		}
		g.left.add(o)
	}
	out := make([]LogEntry, 0, len(all)-old)
	for _, e := range all[old:] {
		out = append(out, LogEntry{Timestamp: e.Time, Operator: e.Operator, Event: e.Event})
	}
	return out
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
	for _, id := range g.src.Children(focus.ID) {
		n, ok := g.src.Node(id)
		if !ok {
			continue
		}
		if statemachine.Terminal(n.Status) && n.Filed() {
			if text := n.Conclusion(); text != "" {
				c := ChildPart{NodeID: n.ID, Title: n.Title, Status: n.Status, Conclusion: text, At: n.Path, Version: n.Version().String(), age: n.UpdatedAt}
				c.Lines.read(n.Doc())
				c.Lines = Lines{Conclusion: c.Lines.Conclusion}
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
