package view

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/fold"
	"arbor/mdstore/mdoc"
)

// Slots returns the slots of a view that are not archived, in the order of paths. If there are both a file and its
// compressed form, because a merge or clone brought both or another process is replacing one by the other, it leaves
// out the older; if both are as old, the compressed one. Copies that sync programs made are no slots.
func Slots(v *View) []*mdstore.Page {
	ids := map[mdstore.ID][]*mdstore.Page{}
	for _, p := range v.Pages().All() {
		ids[p.ID] = append(ids[p.ID], p)
	}
	return slices.DeleteFunc(v.Pages().All(), func(p *mdstore.Page) bool {
		twin, both := v.Pages().At(p.Path + mdstore.Zipped)
		if p.Path.IsZipped() {
			twin, both = v.Pages().At(p.Path[:len(p.Path)-len(mdstore.Zipped)])
		}
		older := func() bool {
			return twin.Stamp.Mtime > p.Stamp.Mtime || twin.Stamp.Mtime == p.Stamp.Mtime && p.Path.IsZipped()
		}
		return !p.Kind.IsSlot() || mdstore.CopyOf(p, ids[p.ID]) != nil || both && twin.ID == p.ID && older()
	})
}

// SlotsNamed returns the slots, or the archived ones, that ref names: by their id, their name, whatever the case of its
// letters, or the last six characters of an id. Several are a mistake of people or of a merge.
func SlotsNamed(v *View, ref string, archived bool) []*mdstore.Page {
	all := Slots(v)
	if archived {
		all = v.Pages().Of(mdstore.ArchivedSlotKind)
	}
	for _, p := range all {
		if string(p.ID) == ref && p.Field(mdstore.KeyID) != "" {
			return []*mdstore.Page{p}
		}
	}
	name := fold.Name(ref)
	named := func(p *mdstore.Page) bool { return fold.Name(mdstore.SlotName(p)) == name }
	if len(ref) == shortID && !slices.ContainsFunc(all, named) {
		named = func(p *mdstore.Page) bool { return p.Field(mdstore.KeyID) != "" && ending(string(p.ID)) == ref }
	}
	return slices.DeleteFunc(all, func(p *mdstore.Page) bool { return !named(p) })
}

// Slot returns the slot that ref names. The error is SLOT_NOT_FOUND, or AMBIGUOUS_ID if several have the name.
func Slot(v *View, ref string, archived bool) (*mdstore.Page, error) {
	switch hits := SlotsNamed(v, ref, archived); len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return nil, NoSlot(ref, []*View{v}, archived)
	default:
		d := errs.Details{Param: "slot"}
		for _, p := range hits {
			d.Candidates = append(d.Candidates, errs.Candidate{ID: string(p.ID), Title: mdstore.SlotName(p)})
			d.Paths = append(d.Paths, string(p.Path))
		}
		return nil, errs.New(errs.AmbiguousID, "%s: %d slots have this name: %s; call one by its id, or, of copies, remove one or give it another id and name",
			ref, len(hits), strings.Join(d.Paths, ", ")).With(d)
	}
}

// NoSlot returns the error for a name that no slot of the views has.
func NoSlot(ref string, in []*View, archived bool) error {
	var there []errs.Candidate
	for _, v := range in {
		if err := v.Pages().Unread(); err != nil { // the unreadable file may be the slot that the caller means
			return err
		}
		for p, problem := range v.Pages().Broken() {
			if k := mdstore.AllKinds().Of(p); k != nil && k.IsSlot() && fold.Name(strings.TrimSuffix(strings.TrimSuffix(p.Base(), mdstore.Zipped), ".md")) == fold.Name(ref) {
				return &mdoc.UnreadableError{Problem: problem}
			}
		}
		all := Slots(v)
		if archived {
			all = v.Pages().Of(mdstore.ArchivedSlotKind)
		}
		there = append(there, Candidates(all, len(all), func(p *mdstore.Page) errs.Candidate {
			return errs.Candidate{ID: mdstore.SlotName(p)}
		})...)
		if !archived && len(SlotsNamed(v, ref, true)) > 0 {
			return errs.New(errs.SlotNotFound, "%s: the slot is archived; {memory_restore} restores it", ref).
				With(errs.Details{Param: "slot"})
		}
	}
	what, known := "slot", "there is none yet; {memory_save} makes one"
	if archived {
		what, known = "archived slot", "none is archived"
	}
	if len(there) > 0 {
		known = "there are: " + List(there)
	}
	return errs.New(errs.SlotNotFound, "%s: no such %s; %s", ref, what, known).
		With(errs.Details{Param: "slot", Candidates: there[:min(len(there), CandidatesShown)]})
}
