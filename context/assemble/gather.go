package assemble

import (
	"cmp"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A gatherer fills a bundle from its source, without regard to the budget.
type gatherer struct {
	src     Source
	opt     Options
	b       *Bundle
	omitted []Omission // in the order in which they are found
}

// gather reads everything that belongs to the context of a node. The bundle holds the omissions as its reader sees
// them; the second result has each of them alone, sorted by reason.
func gather(src Source, focus mdstore.ID, opt Options) (*Bundle, []Omission, error) {
	n, ok := src.Node(focus)
	if !ok {
		return nil, nil, &UnknownNodeError{ID: focus}
	}
	g := &gatherer{src: src, opt: opt, b: &Bundle{Budget: max(opt.Budget, 0)}}
	g.workspace()
	g.chain(n)
	g.children(n)
	g.dependencies()
	g.references(n)
	slices.SortStableFunc(g.omitted, func(a, b Omission) int {
		return slices.Index(reasons, a.Reason) - slices.Index(reasons, b.Reason)
	})
	g.b.Omitted = summed(g.omitted, kinds(g.omitted), separate)
	g.b.nameFiles(g.omitted)
	return g.b, g.omitted, nil
}

func (g *gatherer) omit(o Omission) {
	o.Tokens = Tokens(o.Bytes)
	o.Detail = o.Detail[:runeStart(o.Detail, maxDetail)]
	g.omitted = append(g.omitted, o)
}

// place returns the source of a part: the file by the name for its reader and, with Options.Places, version and lines.
func (g *gatherer) place(p mdstore.Path, v mdstore.Version, doc *mdoc.Doc) (mdstore.Path, string, Lines) {
	if g.opt.Vault != "" {
		p = g.opt.Vault.Join(string(p))
	}
	if !g.opt.Places {
		return p, "", Lines{}
	}
	return p, v.String(), linesOf(doc)
}

func (g *gatherer) workspace() {
	w := g.src.Workspace()
	p := &g.b.Workspace
	p.ID, p.Name, p.Goal = w.ID, w.Name, w.Goal
	p.File, p.Version, p.Lines = g.place(w.Path, w.Version, w.Doc)
	if !g.opt.Places && len(w.Problems) == 0 {
		p.File = ""
	}
	p.Lines.Log = Range{} // no context holds the log of the workspace
	p.Rules, p.RulesHash = append([]string{}, w.Rules()...), w.RulesHash()
	p.Docs = g.docs(w.Docs(), RoleWorkspace, "")
	p.Problem = g.problem(w.Problem(), RoleWorkspace, "")
	g.unreadable(WhatFile, RoleWorkspace, "", w.Problems)
}

// chain walks up from the focus, then reads the nodes from the top down.
func (g *gatherer) chain(focus *mdstore.Node) {
	up := []*mdstore.Node{focus}
	shown := 0 // nodes of up that the chain shows, 0 until an isolated one is found
	visited := map[mdstore.ID]bool{focus.ID: true}
	for n := focus; ; {
		if mdstore.ValueOf(n.Isolated) && shown == 0 {
			shown = len(up)
		}
		if n.ID == mdstore.Root {
			break
		}
		parent, ok := g.src.Node(n.Parent)
		if n.Parent == "" {
			g.omit(Omission{What: WhatNode, Role: RoleAncestor, Reason: ReasonMissing, Count: 1,
				Detail: string(n.ID) + " names no parent"})
			break
		}
		if !ok {
			g.omit(Omission{What: WhatNode, Role: RoleAncestor, NodeID: n.Parent, Reason: ReasonMissing, Count: 1})
			break
		}
		if visited[parent.ID] {
			g.omit(Omission{What: WhatNode, Role: RoleAncestor, NodeID: parent.ID, Reason: ReasonCycle, Count: 1,
				Detail: "the parents of " + string(n.ID) + " lead back to " + string(parent.ID)})
			break
		}
		visited[parent.ID] = true
		up = append(up, parent)
		n = parent
	}
	if shown == 0 {
		shown = len(up)
	}
	for _, n := range slices.Backward(up[shown:]) {
		g.omit(Omission{What: WhatNode, Role: RoleAncestor, NodeID: n.ID, Reason: ReasonIsolated, Count: 1,
			Bytes: textBytes(n)})
	}
	for i, n := range slices.Backward(up[:shown]) {
		role := RoleAncestor
		if i == 0 {
			role = RoleFocus
		}
		g.b.Chain = append(g.b.Chain, g.part(n, role))
	}
}

func (g *gatherer) part(n *mdstore.Node, role string) ChainPart {
	p := ChainPart{NodeID: n.ID, Head: n.Head}
	doc, version := n.File()
	p.File, p.Version, p.Lines = g.place(n.Path, version, doc)
	n = n.Holding(doc)
	p.Requirement, p.Criteria, p.Conclusion, p.Note = n.Requirement(), n.CriteriaText(), n.Conclusion(), n.Note()
	if !g.opt.Places && role == RoleAncestor && p.Requirement == g.b.Workspace.Goal {
		p.Requirement = "" // the root's requirement is the goal, which is shown above
	}
	p.Sections = g.sections(n, role)
	if role == RoleFocus {
		p.Own = n.Own()
		if mdstore.ValueOf(n.Role) == mdstore.RoleInfoCollection && !statemachine.Terminal(n.Status) {
			p.Form = mdstore.CollectedForm
		}
	}
	p.Docs = g.docs(n.Docs(), role, n.ID)
	p.Problem = g.problem(n.Problem(), role, n.ID)
	p.LogEntries = g.log(n.Log(), role, n.ID)
	g.unreadable(WhatNode, role, n.ID, n.Problems)
	if p.file = p.File; !g.opt.Places && (role == RoleFocus || len(p.Sections) == 0) {
		p.File = "" // until something is missing here
	}
	if !g.opt.Places && role == RoleAncestor && p.Type == statemachine.Planning {
		p.Type = "" // the usual type of an ancestor
	}
	return p
}

// sections returns the texts of a node that Arbor has no place for: their names only, unless it is the focus.
func (g *gatherer) sections(n *mdstore.Node, role string) (all []Section) {
	for _, own := range n.OwnTexts() {
		s := Section{Name: own.Name, Text: own.Text}
		if role != RoleFocus {
			s = Section{Name: cmp.Or(own.Name, TextAbove)}
		}
		if g.opt.Places {
			s.Lines[0], s.Lines[1] = n.Doc().Lines(own.Span)
		}
		all = append(all, s)
	}
	return all
}

// docs returns the active documents and lists the expired ones as one omission.
func (g *gatherer) docs(refs []mdstore.Ref, role string, id mdstore.ID) []Doc {
	out := make([]Doc, 0, len(refs))
	expired := Omission{What: WhatDoc, Role: role, NodeID: id, Reason: ReasonExpired}
	for _, r := range refs {
		if r.Expired {
			expired.Count++
			expired.Bytes += len(r.Target) + len(r.Description)
		} else {
			out = append(out, Doc{Path: r.Target, Description: r.Description})
		}
	}
	if expired.Count > 0 {
		g.omit(expired)
	}
	return out
}

func (g *gatherer) problem(p mdstore.Problem, role string, id mdstore.ID) *mdstore.Problem {
	if p.IsZero() {
		return nil
	}
	if g.opt.OmitProblem {
		g.omit(Omission{What: WhatProblem, Role: role, NodeID: id, Reason: ReasonExcluded, Count: 1,
			Bytes: len(p.Text) + len(p.NextStep)})
		return nil
	}
	return &p
}

// log returns the newest entries, and older questions and answers, oldest first. It lists the others as one omission.
func (g *gatherer) log(all []mdstore.LogEntry, role string, id mdstore.ID) []LogEntry {
	keep, older := g.opt.MaxLogEntries, Omission{What: WhatLog, Role: role, NodeID: id, Reason: ReasonLimit}
	switch {
	case g.opt.OmitLog:
		keep, older.Reason = 0, ReasonExcluded
	case keep == 0:
		keep = DefaultLogEntries
	case keep < 0:
		keep = len(all)
	}
	if !g.opt.OwnLog {
		all = slices.DeleteFunc(slices.Clone(all), mdstore.LogEntry.Own)
	}
	out := make([]LogEntry, 0, min(keep, len(all)))
	for i, e := range all {
		if _, answers := e.Answers(); i < len(all)-keep && (g.opt.OmitLog || !answers && !e.Asks()) {
			older.Count++
			older.Bytes += len(e.Time) + len(e.Operator) + len(e.Event)
			continue
		}
		out = append(out, LogEntry{Timestamp: e.Time, Operator: e.Operator, Event: e.Event})
	}
	if older.Count > 0 {
		g.omit(older)
	}
	return out
}

// unreadable lists a file with problems as an omission, with the first of them.
func (g *gatherer) unreadable(what, role string, id mdstore.ID, problems []mdoc.Diagnostic) {
	if len(problems) > 0 {
		g.omit(Omission{What: what, Role: role, NodeID: id, Reason: ReasonUnreadable, Count: 1,
			Detail: problems[0].String()})
	}
}

// children takes the conclusions of finished children and counts the other children.
func (g *gatherer) children(focus *mdstore.Node) {
	g.b.ChildConclusions = []ChildPart{}
	g.b.ChildCounts = map[string]int{}
	for _, id := range g.src.Children(focus.ID) {
		n, ok := g.src.Node(id)
		if !ok {
			continue
		}
		if statemachine.Terminal(n.Status) {
			doc, version := n.File()
			if text := doc.Text(mdstore.SecConclusion); text != "" {
				c := ChildPart{NodeID: n.ID, Title: n.Title, Status: n.Status, Conclusion: text, changed: n.UpdatedAt}
				var lines Lines
				c.File, c.Version, lines = g.place(n.Path, version, doc)
				c.Lines.Conclusion = lines.Conclusion
				if c.changed == 0 {
					c.changed = n.CreatedAt
				}
				if !g.opt.Places && len(n.Problems) == 0 {
					c.File = ""
				}
				g.b.ChildConclusions = append(g.b.ChildConclusions, c)
				g.unreadable(WhatNode, RoleChild, n.ID, n.Problems)
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

// textBytes returns the bytes of the texts that a node would bring into a chain.
func textBytes(n *mdstore.Node) int {
	p := n.Problem()
	sum := len(n.CriteriaText())
	sum += len(n.Requirement()) + len(n.Conclusion()) + len(n.Note()) + len(p.Text) + len(p.NextStep)
	for _, own := range n.OwnTexts() {
		sum += len(cmp.Or(own.Name, TextAbove))
	}
	for _, d := range n.Docs() {
		sum += len(d.Target) + len(d.Description)
	}
	for _, e := range n.Log() {
		sum += len(e.Time) + len(e.Operator) + len(e.Event)
	}
	return sum
}
