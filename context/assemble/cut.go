package assemble

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"arbor/mdstore"
)

const (
	short = 512         // what is kept at first of a text that is cut, in bytes
	long  = short + 256 // the length beyond which a text is cut at first
	least = 64          // fewer bytes of a text than these are not worth showing
)

// A cut is a text that can be shown in part.
type cut struct {
	owner *ChainPart // nil for the workspace's
	what  string
	role  string
	id    mdstore.ID
	label string
	lines Range
	full  string
	shown int     // bytes of full that are shown
	text  *string // what the bundle shows
}

// collect finds the texts that can be cut, from the far end of the chain to the focus, and at last the workspace's.
func (c *cascade) collect() {
	if c.fits() {
		return
	}
	for i := range c.b.Chain {
		p, role := &c.b.Chain[i], RoleAncestor
		if i == len(c.b.Chain)-1 {
			role = RoleFocus
		}
		of := cut{owner: p, role: role, id: p.NodeID}
		c.add(of, WhatNote, labelNote, p.Lines.Note, &p.Note)
		c.addProblem(of, p.Problem, p.Lines)
		c.add(of, WhatConclusion, labelConclusion, p.Lines.Conclusion, &p.Conclusion)
		if role != RoleFocus {
			c.add(of, WhatRequirement, labelRequirement, p.Lines.Requirement, &p.Requirement)
		}
	}
	c.addProblem(cut{role: RoleWorkspace}, c.b.Workspace.Problem, c.b.Workspace.Lines)
}

func (c *cascade) addProblem(t cut, p *mdstore.Problem, l Lines) {
	if p != nil {
		c.add(t, WhatProblem, labelProblem, l.Problem, &p.Text)
		c.add(t, WhatProblem, labelNextStep, Range{}, &p.NextStep)
	}
}

func (c *cascade) add(t cut, what, label string, lines Range, text *string) {
	t.what, t.label, t.lines, t.text, t.full, t.shown = what, label, lines, text, *text, len(*text)
	c.cuts = append(c.cuts, &t)
}

// shorten cuts a text to the longest beginning with which the bundle fits, but not to less than floor bytes.
func (c *cascade) shorten(t *cut, floor int) {
	if c.fits() || t.shown <= floor || t.shown == 0 {
		return
	}
	now := c.m.text(t.label, t.lines, *t.text)
	// The mark and the omission grow with what is left out: taking both at their longest makes the search sound.
	room := c.limit - (c.size - now) - c.growth(t)
	mark := markOf(len(t.full))
	takes := func(n int) int { return c.m.text(t.label, t.lines, t.full[:boundary(t.full, n)]+mark) }
	n := floor + sort.Search(t.shown-floor, func(i int) bool { return takes(floor+i+1) > room })
	n = boundary(t.full, n)
	if n < least {
		n = 0
	}
	if n >= t.shown {
		return
	}
	o := Omission{What: t.what, Role: t.role, NodeID: t.id, Bytes: t.shown - n}
	if t.shown == len(t.full) {
		o.Count = 1
	}
	*t.text = ""
	if n > 0 {
		*t.text = t.full[:n] + markOf(len(t.full)-n)
	}
	t.shown = n
	c.took(now-c.m.text(t.label, t.lines, *t.text), o)
}

// growth returns by how much the list of omissions can grow at most when the whole text joins it.
func (c *cascade) growth(t *cut) int {
	o := Omission{What: t.what, Role: t.role, NodeID: t.id, Reason: ReasonBudget, Count: 1, Bytes: len(t.full), Tokens: Tokens(len(t.full))}
	if i, ok := c.sums[c.key(o)]; ok {
		s := c.b.Omitted[i]
		return max(c.m.omission(s.plus(o))-c.m.omission(s), 0)
	}
	n := c.m.omission(o)
	if len(c.b.Omitted) == 0 {
		n += c.m.head(headOmitted)
	}
	return n
}

// markOf returns what stands at the end of a text that was cut.
func markOf(left int) string { return "\n[… " + strconv.Itoa(left) + " bytes left out]" }

// boundary returns where a text is cut that may have n bytes: after the last whole line, unless that is less than half of
// them, else between two characters.
func boundary(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	if i := strings.LastIndexByte(s[:n+1], '\n'); i >= (n+1)/2 {
		return i
	}
	return runeStart(s, n)
}

// runeStart returns the greatest index up to n at which a character begins.
func runeStart(s string, n int) int {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
