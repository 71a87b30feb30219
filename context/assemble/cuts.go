package assemble

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"arbor/mdstore"
)

const (
	short     = 512         // bytes to which a long text is cut first
	long      = short + 256 // bytes beyond which a text is long
	least     = 64          // fewer bytes of a text are not worth showing
	bareLevel = 128         // bytes of rules, goal and requirement below which line numbers go
)

// A cut leaves a passage out of the working bundle, or makes one shorter.
type cut struct {
	omission Omission
	group    string // omissions of the same group are summed up
	make     func()
}

// A text can be shown in part.
type text struct {
	omission Omission // What, Role and NodeID
	at       *string  // its place in the working bundle
	full     string
	left     int  // bytes that the cuts collected so far leave
	marked   bool // after the last cut, the rest of the passage says that it was cut
}

func newText(what, role string, id mdstore.ID, at *string) *text {
	return &text{omission: Omission{What: what, Role: role, NodeID: id}, at: at, full: *at, left: len(*at)}
}

// A cutList holds the cuts of a bundle in the order in which they are made. The order does not depend on any limit:
//
//   - the omissions that the bundle has already become one sum for each kind;
//   - log entries of ancestors go, farthest ancestor and oldest entry first;
//   - notes of ancestors go, farthest first;
//   - own sections of the focus go but for their names, last one first, and so do long values of own keys;
//   - references go, last one first;
//   - dependencies go, last one first;
//   - conclusions of children go, the one changed longest ago first;
//   - long texts are cut to 512 bytes, from the far end of the chain to the focus, then the workspace's;
//   - what remains goes: documents and texts of ancestors, then the ancestors themselves, then what the focus has
//     besides its requirement, then documents and problem of the workspace, then own keys and the names of own
//     sections;
//   - for the bound of a reply only, and never for a budget, the rules, the goal and the focus's requirement become
//     shorter level by level, so that none is shorter than the level unless it is shorter by itself.
type cutList struct {
	b       *Bundle    // the working bundle
	omitted []Omission // before any cut
	cuts    []cut
	texts   []*text // the texts that cuts shorten
	levels  []int   // bytes, falling
}

func (l *cutList) add(o Omission, do func()) {
	o.Reason, o.Tokens = ReasonBudget, Tokens(o.Bytes)
	group := o.kind()
	if o.Detail != "" {
		group += " by name"
	} else if l.texts != nil { // from the first text on, omissions of one owner are counted together
		group = o.Role
	}
	l.cuts = append(l.cuts, cut{o, group, do})
}

// collect finds the cuts of the working bundle before any is made.
func (l *cutList) collect() {
	b, w, focus := l.b, &l.b.Workspace, l.b.Focus()
	ancestors := b.Chain[:len(b.Chain)-1]
	for i := range ancestors {
		l.log(&ancestors[i], RoleAncestor)
	}
	for i := range ancestors {
		if p := &ancestors[i]; p.Note != "" {
			l.add(Omission{What: WhatNote, Role: RoleAncestor, NodeID: p.NodeID, Count: 1, Bytes: len(p.Note)},
				func() { p.Note = "" })
		}
	}
	own := ownTexts(focus)
	l.drop(own)
	for i, r := range slices.Backward(b.References) {
		l.add(Omission{What: WhatReference, Role: RoleFocus, NodeID: focus.NodeID, Count: 1,
			Bytes: len(r.Description) + len(r.DocDescription) + len(r.Requirement) + len(r.Conclusion)},
			func() { b.References = b.References[:i] })
	}
	for i, x := range slices.Backward(b.Dependencies) {
		l.add(Omission{What: WhatDependency, Role: RoleFocus, NodeID: focus.NodeID, Count: 1, Bytes: len(x.Conclusion)},
			func() { b.Dependencies = b.Dependencies[:i] })
	}
	l.childConclusions()

	texts := make([][]*text, 0, len(b.Chain)+1) // of the chain, then of the workspace
	for i := range ancestors {
		p := &ancestors[i]
		texts = append(texts, textsOf(RoleAncestor, p.NodeID, p.Problem, &p.Conclusion, &p.Requirement, &p.Criteria))
	}
	note := newText(WhatNote, RoleFocus, focus.NodeID, &focus.Note)
	others := textsOf(RoleFocus, focus.NodeID, focus.Problem, &focus.Conclusion, nil, &focus.Criteria)
	texts = append(texts, append([]*text{note}, others...), textsOf(RoleWorkspace, "", w.Problem, nil, nil, nil))
	l.texts = slices.Concat(texts...)
	for _, t := range l.texts {
		if t.left > long {
			l.shorten(t, short)
		}
	}
	for i := range ancestors {
		l.docs(&ancestors[i].Docs, RoleAncestor, ancestors[i].NodeID)
		l.drop(texts[i])
		l.sections(&ancestors[i], RoleAncestor)
	}
	for i := range ancestors {
		l.add(Omission{What: WhatNode, Role: RoleAncestor, NodeID: ancestors[i].NodeID, Count: 1},
			func() { b.Chain = b.Chain[1:] })
	}
	l.log(focus, RoleFocus)
	l.docs(&focus.Docs, RoleFocus, focus.NodeID)
	l.drop(texts[len(ancestors)])
	l.docs(&w.Docs, RoleWorkspace, "")
	l.drop(texts[len(b.Chain)])
	l.keys(focus)
	l.sections(focus, RoleFocus)
	l.texts = append(l.texts, own...)

	for n := max(ruleBytes(w.Rules), len(w.Goal), len(focus.Requirement)); n > 0; {
		n = smaller(n)
		l.levels = append(l.levels, n)
	}
}

