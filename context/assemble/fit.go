package assemble

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// fit returns the bundle with few cuts, found by binary search, so that it fits its budget and the bound of its reply.
// If no number of cuts is enough, it makes all of them.
//
// The search asks for the same numbers of cuts in the same order whatever the limits are, until the first answer that
// differs; so a larger limit never leads to more cuts, even where a cut makes the list of omissions longer than the
// text that it saves.
func fit(full *Bundle, omitted []Omission, opt Options) *Bundle {
	measure := opt.Measure
	if fits := weigh(full, measure); fits && (full.Budget == 0 || full.Tokens <= full.Budget) {
		return full
	}
	var b *Bundle
	fits := func(k int) bool {
		l := newCutList(full, omitted)
		l.makeFirst(k)
		b = l.b
		b.stillHave(opt)
		fits := weigh(b, measure)
		if full.Budget == 0 || b.Tokens <= full.Budget {
			return fits
		}
		b.OverBudget = true
		return k >= len(l.cuts) && weigh(b, measure)
	}
	all := newCutList(full, omitted)
	fits(sort.Search(len(all.cuts)+len(all.levels), fits))
	return b
}

// weigh states in the bundle how many tokens it takes, the digits of that number included, and reports whether the
// reply with it is within its bound.
func weigh(b *Bundle, measure func(*Bundle) (int, bool)) (fits bool) {
	b.Tokens = 1000 // most bundles have four digits, and are measured once
	for digits := 0; digits != len(strconv.Itoa(b.Tokens)); {
		digits = len(strconv.Itoa(b.Tokens))
		var size int
		size, fits = measure(b)
		b.Tokens = Tokens(size)
	}
	return fits
}

// newCutList returns the cuts of a copy of the bundle.
func newCutList(full *Bundle, omitted []Omission) *cutList {
	b := *full
	b.Chain, b.ChildConclusions = slices.Clone(full.Chain), slices.Clone(full.ChildConclusions)
	for i := range b.Chain {
		b.Chain[i].Problem = copied(b.Chain[i].Problem)
	}
	focus := b.Focus()
	focus.Sections, focus.Own = slices.Clone(focus.Sections), slices.Clone(focus.Own)
	for i := range focus.Own {
		focus.Own[i].Items = slices.Clone(focus.Own[i].Items)
	}
	b.Workspace.Problem = copied(b.Workspace.Problem)
	l := &cutList{b: &b, omitted: omitted}
	l.collect()
	return l
}

func copied(p *mdstore.Problem) *mdstore.Problem {
	if p == nil {
		return nil
	}
	q := *p
	return &q
}

// makeFirst makes the first k cuts. Those after the cuts of the list are the levels.
func (l *cutList) makeFirst(k int) {
	b, cuts := l.b, l.cuts[:min(k, len(l.cuts))]
	all, groups := slices.Grow(slices.Clone(l.omitted), len(cuts)), slices.Grow(kinds(l.omitted), len(cuts))
	for _, c := range cuts {
		c.make()
		all, groups = append(all, c.omission), append(groups, c.group)
	}
	for _, t := range l.texts {
		if n := len(*t.at); n > 0 || !t.marked {
			*t.at = beginning(t.full, n)
		} else {
			*t.at = strings.TrimLeft(leftOut(len(t.full)), "\n")
		}
	}
	for i := range b.Chain {
		b.Chain[i].Problem = nilIfZero(b.Chain[i].Problem)
	}
	b.Workspace.Problem = nilIfZero(b.Workspace.Problem)
	cut := func(c ChildPart) bool { return c.Conclusion == "" && !c.known }
	b.ChildConclusions = slices.DeleteFunc(b.ChildConclusions, cut)
	if k >= len(l.cuts) {
		for i := range groups {
			if all[i].Reason != ReasonBudget || all[i].Detail == "" { // names stay
				groups[i] = all[i].Reason
			}
		}
	}
	b.Omitted = summed(all, groups, 1)
	b.nameFiles(all)
	if k > len(l.cuts) {
		b.squeeze(l.levels[k-len(l.cuts)-1])
	}
}

func nilIfZero(p *mdstore.Problem) *mdstore.Problem {
	if p == nil || p.IsZero() {
		return nil
	}
	return p
}

// squeeze leaves at most level bytes of the rules, the goal and the focus's requirement each. At a low level the bundle
// does without line numbers, long titles and separate omissions, too.
func (b *Bundle) squeeze(level int) {
	w, focus := &b.Workspace, b.Focus()
	if level < bareLevel {
		w.Lines, focus.Lines = Lines{}, Lines{}
		w.Name, focus.Title = w.Name[:runeStart(w.Name, bareLevel)], focus.Title[:runeStart(focus.Title, bareLevel)]
	}
	leave := func(o Omission) {
		o.Reason, o.Tokens = ReasonBudget, Tokens(o.Bytes)
		last := len(b.Omitted) - 1
		if level < bareLevel && last >= 0 && b.Omitted[last].Reason == ReasonBudget {
			b.Omitted[last] = b.Omitted[last].plus(o)
		} else {
			b.Omitted = append(b.Omitted, o)
		}
	}
	kept, size := 0, 0
	for ; kept < len(w.Rules) && size+len(w.Rules[kept]) <= level; kept++ {
		size += len(w.Rules[kept])
	}
	if left := w.Rules[kept:]; len(left) > 0 {
		leave(Omission{What: WhatRule, Role: RoleWorkspace, Count: len(left), Bytes: ruleBytes(left)})
		w.Rules = w.Rules[:kept]
	}
	for _, t := range []text{
		{omission: Omission{What: WhatGoal, Role: RoleWorkspace, Count: 1}, at: &w.Goal, full: w.Goal},
		{omission: Omission{What: WhatRequirement, Role: RoleFocus, NodeID: focus.NodeID, Count: 1}, at: &focus.Requirement,
			full: focus.Requirement},
	} {
		if n := runeStart(t.full, level); n+least < len(t.full) {
			t.omission.Bytes = len(t.full) - n
			leave(t.omission)
			b.nameFiles([]Omission{t.omission})
			*t.at = beginning(t.full, n)
		}
	}
}

// beginning returns the first n bytes of a text, and a last line that says how many are left out.
func beginning(s string, n int) string {
	if n == 0 || n == len(s) {
		return s[:n]
	}
	return s[:n] + leftOut(len(s)-n)
}

func leftOut(bytes int) string { return "\n[… " + strconv.Itoa(bytes) + " bytes left out]" }

func ruleBytes(rules []string) (n int) {
	for _, r := range rules {
		n += len(r)
	}
	return n
}
