package check

import (
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A program that saves a file may remove it for a moment. Therefore --fix treats a file as missing only if two looks
// did not find it: before is the first, and the draft's view the second.

// Lacks reports whether files are missing that a repair would take for deleted.
func Lacks(found []Finding) bool {
	for _, f := range found {
		switch f.Code {
		case view.CodeFileMissing:
			return true
		case CodeRootMissing, CodeFocusDangling, CodeDangling:
			if f.mend != nil {
				return true
			}
		}
	}
	return false
}

// absent reports whether a node that the plan does not find, by its id or a link, was not there at the first look
// either.
func absent(before *view.View, id mdstore.ID) bool {
	if before == nil {
		return true
	}
	_, was := before.Referred(&mdstore.Node{}, string(id))
	return !was
}

// missing reports whether a file that the plan finds missing was missing at the first look: its folder may be about to
// be filled.
func missing(before *view.View, p mdstore.Path) bool {
	if before == nil {
		return true
	}
	if w := before.Workspace(); p == w.Path {
		return w.Version.IsZero()
	}
	return before.AllBroken()[p].Code == view.CodeFileMissing
}

// ifAbsent returns a repair that is skipped if the node was there at the first look.
func (c *checker) ifAbsent(id mdstore.ID, r repair) repair {
	if r.mend == nil {
		return r
	}
	return repair{r.text, func(d *plan.Draft) (bool, error) {
		if !absent(d.Before, id) {
			return false, nil
		}
		return r.mend(d)
	}}
}

// vacated returns the view without the empty folders of nodes, and a finding for each of these folders. The other
// checks run over that view, so an empty folder causes no second finding.
func vacated(v *view.View, all []mdstore.Stray) (*view.View, []Finding) {
	var gone []mdstore.Path
	var out []Finding
	for p, d := range v.AllBroken() {
		if d.Code == view.CodeFileMissing && holdsNothing(all, p) {
			gone, out = append(gone, p), append(out, Finding{Diagnostic: d})
		}
	}
	if len(gone) == 0 {
		return v, nil
	}
	dir := v.Workspace().Dir
	next := v.Next(v.Workspace(), nil, gone)
	for i := range out {
		f := &out[i]
		r := discharge(gone[i])
		if _, ok := next.Node(mdstore.Root); !ok && gone[i] == mdstore.NodePath(dir, mdstore.Root) {
			if root := (&checker{v: next}).newRoot(); root.mend != nil {
				r = root
			}
		}
		f.Fix, f.mend = r.text, r.mend
	}
	return next, out
}

// emptyWorkspace gives a workspace whose folder holds nothing at all its repair.
func emptyWorkspace(v *view.View, found []Finding, all []mdstore.Stray) {
	own := v.Workspace().Path
	for i := range found {
		if f := &found[i]; f.Code == view.CodeFileMissing && f.File == string(own) && holdsNothing(all, own) {
			r := discharge(own)
			f.Fix, f.mend = r.text, r.mend
		}
	}
}

// holdsNothing reports whether the folder of a missing file holds no file at all, however deep.
func holdsNothing(all []mdstore.Stray, missing mdstore.Path) bool {
	for _, s := range all {
		if s.Kind == mdstore.StrayFolder && missing.Under(s.Path) {
			return true
		}
	}
	return false
}

// discharge is the repair of a file that is missing in a folder that holds nothing.
func discharge(p mdstore.Path) repair {
	return repair{"move the empty folder to the trash", func(d *plan.Draft) (bool, error) {
		if !missing(d.Before, p) {
			return false, nil
		}
		d.Vacate(p)
		return true, nil
	}}
}
