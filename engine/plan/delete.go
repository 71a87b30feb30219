package plan

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
)

// Deleted is the result of a deletion.
type Deleted struct {
	Count int          // nodes that went
	From  []mdstore.ID // nodes that depended on a deleted one
	Trash mdstore.Path // their folder in the trash
}

// Delete moves nodes and all below them to the trash. References to them are marked expired, and dependencies on them
// are removed. If the focus was among them, it moves to the nearest ancestor that stays.
type Delete struct {
	Node mdstore.ID
	Also []mdstore.ID // further nodes; one that is below another goes with that
}

// Plan plans the deletion.
func (x Delete) Plan(d *Draft) (*Deleted, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	gone := map[mdstore.ID]bool{}
	var tops []*mdstore.Node
	for _, id := range append([]mdstore.ID{x.Node}, x.Also...) {
		n, err := x.goes(d, id)
		if err != nil {
			return nil, err
		}
		tops = append(tops, n)
		gone[id] = true
	}
	if err := d.View.Unread(); err != nil { // the file may be of a node below this one, or refer to it
		return nil, err
	}
	tops = slices.DeleteFunc(tops, func(n *mdstore.Node) bool {
		up, _ := d.View.Ancestors(n.ID)
		return slices.ContainsFunc(up, func(a *mdstore.Node) bool { return gone[a.ID] })
	})
	below := make([][]*mdstore.Node, len(tops))
	for i, n := range tops {
		for _, k := range d.View.Walk(n.ID) {
			gone[k.ID] = true
			below[i] = append(below[i], k)
			d.Rely(k)
		}
	}
	for k := range d.View.All() { // files that share an id have no certain parent
		if err := d.unique(k.ID); err != nil && (gone[k.ID] || gone[k.Parent]) {
			return nil, err
		}
	}
	d.Gone = gone
	out := &Deleted{Count: len(gone)}
	for i, n := range tops {
		trash := mdstore.TrashPath(mdstore.TrashStamp(d.now, string(n.ID)), "")
		d.trash(trash, below[i])
		d.Deleted = append(d.Deleted, x.deletion(d, n, below[i], trash))
		if i == 0 {
			out.Trash = trash
		}
	}
	d.expire(gone)
	out.From = d.undepend(gone)
	for _, n := range tops {
		if err := x.tell(d, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// goes returns a node that can be deleted.
func (x Delete) goes(d *Draft, id mdstore.ID) (*mdstore.Node, error) {
	n, err := d.View.Known(id)
	if err != nil {
		return nil, err
	}
	if n.ID == mdstore.Root {
		return nil, errs.New(errs.CannotDeleteRoot, "%s: the root cannot be deleted; delete its children, or the "+
			"workspace ({workspace_delete})", n.ID)
	}
	if err := d.unique(id); err != nil {
		return nil, err
	}
	return n, d.match(n.Path, n.Version())
}

// tell moves the focus to the parent of a deleted node, if it was on the node or below it, and adds to the parent's
// log.
func (x Delete) tell(d *Draft, n *mdstore.Node) error {
	count, focus := 0, mdstore.Root
	p, stays := d.View.Node(n.Parent)
	if stays = stays && !d.Gone[n.Parent]; stays {
		focus = p.ID
	}
	for _, k := range d.View.Walk(n.ID) {
		count++
		if k.ID == d.View.Workspace().Focus {
			if err := d.MoveFocus(focus); err != nil {
				return err
			}
		}
	}
	if stays && d.Editable(p) == nil {
		edit := d.OnNode(p)
		d.Log(edit, fmt.Sprintf("deleted: %s (%s), nodes: %d", n.ID, n.Title, count))
		edit.Did(view.Change{ID: p.ID, Key: "log", Do: view.Plus, To: "1"})
	}
	return nil
}

// trash plans to move the folders of nodes to the trash with everything in them. If a folder also holds nodes that
// stay, or files of nodes that cannot be read, only the node's file moves. Children move first, so that no node is ever
// without its parent.
func (d *Draft) trash(to mdstore.Path, nodes []*mdstore.Node) {
	going := map[mdstore.Path]bool{}
	for _, n := range nodes {
		going[n.Path] = true
	}
	var staying []mdstore.Path
	for n := range d.View.All() {
		if !going[n.Path] {
			staying = append(staying, n.Path)
		}
	}
	for p := range d.View.Broken() {
		staying = append(staying, p)
	}
	slices.Sort(staying)
	rank := make(map[mdstore.Path]int, len(nodes)) // place in a walk of the tree, in which children come later
	for i, n := range nodes {
		rank[n.Path] = i
	}
	slices.SortFunc(nodes, byFolder)
	type leaving struct {
		planned
		rank int // of the topmost node in it
	}
	var all []leaving
	last := mdstore.Path("") // the last folder that moved; what is in it comes right after it
	for _, n := range nodes {
		dir := n.Path.Dir()
		if last != "" && dir.Under(last) {
			top := &all[len(all)-1]
			top.rank = min(top.rank, rank[n.Path])
			continue
		}
		from := dir
		if holds(dir, staying) || dir == mdstore.NodeKind.Folder(d.View.Workspace().Dir) {
			from = n.Path
			delete(d.keep, n.Path) // a path is named once
		} else {
			last = dir
		}
		change := mdstore.Change{Path: from, To: to.Join(string(from))}
		all = append(all, leaving{planned{change: change, what: []view.Change{{ID: n.ID, Do: view.Deleted, Name: n.Title}}}, rank[n.Path]})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].rank > all[j].rank })
	for _, l := range all {
		d.extra = append(d.extra, l.planned)
	}
}

// byFolder orders nodes so that those in a folder come right behind the folder's own.
func byFolder(a, b *mdstore.Node) int {
	return slices.Compare(strings.Split(string(a.Path.Dir()), "/"), strings.Split(string(b.Path.Dir()), "/"))
}

// holds reports whether one of the sorted paths lies under dir.
func holds(dir mdstore.Path, sorted []mdstore.Path) bool {
	at, _ := slices.BinarySearch(sorted, dir+"/")
	return at < len(sorted) && sorted[at].Under(dir)
}

// expire marks the references of other nodes to those that go. A damaged file stays as it is: its reference is then a
// dangling one, which check reports.
func (d *Draft) expire(gone map[mdstore.ID]bool) {
	for n := range d.View.All() {
		if gone[n.ID] || !refers(d.View, n, gone) || d.Editable(n) != nil {
			continue
		}
		for _, r := range view.References(d.View, n) {
			if gone[mdstore.ID(r.Target)] && !bool(r.Expired) {
				d.OnNode(n).Mark(string(n.ID), mdstore.SecReferences, r, true)
			}
		}
	}
}

// refers reports whether a node actively refers to one of those ids.
func refers(v *view.View, n *mdstore.Node, ids map[mdstore.ID]bool) bool {
	for target := range n.Facts().References() {
		if to, ok := v.Referred(n, target); ok && ids[to.ID] {
			return true
		}
	}
	return false
}
