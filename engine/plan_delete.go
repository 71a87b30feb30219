package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"arbor/mdstore"
)

// Deleted is what a deletion did.
type Deleted struct {
	*Outcome
	Count int          // nodes that went
	Trash mdstore.Path // where they are now
}

// Delete moves a node and all below it to the trash. References to them are marked expired, the focus goes to the parent when it was among
// them.
func (e *Engine) Delete(ctx context.Context, ws, id mdstore.ID, act Act) (*Deleted, error) {
	var out *Deleted
	o, err := e.update(ctx, ws, act, func(d *draft) (err error) {
		out, err = d.delete(id)
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Outcome = o
	return out, nil
}

func (d *draft) delete(id mdstore.ID) (*Deleted, error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	n, err := d.snap.Known(id)
	if err != nil {
		return nil, err
	}
	if n.ID == mdstore.Root {
		return nil, Fail(CannotDeleteRoot, "%s: the root cannot be deleted; delete its children, or the workspace (workspace_delete)", n.ID)
	}
	if same := d.snap.Files(id); len(same) > 1 {
		return nil, duplicate(id, same)
	}
	if err := d.match(n.Path, n.Version); err != nil {
		return nil, err
	}
	gone := map[mdstore.ID]bool{}
	var all []*mdstore.Node
	for _, k := range d.snap.Walk(id) {
		gone[k.ID] = true
		all = append(all, d.snap.Files(k.ID)...)
	}
	out := &Deleted{Count: len(gone), Trash: mdstore.TrashPath(d.now.Format("20060102T150405.000")+"-"+string(id), "")}
	d.trash(out.Trash, all)
	if err := d.expire(gone); err != nil {
		return nil, err
	}
	if gone[d.snap.ws.Focus] {
		if err := d.focus(n.Parent); err != nil {
			return nil, err
		}
	}
	if p, ok := d.snap.Node(n.Parent); ok && d.editable(p) == nil {
		edit := d.onNode(p)
		d.log(edit, fmt.Sprintf("deleted: %s (%s), %d nodes", n.ID, n.Title, out.Count))
		edit.did("%s log + 1", p.ID)
	}
	return out, nil
}

// trash plans to move the folders of nodes away with all they hold; a folder that also holds nodes that stay keeps all but the node's file.
func (d *draft) trash(to mdstore.Path, nodes []*mdstore.Node) {
	going := map[mdstore.Path]bool{}
	for _, n := range nodes {
		going[n.Path] = true
	}
	var staying []mdstore.Path
	for n := range d.snap.All() {
		if !going[n.Path] {
			staying = append(staying, n.Path)
		}
	}
	slices.SortFunc(nodes, byPath)
	var moved []mdstore.Path
	for _, n := range nodes {
		dir := n.Path.Dir()
		if slices.ContainsFunc(moved, dir.Under) {
			continue
		}
		from := dir
		if holds(dir, staying) || dir.Base() == mdstore.NodesDir {
			from = n.Path
		} else {
			moved = append(moved, dir)
		}
		d.extra = append(d.extra, planned{change: mdstore.Change{Path: from, To: to.Join(string(from))}, what: string(n.ID) + " deleted: " + n.Title})
	}
}

// holds reports whether one of the sorted paths lies under dir.
func holds(dir mdstore.Path, sorted []mdstore.Path) bool {
	at, _ := slices.BinarySearch(sorted, dir+"/")
	return at < len(sorted) && sorted[at].Under(dir)
}

// expire marks the references of other nodes to those that go.
func (d *draft) expire(gone map[mdstore.ID]bool) error {
	for n := range d.snap.All() {
		if gone[n.ID] || !mentions(n.Doc.Bytes(), gone) {
			continue
		}
		for _, r := range n.References() {
			if !gone[mdstore.ID(r.Target)] || r.Expired {
				continue
			}
			if d.editable(n) != nil {
				break // a damaged file stays as it is; its reference is then a dangling one, which check reports
			}
			e := d.onNode(n)
			if err := editRefs(e, string(n.ID), mdstore.SecReferences, n.References(), ExpireRef, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// mentions spares the parsing of the many files that name none of the ids.
func mentions(src []byte, ids map[mdstore.ID]bool) bool {
	for id := range ids {
		if bytes.Contains(src, []byte(id)) {
			return true
		}
	}
	return false
}
