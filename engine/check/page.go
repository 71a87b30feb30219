package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/env"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/fold"
	"arbor/mdstore/mdoc"
)

// page finds the problems of a page: those in its file, and other pages with the same id.
func (c *checker) page(p *mdstore.Page, same []*mdstore.Page) {
	if p.Kind == mdstore.EnvironmentKind && p.Editable() == nil {
		c.environment(p)
	}
	for _, d := range p.Problems {
		f := Finding{Diagnostic: d}
		if d.Fix != "" && d.Code == mdstore.CodeIDMissing && p.Editable() == nil {
			f.mend = func(d *plan.Draft) (bool, error) {
				return true, set(p.ID, mdstore.KeyID, mdoc.Text(string(p.ID)))(d, plan.OnPage(d, p))
			}
		}
		c.out = append(c.out, f)
	}
	if p.Editable() == nil {
		for _, d := range p.Check() {
			c.add(d, repair{})
		}
	}
	if of := mdstore.CopyOf(p, same); of != nil {
		c.add(strayCopy(p.Path, of.Path), repair{})
		return
	}
	same = slices.DeleteFunc(slices.Clone(same), func(o *mdstore.Page) bool { return mdstore.CopyOf(o, same) != nil })
	others := othersOf(same, p.Path, func(o *mdstore.Page) mdstore.Path { return o.Path })
	if older := c.olderCopy(p, same); older.mend != nil {
		c.field(p.Doc(), mdstore.KeyID, string(errs.DuplicateID), older, "%s is an older copy of %s, which has all of it", p.Path, others)
	} else if others != "" {
		c.field(p.Doc(), mdstore.KeyID, string(errs.DuplicateID), repair{},
			"id %s is that of %s too; give one of them another id, or remove the copy", p.ID, others)
	}
}

// othersShown is how many other files with the same id a finding names.
const othersShown = 3

// othersOf names the other files that share an id with the file own; "" for none.
func othersOf[T any](same []T, own mdstore.Path, path func(T) mdstore.Path) string {
	var names []string
	for _, o := range same {
		if p := path(o); p != own {
			if len(names) == othersShown {
				names = append(names, fmt.Sprintf("%d more", len(same)-1-othersShown))
				break
			}
			names = append(names, string(p))
		}
	}
	return strings.Join(names, " and ")
}

// environment finds the problems that keep tools from running in an environment even if a person trusts it.
func (c *checker) environment(p *mdstore.Page) {
	if _, err := env.ParseURI(p.Field(mdstore.KeyURI)); err != nil {
		c.field(p.Doc(), mdstore.KeyURI, mdstore.CodeFieldInvalid, repair{}, "%s", errs.As(err).Message)
	}
}

// olderCopy returns the repair for a slot that has another file now, as after an interrupted move: move this file to
// the trash. The file is archived and the slot is in use, or it is the older one, or it has the same content and is
// compressed. For any other page there is no repair.
func (c *checker) olderCopy(p *mdstore.Page, same []*mdstore.Page) repair {
	if len(same) != 2 || !slices.Contains(slotKinds, p.Kind) {
		return repair{}
	}
	now := same[0]
	if now.Path == p.Path {
		now = same[1]
	}
	rank := func(p *mdstore.Page) int { return slices.Index(slotKinds, p.Kind) }
	less := cmp.Or(cmp.Compare(p.Time(mdstore.KeyUpdated), now.Time(mdstore.KeyUpdated)), rank(now)-rank(p))
	if p.Kind.IsSlot() != now.Kind.IsSlot() {
		less = rank(now) - rank(p) // keep the slot that is in use
	}
	if p.Editable() != nil || now.Editable() != nil || less >= 0 || !mdstore.Holds(now, p) {
		return repair{}
	}
	return repair{"move the older copy to the trash", func(d *plan.Draft) (bool, error) {
		d.Keep(now.Path, now.Version())
		d.Discard(p.Path)
		return true, nil
	}}
}

// slotNames finds slots that share a name but not the id.
func (c *checker) slotNames(all []*mdstore.Page) {
	first := map[string]*mdstore.Page{}
	for _, p := range all {
		if !p.Kind.IsSlot() {
			continue
		}
		name := fold.Name(mdstore.SlotName(p))
		if o := first[name]; o == nil {
			first[name] = p
		} else if o.ID != p.ID {
			c.add(mdoc.Diagnostic{File: string(p.Path), Code: string(errs.NameTaken), Text: fmt.Sprintf(
				"%s has the name %s too; give one of them another name, or merge them", o.Path, mdstore.SlotName(p))}, repair{})
		}
	}
}

// slotKinds are the kinds of slots' files. Two such files with the same id are the same slot.
var slotKinds = []*mdstore.Kind{mdstore.SlotKind, mdstore.ZippedSlotKind, mdstore.ArchivedSlotKind}

// Pages returns the findings about loaded pages, without repairs.
func Pages(all []*mdstore.Page) []Finding {
	c := checker{}
	c.pages(all)
	return LeftAlone(c.out)
}

// pages finds the problems of pages. It uses documents only of pages whose facts show that there may be one.
func (c *checker) pages(all []*mdstore.Page) {
	type key struct {
		kind *mdstore.Kind
		id   mdstore.ID
	}
	keyOf := func(p *mdstore.Page) key {
		if slices.Contains(slotKinds, p.Kind) {
			return key{mdstore.SlotKind, p.ID}
		}
		return key{p.Kind, p.ID}
	}
	same := map[key][]*mdstore.Page{}
	for _, p := range all {
		if p.Kind.Named {
			same[keyOf(p)] = append(same[keyOf(p)], p)
		}
	}
	c.slotNames(all)
	for _, p := range all {
		if twins := same[keyOf(p)]; len(twins) > 1 || len(p.Problems) > 0 || !p.Facts().Clean() || p.Kind == mdstore.EnvironmentKind {
			c.page(p, twins)
		}
	}
}
