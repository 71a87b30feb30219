package assemble

import (
	"cmp"
	"slices"

	"arbor/mdstore"
)

// A cascade leaves out of a bundle what its budget has no room for. It takes
// one step after the other, in an order that does not depend on the budget,
// and stops at the first that makes the rest fit: so a larger budget never
// shows less.
type cascade struct {
	b     *Bundle
	m     measure
	size  int               // what b takes with the omissions so far; never less than it really does
	limit int               // bytes
	cuts  []*cut            // the texts that can be cut
	sums  map[[2]string]int // index in b.Omitted, see key
}

// fit makes the bundle fit into its budget where that can be done. It returns the size that it reckons with at last, 0 where there was
// nothing to do.
func fit(b *Bundle, m measure, left *ledger) (size int) {
	weigh(b, m)
	if b.Tokens <= b.Budget {
		return 0
	}
	b.Tokens = b.Budget // as long as it may become
	b.Omitted = left.list(1)
	c := &cascade{b: b, m: m, limit: 4 * b.Budget, sums: map[[2]string]int{}}
	c.size = m.whole(b)
	above := b.Chain[:len(b.Chain)-1]

	for i := range above {
		c.log(&above[i], RoleAncestor)
	}
	for i := range above {
		c.note(&above[i])
	}
	c.references()
	c.children()
	c.collect()
	for _, t := range c.cuts {
		if len(t.full) > long {
			c.shorten(t, short)
		}
	}
	c.rest()
	if !c.fits() {
		b.Omitted = byReason(b.Omitted)
		c.size = m.whole(b)
	}
	if !c.fits() {
		weigh(b, m) // what is left may be less than was reckoned with
		b.OverBudget = b.Tokens > b.Budget
	}
	return c.size
}

func (c *cascade) fits() bool { return c.size <= c.limit }

// key says which omissions become one sum, so that the list stays small: those of one kind, and from the first cut on those of one role.
func (c *cascade) key(o Omission) [2]string {
	if c.cuts != nil {
		return [2]string{"", o.Role}
	}
	return [2]string{o.What, o.Role}
}

// took accounts for a piece that was taken away and becomes part of an omission.
func (c *cascade) took(saved int, o Omission) {
	c.size -= saved
	o.Reason = ReasonBudget
	key := c.key(o)
	i, ok := c.sums[key]
	if !ok {
		if len(c.b.Omitted) == 0 {
			c.size += c.m.head(headOmitted) - c.m.comma()
		}
		o.Tokens = Tokens(o.Bytes)
		c.sums[key] = len(c.b.Omitted)
		c.b.Omitted = append(c.b.Omitted, o)
		c.size += c.m.omission(o)
		return
	}
	s := &c.b.Omitted[i]
	c.size -= c.m.omission(*s)
	*s = s.plus(o)
	c.size += c.m.omission(*s)
}

// last returns what an item's going saves less because no other item remains.
func (c *cascade) last(remain int, label int) int {
	if remain > 0 {
		return 0
	}
	return label - c.m.comma()
}

// log takes entries away, the oldest first.
func (c *cascade) log(p *ChainPart, role string) {
	for len(p.LogEntries) > 0 && !c.fits() {
		e := p.LogEntries[0]
		p.LogEntries = p.LogEntries[1:]
		saved := c.m.entry(e) + c.last(len(p.LogEntries), c.m.label(labelLog, p.Lines.Log))
		c.took(saved, Omission{What: WhatLog, Role: role, NodeID: p.NodeID, Count: 1, Bytes: len(e.Timestamp) + len(e.Operator) + len(e.Event)})
	}
}

func (c *cascade) note(p *ChainPart) {
	if p.Note != "" && !c.fits() {
		saved, n := c.m.text(labelNote, p.Lines.Note, p.Note), len(p.Note)
		p.Note = ""
		c.took(saved, Omission{What: WhatNote, Role: RoleAncestor, NodeID: p.NodeID, Count: 1, Bytes: n})
	}
}

