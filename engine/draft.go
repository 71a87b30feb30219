package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A draft is a plan in the making: what is to change in each file of a snapshot, collected by meaning and turned into
// one patch for each file at the end. It reads nothing but the snapshot and writes nothing.
type draft struct {
	snap  *Snapshot
	epoch uint64 // of the engine when the snapshot was asked for
	act   Act
	now   time.Time
	id    func(prefix string) (mdstore.ID, error)

	edits   map[mdstore.Path]*edit
	order   []*edit
	extra   []planned                          // new, moved and removed files
	status  map[mdstore.ID]statemachine.Status // statuses as planned
	keep    map[mdstore.Path]mdstore.Version   // files that the plan only read
	adapted []string                           // how texts of new files were changed to fit in
	claims  *ledger                            // as they are; nil where nobody can tell
	turned  mdstore.ID                         // the node that goes on along its life cycle, others being moved along; "" for none
	gone    map[mdstore.ID]bool                // nodes that are deleted
	before  *Snapshot                          // an earlier look, of a repair: what was there then is not taken for gone; nil for none
	note    mdstore.Change                     // of the claims; without a path where they stay as they are
}

// planned is a change of a whole file or folder.
type planned struct {
	change mdstore.Change
	old    []byte // what is removed
	what   string
}

// An edit is what is to change in one existing file.
type edit struct {
	path    mdstore.Path
	doc     *mdoc.Doc
	base    mdstore.Version
	fields  []fieldEdit
	texts   []textEdit
	items   []itemEdit
	touched bool // updatedAt is to follow
	thaws   int  // of a reopened ancestor: which one from below, the nearest being 1
	what    []string

	after   *mdoc.Doc       // set by finish; nil where nothing changes
	becomes mdstore.Version // of after; zero before it is asked for
	adapted []string
}

type fieldEdit struct {
	key   string
	value mdoc.Scalar
}

type textEdit struct{ section, body string }

type itemEdit struct {
	section string
	index   int // of the item to replace or remove; -1 appends
	text    string
	remove  bool
}

func newDraft(s *Snapshot, act Act, opt Options) *draft {
	act.Operator = act.operator()
	return &draft{snap: s, act: act, now: opt.Now().UTC(), id: opt.NewID, edits: map[mdstore.Path]*edit{},
		status: map[mdstore.ID]statemachine.Status{}, keep: map[mdstore.Path]mdstore.Version{}}
}

// writable returns an error where the workspace as a whole takes no changes.
func (d *draft) writable() error {
	w := d.snap.ws
	switch {
	case w.Version.IsZero(): // it could not be read: neither its rules nor its format are known
		return &mdoc.UnreadableError{Problem: w.Problems[0]}
	case w.Newer():
		return AsError(&mdoc.UnreadableError{Problem: newerProblem(w)})
	case w.Status == mdstore.StatusArchived:
		return Fail(WorkspaceArchived, "%s (%s): the workspace is archived; restore it first (workspace_restore, arbor ws restore)", w.ID, w.Name)
	}
	return nil
}

func newerProblem(w *mdstore.Workspace) mdoc.Diagnostic {
	for _, p := range w.Problems {
		if p.Code == mdstore.CodeFormatNewer {
			return p
		}
	}
	return mdoc.Diagnostic{}
}

// node returns a node that is to be changed: it exists, its id is its own, its parent exists, and its file can be edited.
func (d *draft) node(id mdstore.ID) (*mdstore.Node, error) {
	n, err := d.snap.Known(id)
	if err != nil {
		return nil, err
	}
	if err := d.editable(n); err != nil {
		return nil, err
	}
	if err := d.misplaced(n); err != nil {
		return nil, err
	}
	return n, nil
}

// misplaced returns an error for a node whose own parentId is wrong: the parent does not exist, or hangs below the node itself.
func (d *draft) misplaced(n *mdstore.Node) error {
	if n.ID == mdstore.Root {
		return nil
	}
	if _, broken := d.snap.brokenFolder(string(n.Parent)); broken {
		return nil // the damage is not this file's
	}
	if _, ok := d.snap.Node(n.Parent); !ok || d.snap.circular(n) {
		return d.loose(n)
	}
	return nil
}

func (d *draft) editable(n *mdstore.Node) error {
	if same := d.snap.Files(n.ID); len(same) > 1 {
		return duplicate(n.ID, same)
	}
	if err := n.Editable(); err != nil {
		return err
	}
	return nil
}

func duplicate(id mdstore.ID, same []*mdstore.Node) error {
	det := Details{NodeID: string(id)}
	for _, n := range same {
		det.Paths = append(det.Paths, string(n.Path))
	}
	return Fail(DuplicateID, "%s: %d files have this id: %s; give all but one another id, or remove them", id, len(same), strings.Join(det.Paths, ", ")).with(det)
}

// match refuses the plan where the caller has read another version of the file.
func (d *draft) match(p mdstore.Path, v mdstore.Version) error {
	if m := d.act.IfMatch; m != "" && m != v.String() {
		return Fail(Conflicting, "%s: version is %s, not %s: it changed since it was read; read it again", p, v, m).with(Details{Paths: []string{string(p)}})
	}
	return nil
}

// statusOf returns a node's status as planned so far.
func (d *draft) statusOf(n *mdstore.Node) statemachine.Status {
	if s, ok := d.status[n.ID]; ok {
		return s
	}
	return n.Status
}

// relied notes that the plan read a node, so that it is not committed when the node moves on.
func (d *draft) relied(n *mdstore.Node) { d.keep[n.Path] = n.Version() }

func (d *draft) on(p mdstore.Path, v mdstore.Version, doc *mdoc.Doc) *edit {
	e, ok := d.edits[p]
	if !ok {
		e = &edit{path: p, doc: doc, base: v}
		d.edits[p] = e
		d.order = append(d.order, e)
	}
	return e
}

