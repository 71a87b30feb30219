package engine

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

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
	if err := d.match(n.Path, n.Version()); err != nil {
		return nil, err
	}
	gone := map[mdstore.ID]bool{}
	var all []*mdstore.Node
	for _, k := range d.snap.Walk(id) {
		gone[k.ID] = true
		all = append(all, k)
		d.relied(k)
	}
	for k := range d.snap.All() { // of files with one id, none can be said to hang here or there
		if same := d.snap.Files(k.ID); len(same) > 1 && (gone[k.ID] || gone[k.Parent]) {
			return nil, duplicate(k.ID, same)
		}
	}
	d.gone = gone
	out := &Deleted{Count: len(gone), Trash: mdstore.TrashPath(d.now.Format("20060102T150405.000")+"-"+string(id), "")}
	d.trash(out.Trash, all)
	d.expire(gone)
	p, ok := d.snap.Node(n.Parent)
	if ok = ok && !gone[n.Parent]; gone[d.snap.ws.Focus] {
		to := mdstore.Root
		if ok {
			to = p.ID
		}
		if err := d.focus(to); err != nil {
			return nil, err
		}
	}
	if ok && d.editable(p) == nil {
		edit := d.onNode(p)
		d.log(edit, fmt.Sprintf("deleted: %s (%s), nodes: %d", n.ID, n.Title, out.Count))
		edit.did("%s log + 1", p.ID)
	}
	return out, nil
}

// trash plans to move the folders of nodes away with all they hold; a folder that also holds nodes that stay, or files of nodes that cannot be read,
// keeps all but the node's file. What hangs below goes first, so that no node is ever without its parent.
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
	for it := d.snap.broken.Iterator(); !it.Done(); {
		p, _, _ := it.Next()
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
		if holds(dir, staying) || dir == d.snap.ws.Dir.Join(mdstore.NodesDir) {
			from = n.Path
			delete(d.keep, n.Path) // a path is named once
		} else {
			last = dir
		}
		all = append(all, leaving{planned{change: mdstore.Change{Path: from, To: to.Join(string(from))}, what: string(n.ID) + " deleted: " + n.Title}, rank[n.Path]})
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

// expire marks the references of other nodes to those that go. A damaged file stays as it is: its reference is then a dangling one, which check reports.
func (d *draft) expire(gone map[mdstore.ID]bool) {
	d.snap.Gather()
	for n := range d.snap.All() {
		if gone[n.ID] || !d.snap.mayRefer(n, gone) || !mentions(n.Doc().Bytes(), gone) || d.editable(n) != nil {
			continue
		}
		for _, r := range n.References() {
			if gone[mdstore.ID(r.Target)] && !r.Expired {
				d.onNode(n).mark(string(n.ID), mdstore.SecReferences, r, true)
			}
		}
	}
}

// mentions spares the parsing of the many files that name none of the ids: it looks at every run of characters that ids are made of.
func mentions(src []byte, ids map[mdstore.ID]bool) bool {
	start := -1
	for i := 0; i <= len(src); i++ {
		if i < len(src) && mdstore.IDByte(src[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && ids[mdstore.ID(src[start:i])] {
			return true
		}
		start = -1
	}
	return false
}