// references takes them away, the last one first.
func (c *cascade) references() {
	b := c.b
	for len(b.References) > 0 && !c.fits() {
		n := len(b.References) - 1
		r := &b.References[n]
		saved := c.m.ref(r) + c.last(n, c.m.head(headReferences))
		o := Omission{What: WhatReference, Role: RoleFocus, NodeID: b.Focus().NodeID, Count: 1,
			Bytes: len(r.Description) + len(r.DocDescription) + len(r.Requirement) + len(r.Conclusion)}
		b.References = b.References[:n]
		c.took(saved, o)
	}
}

// children takes their conclusions away, that of the child changed longest ago first.
func (c *cascade) children() {
	b := c.b
	if c.fits() || len(b.ChildConclusions) == 0 {
		return
	}
	oldest := make([]int, len(b.ChildConclusions))
	for i := range oldest {
		oldest[i] = i
	}
	slices.SortStableFunc(oldest, func(i, j int) int {
		return cmp.Compare(b.ChildConclusions[i].age, b.ChildConclusions[j].age)
	})
	gone := make([]bool, len(oldest))
	for k, i := range oldest {
		if c.fits() {
			break
		}
		gone[i] = true
		label := 0
		if len(b.ChildCounts) == 0 {
			label = c.m.head(headChildren)
		}
		p := &b.ChildConclusions[i]
		c.took(c.m.child(p)+c.last(len(oldest)-1-k, label),
			Omission{What: WhatConclusion, Role: RoleChild, NodeID: p.NodeID, Count: 1, Bytes: len(p.Conclusion)})
	}
	kept := b.ChildConclusions[:0]
	for i, p := range b.ChildConclusions {
		if !gone[i] {
			kept = append(kept, p)
		}
	}
	b.ChildConclusions = kept
}

// rest takes away what is left but the rules, the goal and the focus's requirement: the texts above the focus, then the nodes that bore
// them, then what the focus has, then what the workspace has.
func (c *cascade) rest() {
	b := c.b
	focus := len(b.Chain) - 1
	for i := range focus {
		p := &b.Chain[i]
		c.docs(&p.Docs, p.Lines.Docs, RoleAncestor, p.NodeID)
		c.drop(p)
	}
	top := 0
	for ; top < focus && !c.fits(); top++ {
		p := &b.Chain[top]
		c.took(c.m.node(p), Omission{What: WhatNode, Role: RoleAncestor, NodeID: p.NodeID, Count: 1})
	}
	f := &b.Chain[focus]
	c.log(f, RoleFocus)
	c.docs(&f.Docs, f.Lines.Docs, RoleFocus, f.NodeID)
	c.drop(f)
	w := &b.Workspace
	c.docs(&w.Docs, w.Lines.Docs, RoleWorkspace, "")
	c.drop(nil)
	b.Chain = b.Chain[top:]
	for i := range b.Chain {
		if p := b.Chain[i].Problem; p != nil && p.IsZero() {
			b.Chain[i].Problem = nil
		}
	}
	if p := w.Problem; p != nil && p.IsZero() {
		w.Problem = nil
	}
}

// docs takes documents away, the last one first.
func (c *cascade) docs(docs *[]Doc, lines Range, role string, id mdstore.ID) {
	for len(*docs) > 0 && !c.fits() {
		n := len(*docs) - 1
		d := (*docs)[n]
		*docs = (*docs)[:n]
		c.took(c.m.doc(d)+c.last(n, c.m.label(labelDocs, lines)),
			Omission{What: WhatDoc, Role: role, NodeID: id, Count: 1, Bytes: len(d.Path) + len(d.Description)})
	}
}

// drop takes the remaining texts of a node away, or those of the workspace where owner is nil.
func (c *cascade) drop(owner *ChainPart) {
	for _, t := range c.cuts {
		if t.owner == owner {
			c.shorten(t, 0)
		}
	}
}