func (d *draft) onNode(n *mdstore.Node) *edit {
	if e, ok := d.edits[n.Path]; ok {
		return e
	}
	doc, v := n.File()
	return d.on(n.Path, v, doc)
}

func (d *draft) onWorkspace() *edit {
	w := d.snap.ws
	return d.on(w.Path, w.Version, w.Doc)
}

// set gives a front matter key another value; a value that it has already changes nothing.
func (e *edit) set(key string, v mdoc.Scalar) {
	if f, ok := e.doc.Field(key); ok && v.Equal(f) {
		e.fields = slices.DeleteFunc(e.fields, func(x fieldEdit) bool { return x.key == key })
		return
	}
	e.touched = true
	for i, x := range e.fields {
		if x.key == key {
			e.fields[i].value = v
			return
		}
	}
	e.fields = append(e.fields, fieldEdit{key, v})
}

// write gives a section another text; the text that it has already changes nothing. It reports whether it will change.
func (e *edit) write(section, body string) bool {
	if nested, _, err := mdoc.Nest(body, 2); err == nil && e.doc.Text(section) == nested {
		return false
	}
	e.texts = append(e.texts, textEdit{section, body})
	e.touched = true
	return true
}

func (e *edit) append(section, item string) {
	e.items = append(e.items, itemEdit{section: section, index: -1, text: item})
	e.touched = true
}

func (e *edit) replace(section string, index int, item string) {
	e.items = append(e.items, itemEdit{section: section, index: index, text: item})
	e.touched = true
}

func (e *edit) remove(section string, index int) {
	e.items = append(e.items, itemEdit{section: section, index: index, remove: true})
	e.touched = true
}

// log adds an entry to a file's log.
func (d *draft) log(e *edit, event string) {
	e.append(mdstore.SecLog, mdstore.FormatLog(d.now.Format(mdstore.TimeLayout), d.act.Operator, event))
}

func (e *edit) did(format string, args ...any) { e.what = append(e.what, fmt.Sprintf(format, args...)) }

// finish turns the collected edits into new documents.
func (d *draft) finish() error {
	for _, e := range d.order {
		if e.touched {
			e.set(mdstore.KeyUpdated, mdoc.Integer(d.now.UnixMilli()))
			if err := e.apply(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *edit) apply() error {
	if err := e.doc.Editable(); err != nil {
		return err
	}
	var ps []mdoc.Patch
	add := func(p mdoc.Patch, err error) error {
		ps = append(ps, p)
		e.adapted = append(e.adapted, p.Adapted...)
		return err
	}
	for _, f := range e.fields {
		if err := add(e.doc.SetField(f.key, f.value)); err != nil {
			return err
		}
	}
	for _, t := range e.texts {
		if err := add(e.doc.SetSection(t.section, t.body)); err != nil {
			return err
		}
	}
	for _, it := range e.items {
		var err error
		switch {
		case it.remove:
			err = add(e.doc.RemoveItem(it.section, it.index))
		case it.index < 0:
			err = add(e.doc.AppendItem(it.section, it.text))
		default:
			err = add(e.doc.ReplaceItem(it.section, it.index, it.text))
		}
		if err != nil {
			return err
		}
	}
	after, err := e.doc.Apply(ps...)
	if err != nil {
		return err
	}
	if !bytes.Equal(after.Bytes(), e.doc.Bytes()) {
		e.after = after
	}
	return nil
}

// changes returns what is to be committed: edits first, then the files that must stay as they were read, then whole files and folders, as what
// moves comes last.
//
// They are made in this order. After each of them the vault is one of which nothing is to be said but what Fix mends, so that nothing is lost if the journal is: of
// ancestors that are reopened the topmost goes first, as nothing may be open below a completed one; then the nodes themselves, then other ancestors, then the workspace.
func (d *draft) changes() []mdstore.Change {
	var out []mdstore.Change
	named := map[mdstore.Path]bool{}
	order := slices.Clone(d.order)
	slices.SortStableFunc(order, func(a, b *edit) int { return cmp.Compare(b.thaws, a.thaws) })
	for _, e := range order {
		if e.after != nil {
			out = append(out, mdstore.Change{Path: e.path, Base: e.base, New: e.after.Bytes()})
			named[e.path] = true
		}
	}
	for _, x := range d.extra {
		named[x.change.Path] = true
	}
	if len(named) == 0 {
		return nil
	}
	if d.note.Path != "" {
		out = append(out, d.note)
	}
	kept := make([]mdstore.Path, 0, len(d.keep))
	for p := range d.keep {
		if !named[p] {
			kept = append(kept, p)
		}
	}
	slices.Sort(kept)
	for _, p := range kept {
		out = append(out, mdstore.Change{Path: p, Base: d.keep[p], Keep: true})
	}
	for _, x := range d.extra {
		out = append(out, x.change)
	}
	return out
}

// moves reports whether a file or folder changes its place, so that the snapshot is to be read anew.
func (d *draft) moves() bool {
	return slices.ContainsFunc(d.extra, func(p planned) bool { return p.change.To != "" && !d.leaves(p.change) })
}

// leaves reports whether a change takes a folder right below nodes/ out of the workspace, with nothing in it but nodes that the snapshot has: it has them no more then, and that is all.
func (d *draft) leaves(c mdstore.Change) bool {
	if !c.To.Under(mdstore.LocalDir) || c.Path.Dir() != d.snap.ws.Dir.Join(mdstore.NodesDir) {
		return false
	}
	for it := d.snap.broken.Iterator(); !it.Done(); {
		if p, _, _ := it.Next(); p.Under(c.Path) {
			return false
		}
	}
	return true
}
