package engine

import (
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// original returns the one of several files with an id that has the better right to it: the only one in a folder of that name, where all of them say
// the id themselves and the others can be given ids of their own. Nil where there is none: a person has to decide.
func (s *Snapshot) original(id mdstore.ID) *mdstore.Node {
	var orig *mdstore.Node
	for _, n := range s.Files(id) {
		if f, ok := n.Doc().Field(mdstore.KeyID); !ok || f.Value != string(id) {
			return nil
		}
		switch {
		case n.Path.Dir().Base() != string(id):
			if n.Editable() != nil || id == mdstore.Root { // a second root hangs nowhere
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

// rename gives a copy of a node an id of its own. Children and references stay those of the original.
func (d *draft) rename(n *mdstore.Node) error {
	id, err := d.freshID()
	if err != nil {
		return err
	}
	e := d.onNode(n)
	e.set(mdstore.KeyID, mdoc.Text(string(id)))
	d.log(e, "copied from "+string(n.ID))
	e.did("%s is a copy of %s", id, n.ID)
	return nil
}

// newRoot returns the repair of a workspace without a root: none where anything has the root's place, be it a folder with an editor's backup in it.
func (c *checker) newRoot() repair {
	w := c.s.ws
	path := mdstore.NodePath(w.Dir, mdstore.Root)
	if _, taken := c.s.file(path); taken || w.Version.IsZero() {
		return repair{}
	}
	if _, broken := c.s.brokenFolder(string(mdstore.Root)); broken {
		return repair{}
	}
	return repair{"make a root", func(d *draft) (bool, error) {
		if !d.absent(mdstore.Root) {
			return false, nil
		}
		return true, d.makeRoot(path)
	}}
}

// makeRoot makes a root where there is none. The nodes that name it as their parent hang below it then.
func (d *draft) makeRoot(path mdstore.Path) error {
	if slices.ContainsFunc(d.extra, func(x planned) bool { return x.change.Path == path }) {
		return nil // two findings ask for it
	}
	w := d.snap.ws
	n := rootNode(w.Name, w.Goal, d.now, logged{By: byCreation, Why: "the workspace had no root"}, d.act.Operator)
	if title(InvalidTitle, "title", n.Title) != nil {
		n.Title = string(w.ID)
	}
	if len(d.snap.kidsOf(mdstore.Root)) > 0 {
		n.Status = statemachine.Monitoring
	}
	if w.CreatedAt > 0 {
		n.CreatedAt = w.CreatedAt
	}
	doc, adapted, err := n.compose(path, nil, nil)
	if err != nil {
		return err
	}
	d.adapted = append(d.adapted, adapted...)
	d.extra = append(d.extra, planned{change: mdstore.Change{Path: path, New: doc.Bytes()}, what: string(n.ID) + " created: " + n.Title})
	return nil
}

// discard moves a conflict copy that equals the file beside it, which has that version, to the trash.
func (d *draft) discard(s mdstore.Stray, same mdstore.Version) error {
	d.keep[s.Of] = same
	d.away(s.Path)
	return nil
}

// vacate moves the empty folder of a missing file to the trash, unless a folder above it goes there.
func (d *draft) vacate(missing mdstore.Path) {
	dir := missing.Dir()
	for _, x := range d.extra {
		if x.change.To != "" && dir.Under(x.change.Path) {
			return
		}
	}
	d.keep[missing] = mdstore.Version{} // it may come back until the commit
	d.away(dir)
}

func (d *draft) away(p mdstore.Path) {
	to := mdstore.TrashPath(d.now.Format("20060102T150405.000")+"-check", p)
	d.extra = append(d.extra, planned{change: mdstore.Change{Path: p, To: to}, what: "moved to the trash: " + p.Base()})
}
