package plan

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// MakeRoot makes a missing root. Nodes that name it as their parent are then below it.
func (d *Draft) MakeRoot(path mdstore.Path) error {
	if slices.ContainsFunc(d.extra, func(x planned) bool { return x.change.Path == path }) {
		return nil // two findings ask for it
	}
	w := d.View.Workspace()
	why := mdstore.StatusChange{By: mdstore.ByCreation, Why: "the workspace had no root"}
	n := born(statemachine.Planning, w.Name, strings.TrimSpace(w.Goal), d.now, d.act.Operator, why.String())
	if title(errs.InvalidTitle, "title", n.Title) != nil {
		n.Title = string(w.ID)
	}
	if len(d.View.Below(mdstore.Root)) > 0 {
		n.Status = statemachine.Monitoring
	}
	if w.CreatedAt > 0 {
		n.CreatedAt = w.CreatedAt
	}
	return d.create(path, n, nil, nil)
}

// Keep has the commit compare a file with a version; the zero Version: there must be none.
func (d *Draft) Keep(p mdstore.Path, v mdstore.Version) { d.keep[p] = v }

// Vacate moves the empty folder of a missing file to the trash, unless a folder above it goes there.
func (d *Draft) Vacate(missing mdstore.Path) {
	dir := missing.Dir()
	for _, x := range d.extra {
		if x.change.To != "" && dir.Under(x.change.Path) {
			return
		}
	}
	d.keep[missing] = mdstore.Version{} // it may come back until the commit
	d.Discard(dir)
}

// Discard moves a file or folder to the trash.
func (d *Draft) Discard(p mdstore.Path) {
	to := mdstore.TrashPath(mdstore.TrashStamp(d.now, "check"), p)
	d.whole(mdstore.Change{Path: p, To: to}, view.Change{Do: "moved to the trash", Name: p.Base()})
}

// Over returns an empty draft over v, the view as this draft leaves it, for a further round of repairs. Take adds its
// changes to this one.
func (d *Draft) Over(v *view.View) *Draft { return New(v, d.act, d.opt) }

// Take adds the changes of a second draft, made over the result of d, to d.
func (d *Draft) Take(r *Draft) {
	for _, e := range r.order {
		if e.after == nil {
			continue
		}
		if i := slices.IndexFunc(d.extra, func(x planned) bool { return x.change.Path == e.path && x.change.New != nil }); i >= 0 {
			d.extra[i].change.New = e.after.Bytes()
			continue
		}
		mine := d.on(e.path, e.base, e.doc)
		mine.after = e.after
		mine.what = append(mine.what, e.what...)
		mine.adapted = append(mine.adapted, e.adapted...)
	}
	d.extra = append(d.extra, r.extra...)
	d.adapted = append(d.adapted, r.adapted...)
	for p, v := range r.keep {
		if _, ok := d.keep[p]; !ok && d.edits[p] == nil {
			d.keep[p] = v
		}
	}
}
