package check

import (
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// original returns the file that keeps an id which several files have: the only one in a folder named for that id. All
// files must state the id themselves, and the others must be able to get new ids. It returns nil if there is no such
// file; then a person has to decide.
func original(v *view.View, id mdstore.ID) *mdstore.Node {
	var orig *mdstore.Node
	for _, n := range v.Files(id) {
		if f, ok := n.Doc().Field(mdstore.KeyID); !ok || f.Value != string(id) {
			return nil
		}
		switch {
		case !id.Folder(n.Path.Dir().Base()):
			if n.Editable() != nil || id == mdstore.Root { // a second root has no place
				return nil
			}
		case orig != nil:
			return nil
		default:
			orig = n
		}
	}
	return orig
}

// rename gives a copy of a node a new id. Children and references stay those of the original.
func rename(d *plan.Draft, n *mdstore.Node) error {
	id, err := d.FreshID()
	if err != nil {
		return err
	}
	e := d.OnNode(n)
	e.Set(mdstore.KeyID, mdoc.Text(string(id)))
	d.Log(e, "copied from "+string(n.ID))
	e.Did(view.Change{ID: id, Do: "is a copy of " + string(n.ID)})
	return nil
}

// newRoot returns the repair of a workspace without a root. It is none if anything is at the root's path, even a folder
// with an editor's backup.
func (c *checker) newRoot() repair {
	w := c.v.Workspace()
	path := mdstore.NodePath(w.Dir, mdstore.Root)
	if _, taken := c.v.File(path); taken || w.Version.IsZero() {
		return repair{}
	}
	if _, broken := c.v.BrokenFolder(string(mdstore.Root)); broken {
		return repair{}
	}
	return repair{"make a root", func(d *plan.Draft) (bool, error) {
		if !absent(d.Before, mdstore.Root) {
			return false, nil
		}
		return true, d.MakeRoot(path)
	}}
}
