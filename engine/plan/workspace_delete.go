package plan

import (
	"cmp"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// DeleteWorkspace moves a workspace to the trash. An active one needs Force. The steps of the commit are in this order:
// the bindings to the workspace end, its sessions end, the folder goes. So no binding is ever left without its
// workspace.
type DeleteWorkspace struct {
	Force    bool
	Unbound  []mdstore.Change // the changes that end the bindings to the workspace
	Bindings []byte           // the bytes of the bindings file
}

// Plan plans the deletion.
func (x DeleteWorkspace) Plan(d *Draft) (*Deleted, error) {
	w := d.View.Workspace()
	if w.Newer() {
		return nil, &mdoc.UnreadableError{Problem: NewerProblem(w)}
	}
	if err := d.match(w.Path, w.Version); err != nil {
		return nil, err
	}
	if w.Status == mdstore.StatusActive && !x.Force {
		return nil, errs.New(errs.WorkspaceActive,
			"%s (%s): the workspace is active; archive it first ({workspace_archive}), or repeat the call with "+
				"{.force: true}", w.ID, w.Name)
	}
	for p, why := range d.View.Pages().Broken() { // such a session may be readable in a moment, and would have to end
		if mdstore.AllKinds().Of(p) == mdstore.SessionKind && why.Code == string(errs.FileUnreadable) {
			return nil, &mdoc.UnreadableError{Problem: why}
		}
	}
	for _, c := range x.Unbound {
		what := []view.Change{{Do: "bindings to " + string(w.ID) + " ended"}}
		d.extra = append(d.extra, planned{change: c, what: what, first: true, old: x.Bindings})
	}
	for _, s := range d.View.Pages().Of(mdstore.SessionKind) {
		if s.Time(mdstore.KeyEnded) != 0 || s.Editable() != nil { // a damaged one is deleted without being ended
			continue
		}
		e := OnPage(d, s)
		e.Set(mdstore.KeyEnded, mdoc.Integer(cmp.Or(view.SessionEnded(s, d.now), d.now.UnixMilli())))
		e.Did(view.Change{ID: s.ID, Do: "ended", Name: s.Name()})
	}
	out := &Deleted{Count: d.View.Len(), Trash: mdstore.TrashPath(mdstore.TrashStamp(d.now, string(w.ID)), w.Dir)}
	d.whole(mdstore.Change{Path: w.Dir, To: out.Trash}, view.Change{ID: w.ID, Do: view.Deleted, Name: w.Name})
	return out, nil
}