func (l *cutList) log(p *ChainPart, role string) {
	for _, e := range p.LogEntries {
		l.add(Omission{What: WhatLog, Role: role, NodeID: p.NodeID, Count: 1,
			Bytes: len(e.Timestamp) + len(e.Operator) + len(e.Event)}, func() { p.LogEntries = p.LogEntries[1:] })
	}
}

// ownTexts returns the texts of own sections, last one first, and the long values of own keys.
func ownTexts(focus *ChainPart) (all []*text) {
	for i := range slices.Backward(focus.Sections) {
		all = append(all, newText(WhatSection, RoleFocus, focus.NodeID, &focus.Sections[i].Text))
	}
	for _, o := range focus.Own {
		for i := range o.Items {
			if len(o.Items[i]) > long {
				all = append(all, newText(WhatField, RoleFocus, focus.NodeID, &o.Items[i]))
			}
		}
	}
	for _, t := range all {
		t.marked = t.full != ""
	}
	return all
}

// sections adds the cut that leaves out the names of own sections.
func (l *cutList) sections(p *ChainPart, role string) {
	o, names := Omission{What: WhatSection, Role: role, NodeID: p.NodeID}, []string{}
	for _, s := range p.Sections {
		names = append(names, cmp.Or(s.Name, TextAbove))
		o.Bytes += len(cmp.Or(s.Name, TextAbove))
	}
	if role != RoleFocus { // their texts are not shown anyway
		o.Count, names = len(names), nil
	}
	l.named(o, names, func() { p.Sections = nil })
}

// keys adds the cut that leaves out the own keys, whose long values are gone by then.
func (l *cutList) keys(focus *ChainPart) {
	o, names := Omission{What: WhatField, Role: RoleFocus, NodeID: focus.NodeID}, []string{}
	for _, own := range focus.Own {
		names = append(names, own.Key)
		o.Bytes += len(own.Key)
		for _, item := range own.Items {
			if len(item) <= long {
				o.Bytes += len(item)
			}
		}
	}
	l.named(o, names, func() { focus.Own = nil })
}

// named adds a cut whose omission lists names. It adds none if there are no names.
func (l *cutList) named(o Omission, names []string, do func()) {
	if o.Count = max(o.Count, len(names)); o.Count == 0 {
		return
	}
	o.Detail = strings.Join(names, ", ")
	if n := runeStart(o.Detail, maxNames); n < len(o.Detail) {
		o.Detail = o.Detail[:n] + "…"
	}
	l.add(o, do)
}

func (l *cutList) docs(at *[]Doc, role string, id mdstore.ID) {
	for i, d := range slices.Backward(*at) {
		l.add(Omission{What: WhatDoc, Role: role, NodeID: id, Count: 1, Bytes: len(d.Path) + len(d.Description)},
			func() { *at = (*at)[:i] })
	}
}

// childConclusions adds a cut for each of them. A child without a conclusion is not shown.
func (l *cutList) childConclusions() {
	var oldest []*ChildPart
	for i := range l.b.ChildConclusions {
		if c := &l.b.ChildConclusions[i]; !c.known {
			oldest = append(oldest, c)
		}
	}
	slices.SortStableFunc(oldest, func(a, b *ChildPart) int { return cmp.Compare(a.changed, b.changed) })
	for _, c := range oldest {
		l.add(Omission{What: WhatConclusion, Role: RoleChild, NodeID: c.NodeID, Count: 1, Bytes: len(c.Conclusion)},
			func() { c.Conclusion = "" })
	}
}

// textsOf returns the texts of one owner that can be cut; nil for a text that it does not have.
func textsOf(
	role string, id mdstore.ID, problem *mdstore.Problem, conclusion, requirement, criteria *string,
) (all []*text) {
	add := func(what string, at *string) {
		all = append(all, newText(what, role, id, at))
	}
	if problem != nil {
		add(WhatProblem, &problem.Text)
		add(WhatProblem, &problem.NextStep)
	}
	if conclusion != nil {
		add(WhatConclusion, conclusion)
	}
	if requirement != nil {
		add(WhatRequirement, requirement)
	}
	if criteria != nil {
		add(WhatCriteria, criteria)
	}
	return all
}

func (l *cutList) drop(texts []*text) {
	for _, t := range texts {
		l.shorten(t, 0)
	}
}

// shorten adds the cuts that bring a text down to floor bytes, step by step.
func (l *cutList) shorten(t *text, floor int) {
	for t.left > floor {
		n := boundary(t.full, max(floor, smaller(t.left)))
		if n < least {
			n = 0
		}
		o := t.omission
		if o.Bytes = t.left - n; t.left == len(t.full) {
			o.Count = 1
		}
		t.left = n
		l.add(o, func() { *t.at = t.full[:n] })
	}
}

// smaller returns how many of n bytes one more cut leaves: it removes a 32nd, but at least 64 bytes.
func smaller(n int) int { return max(0, n-max(least, n/32)) }

// boundary returns the end of a text of at most n bytes: after the last whole line, if that is at least half of n, or
// else between two characters.
func boundary(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	if i := strings.LastIndexByte(s[:n+1], '\n'); i >= (n+1)/2 {
		return i
	}
	return runeStart(s, n)
}

// runeStart returns the greatest index up to n at which a character begins, or the text ends.
func runeStart(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
