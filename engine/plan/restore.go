package plan

import (
	"cmp"
	"fmt"
	"slices"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Deletion says which nodes a commit moved to the trash, so that Restore can bring them back.
type Deletion struct {
	Workspace mdstore.ID     `json:"workspace"`
	Node      mdstore.ID     `json:"node"` // the topmost
	Title     string         `json:"title"`
	Trash     mdstore.Path   `json:"trash"` // the workspace's folder in the trash
	File      mdstore.Path   `json:"file"`  // of the topmost node, in the workspace's folder
	Nodes     []mdstore.ID   `json:"all"`
	Titles    []string       `json:"titles,omitempty"` // of Nodes
	Moved     []mdstore.Path `json:"moved"`            // files and folders, in the order in which they went
}

// deletion returns what a draft takes to the trash.
func (x Delete) deletion(d *Draft, top *mdstore.Node, all []*mdstore.Node, trash mdstore.Path) *Deletion {
	w := d.View.Workspace()
	below := func(p mdstore.Path) mdstore.Path { return p[len(w.Dir)+1:] }
	out := &Deletion{Workspace: w.ID, Node: top.ID, Title: top.Title, File: below(top.Path)}
	out.Trash = trash.Join(string(w.Dir))
	for _, n := range all {
		out.Nodes, out.Titles = append(out.Nodes, n.ID), append(out.Titles, n.Title)
	}
	for _, x := range d.extra {
		if x.change.To.Under(trash) {
			out.Moved = append(out.Moved, below(x.change.Path))
		}
	}
	return out
}

// Restore brings the nodes of a deletion back, as they were. The topmost is then below its old parent or another one.
type Restore struct {
	Deletion
	Top     mdstore.File // the file of the topmost node, in the trash
	Parent  mdstore.ID   // "" for the old one
	Cascade bool         // reopen completed and cancelled ancestors
}

// Restored is the result of a Restore.
type Restored struct {
	Node     mdstore.ID `json:"nodeId"`
	Parent   mdstore.ID `json:"parentId"`
	Count    int        `json:"restoredCount"` // nodes that came back
	Cascades []Cascade  `json:"cascadeUpdates,omitempty"`
}

// Plan plans the restoration. References to the nodes stay as the deletion left them.
func (x Restore) Plan(d *Draft) (*Restored, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	if err := d.View.Unread(); err != nil { // the file may be of one of the nodes or the parent
		return nil, err
	}
	for _, id := range x.Nodes {
		if n, again := d.View.Node(id); again {
			return nil, errs.New(errs.DuplicateID, "%s: %s has this id; give that one another id, or delete it", id, n.Path).
				With(errs.Details{NodeID: string(id), Paths: []string{string(n.Path)}})
		}
	}
	n, there := mdstore.ParseNode(x.Top), x.Top
	there.Path = d.View.Workspace().Dir.Join(string(x.File))
	was := d.View.ParentOf(mdstore.ParseNode(there))
	out := &Restored{Node: x.Node, Parent: cmp.Or(x.Parent, was), Count: len(x.Nodes)}
	if _, ok := d.View.Node(out.Parent); !ok && x.Parent == "" {
		return nil, errs.New(errs.ParentNotFound, "%s (%s): its parent %s is gone; name another one with --parent P",
			x.Node, x.Title, out.Parent).With(errs.Details{NodeID: string(x.Node), Param: "parent"})
	}
	up, err := d.place(out.Parent, x.Cascade)
	if err != nil {
		return nil, err
	}
	if err := x.back(d, n, was, out.Parent); err != nil {
		return nil, err
	}
	if d.Editable(up[0]) == nil {
		d.Log(d.OnNode(up[0]), fmt.Sprintf("restored: %s (%s), nodes: %d", x.Node, x.Title, out.Count))
	}
	out.Cascades, err = d.Raise(entered(n.Type, n.Status, up), x.Cascade, "child "+string(x.Node)+" moved in")
	return out, err
}

// told returns a change for each node that came back.
func (x Restore) told() (all []view.Change) {
	for i, id := range x.Nodes {
		title := string(id)
		if i < len(x.Titles) {
			title = x.Titles[i]
		}
		all = append(all, view.Change{ID: id, Do: "restored", Name: title})
	}
	return all
}

// back moves the files and folders to their former paths, the topmost first, and corrects parentId if the parent is not
// what it was.
func (x Restore) back(d *Draft, n *mdstore.Node, was, parent mdstore.ID) error {
	edited := []byte(nil)
	if parent != was {
		patch, err := n.Doc().SetField(mdstore.KeyParent, mdoc.Text(string(parent)))
		if err != nil {
			return err
		}
		doc, err := n.Doc().Apply(patch)
		if err != nil {
			return err
		}
		edited = doc.Bytes()
	}
	dir := d.View.Workspace().Dir
	what := x.told()
	for _, p := range slices.Backward(x.Moved) {
		from, to := x.Trash.Join(string(p)), dir.Join(string(p))
		if occupied(d.View, to) {
			return errs.New(errs.InvalidPath, "%s: the place is taken; give what is there another name", to).
				With(errs.Details{Paths: []string{string(to)}})
		}
		switch {
		case edited != nil && from == n.Path:
			d.whole(mdstore.Change{Path: to, New: edited}, what...)
			what = nil
			d.whole(mdstore.Change{Path: from, Base: n.Version()})
			continue
		case edited != nil && n.Path.Under(from):
			d.whole(mdstore.Change{Path: n.Path, Base: n.Version(), New: edited})
		}
		d.whole(mdstore.Change{Path: from, To: to}, what...)
		what = nil // report it once
	}
	return nil
}

// occupied reports whether the view has a file at a place, or in a folder of that name.
func occupied(v *view.View, p mdstore.Path) bool {
	_, file := v.File(p)
	_, broken := v.Broken()[mdstore.NodeKind.File(p)]
	return file || broken || v.Holds(p)
}
