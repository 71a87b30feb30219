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
	Trash mdstore.Path // their folder in the trash
}

// Delete moves a node and all below it to the trash. References to them are marked expired, the focus goes to the
// parent when it was among them.
type Delete struct{ Node mdstore.ID }

// Plan plans the deletion.
func (x Delete) Plan(d *Draft) (*Deleted, error) {
	id := x.Node
	if err := d.Writable(); err != nil {
		return nil, err
	}
	n, err := d.View.Known(id)
	if err != nil {
		return nil, err
	}
	if n.ID == mdstore.Root {
		return nil, errs.New(errs.CannotDeleteRoot, "%s: the root cannot be deleted; delete its children, or the workspace (workspace_delete)", n.ID)
	}
	if err := d.unique(id); err != nil {
		return nil, err
	}
	if err := d.match(n.Path, n.Version()); err != nil {
		return nil, err
	}
	if err := d.View.Unread(); err != nil { // it may hang below the node, or refer to it
		return nil, err
	}
	gone := map[mdstore.ID]bool{}
	var all []*mdstore.Node
	for _, k := range d.View.Walk(id) {
		gone[k.ID] = true
		all = append(all, k)
		d.Rely(k)
	}
	for k := range d.View.All() { // files that share an id have no certain parent
		if err := d.unique(k.ID); err != nil && (gone[k.ID] || gone[k.Parent]) {
			return nil, err
		}
	}
	d.Gone = gone
	out := &Deleted{Count: len(gone), Trash: mdstore.TrashPath(mdstore.TrashStamp(d.now, string(id)), "")}
	d.trash(out.Trash, all)
	d.Deleted = x.deletion(d, n, all, out.Trash)
	d.expire(gone)
	p, ok := d.View.Node(n.Parent)
	if ok = ok && !gone[n.Parent]; gone[d.View.Workspace().Focus] {
		to := mdstore.Root
		if ok {
			to = p.ID
		}
		if err := d.MoveFocus(to); err != nil {
			return nil, err
		}
	}
	if ok && d.Editable(p) == nil {
		edit := d.OnNode(p)
		d.Log(edit, fmt.Sprintf("deleted: %s (%s), nodes: %d", n.ID, n.Title, out.Count))
		edit.Did(view.Change{ID: p.ID, Key: "log", Do: view.Plus, To: "1"})
	}
	return out, nil
}

// trash plans to move the folders of nodes away with all they hold; a folder that also holds nodes that stay, or files
// of nodes that cannot be read, keeps all but the node's file. What hangs below goes first, so that no node is ever
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
	rank := make(map[mdstore.Path]int, len(nodes)) // in a walk, in which those below come later
	for i, n := range nodes {
		rank[n.Path] = i
	}
	slices.SortFunc(nodes, byFolder)
	type leaving struct {
		planned
		rank int // of the topmost node in it
	}
	var all []leaving
	last := mdstore.Path("") // the folder that moved last; what lies in it comes right behind it
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
