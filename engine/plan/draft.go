// Package plan computes what each operation changes: pure functions from a view to the changes of a commit. A dry run
// ends after it.
package plan

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// An Operation is a change of one workspace, as a value with its arguments. Plan puts what is to change into a draft
// and returns the operation's result. It may be called more than once, each time with a fresh draft.
type Operation[R any] interface {
	Plan(d *Draft) (R, error)
}

// None is the result of an operation that has none.
type None struct{}

// An Act says who does something and how.
type Act struct {
	Operator string // for log lines: "AI" or "Human"; empty is AI
	DryRun   bool   // plan only
	Person   bool   // a person does it, in a way open only to people: only then can a log entry be an answer
	IfMatch  string // if not empty: the version that the file concerned must have
	Session  string // the session whose claims count and whose trace gets a line; "" for none
	Trace    string // the line for the trace; "" writes none
	Who      string // the person, or "person/assistant", by whose token it is done; "" for none
}

// By returns the operator.
func (a Act) By() string { return cmp.Or(a.Operator, mdstore.OperatorAI) }

// A Draft is a plan in the making: what is to change in each file of a view, collected by meaning and turned into one
// patch for each file at the end. It reads nothing but the view and writes nothing.
type Draft struct {
	View *view.View
	act  Act
	now  time.Time
	opt  Options

	edits    map[mdstore.Path]*Edit
	order    []*Edit
	extra    []planned                          // new, moved and removed files
	status   map[mdstore.ID]statemachine.Status // statuses as planned
	placed   map[mdstore.ID]*mdstore.Node       // nodes that the plan moves, with their parents and orders as planned
	keep     map[mdstore.Path]mdstore.Version   // files that the plan only read
	drawn    []mdstore.ID                       // of new nodes
	criteria map[mdstore.ID][]mdstore.Criterion // of nodes that go on, as planned
	asking   bool                               // only whether guards pass matters, not why
	archived Archived                           // what completed nodes have added to the workspace so far
	adapted  []string                           // how texts of new files were changed to fit in

	warnings []string // warnings: the change is made, and the caller should know this

	Advanced map[mdstore.ID]bool // the nodes whose status the operation itself changes, not only as a consequence
	Gone     map[mdstore.ID]bool // nodes that are deleted
	Deleted  []*Deletion         // the deletions to note in the trash
	Moved    map[mdstore.ID]bool // nodes whose conclusion goes into their log
	AllRules bool                // the rules are replaced as a whole
	Relied   []Text              // texts that the plan depends on as the caller knows them
	Before   *view.View          // for a repair: an earlier view; a node in it does not count as missing; nil for none

	MayCycle bool // a repair: it may close a cycle among dependencies, which people must resolve

	Parents map[mdstore.ID]mdstore.ID // for a repair: the parents that nodes had before a merge; nil if unknown
}

// Options are the dependencies of a draft.
type Options struct {
	Now          time.Time
	NewID        func(prefix string) (mdstore.ID, error)
	TitleFolders bool // folders of new nodes are named by titles
	Untimed      bool // updatedAt stays unchanged
	Names        bool // entries of logs begin with the name of the person by whose token they are made

	Criteria func() string // the setting plan.criteria; nil: it has none

	// Claimed returns an error for a node that another session has claimed, or a text about the claim for the caller;
	// nil: no node is claimed.
	Claimed func(*mdstore.Node) (told string, err error)
}

// planned is a change of a whole file or folder with its description.
type planned struct {
	change mdstore.Change
	what   []view.Change
	old    []byte // the file's present bytes, if the outcome shows them; nil if the file is new or unknown
	first  bool   // it is made before the edits
	quiet  bool   // nobody is told of it
}

// whole adds a change of a whole file or folder.
func (d *Draft) whole(c mdstore.Change, what ...view.Change) {
	d.extra = append(d.extra, planned{change: c, what: what})
}

// Besides adds a change of a file outside of the workspace. old has the file's present bytes, nil for a new file.
func Besides(d *Draft, c mdstore.Change, old []byte, what view.Change) {
	d.extra = append(d.extra, planned{change: c, what: []view.Change{what}, old: old})
}

// New returns an empty draft over a view.
func New(v *view.View, act Act, opt Options) *Draft {
	act.Operator = act.By()
	if opt.Criteria == nil {
		opt.Criteria = func() string { return AskSection }
	}
	if opt.Claimed == nil {
		opt.Claimed = func(*mdstore.Node) (string, error) { return "", nil }
	}
	return &Draft{View: v, act: act, now: opt.Now.UTC(), opt: opt, edits: map[mdstore.Path]*Edit{},
		status: map[mdstore.ID]statemachine.Status{}, placed: map[mdstore.ID]*mdstore.Node{},
		criteria: map[mdstore.ID][]mdstore.Criterion{},
		Moved:    map[mdstore.ID]bool{}, Advanced: map[mdstore.ID]bool{}, keep: map[mdstore.Path]mdstore.Version{}}
}

// Writable returns an error if the workspace as a whole takes no changes.
func (d *Draft) Writable() error {
	switch w := d.View.Workspace(); {
	case w.Version.IsZero(): // it could not be read: neither its rules nor its format are known
		return &mdoc.UnreadableError{Problem: w.Problems[0]}
	case w.Newer():
		return errs.As(&mdoc.UnreadableError{Problem: NewerProblem(w)})
	case w.Status == mdstore.StatusArchived:
		return errs.New(errs.WorkspaceArchived, "%s (%s): the workspace is archived; restore it first "+
			"({workspace_restore})", w.ID, w.Name)
	}
	return nil
}

// NewerProblem returns the problem of a workspace of a newer format.
func NewerProblem(w *mdstore.Workspace) mdoc.Diagnostic {
	for _, p := range w.Problems {
		if p.Code == mdstore.CodeFormatNewer {
			return p
		}
	}
	return mdoc.Diagnostic{}
}

// misplaced returns an error for a node whose own parentId is wrong: the parent does not exist, or hangs below the node
// itself.
func (d *Draft) misplaced(n *mdstore.Node) error {
	if n.ID == mdstore.Root {
		return nil
	}
	if _, broken := d.View.BrokenFolder(string(n.Parent)); broken {
		return nil // the damage is not this file's
	}
	if _, ok := d.View.Node(n.Parent); !ok || d.View.Circular(n) {
		return d.loose(n)
	}
	return nil
}

// Editable returns an error for a node whose id is not its own, or whose file takes no edits.
func (d *Draft) Editable(n *mdstore.Node) error {
	if err := d.unique(n.ID); err != nil {
		return err
	}
	return n.Editable()
}

// unique returns an error if several files have the id.
func (d *Draft) unique(id mdstore.ID) error {
	same := d.View.Files(id)
	if len(same) < 2 {
		return nil
	}
	det := errs.Details{NodeID: string(id)}
	for _, n := range same {
		det.Paths = append(det.Paths, string(n.Path))
	}
	return errs.New(errs.DuplicateID, "%s: %d files have this id: %s; give all but one another id, or remove them", id, len(same), strings.Join(det.Paths, ", ")).With(det)
}

// match refuses the plan if the caller has read another version of the file.
func (d *Draft) match(p mdstore.Path, v mdstore.Version) error {
	if m := d.act.IfMatch; m != "" && m != v.String() {
		return errs.New(errs.Conflicting, "%s: version is %s, not %s: it changed since it was read; read it again", p, v, m).With(errs.Details{Paths: []string{string(p)}})
	}
	return nil
}

// StatusOf returns a node's status as planned so far.
func (d *Draft) StatusOf(n *mdstore.Node) statemachine.Status {
	if s, ok := d.status[n.ID]; ok {
		return s
	}
	return n.Status
}

// Rely notes that the plan read a node, so that it is not committed when the node moves on.
func (d *Draft) Rely(n *mdstore.Node) { d.keep[n.Path] = n.Version() }

// Finish turns the collected edits into new documents.
func (d *Draft) Finish() error {
	for i := 0; i < len(d.order); i++ { // Settle may add to them
		if e := d.order[i]; e.touched && e.node != nil && e.node.Gaps().Parent {
			if up, ok := d.View.Node(e.node.Parent); ok {
				d.Settle(up) // the file will name it
			}
		}
	}
	for _, e := range d.order {
		if e.touched {
			e.settle()
			if e.dated() && !d.opt.Untimed {
				e.Set(mdstore.KeyUpdated, mdstore.TimeIn(e.doc, mdstore.KeyUpdated, d.now.UnixMilli()))
			}
			err := e.apply()
			if e.spare && err != nil {
				d.warn("%s: the trace of the session has no line of this: %v", e.path, err)
			} else if err != nil {
				return err
			} else {
				splitLog(d, e)
			}
		}
	}
	return nil
}

// Changes returns the changes to commit: those that must be first, then edits, then the files that must stay as they
// were read, then whole files and folders, because moves come last.
//
// They are made in this order. After each of them, check finds nothing that check --fix cannot repair, so that nothing
// is lost if the journal is. Therefore reopened ancestors come first, the topmost before the others, because nothing
// may be open below a completed node; then the nodes themselves, then other ancestors, then the workspace.
func (d *Draft) Changes() []mdstore.Change {
	var out []mdstore.Change
	named := map[mdstore.Path]bool{}
	for _, x := range d.extra {
		if x.first {
			out = append(out, x.change)
		}
	}
	order := slices.Clone(d.order)
	slices.SortStableFunc(order, func(a, b *Edit) int { return cmp.Compare(b.thaws, a.thaws) })
	for _, e := range order {
		if e.after != nil {
			out = append(out, mdstore.Change{Path: e.path, Base: e.base, New: mdstore.Stored(e.path, e.after.Bytes())})
			named[e.path] = true
		}
	}
	for _, x := range d.extra {
		named[x.change.Path] = true
	}
	if len(named) == 0 {
		return nil
	}
	for _, p := range slices.Sorted(maps.Keys(d.keep)) {
		if !named[p] {
			out = append(out, mdstore.Change{Path: p, Base: d.keep[p], Keep: true})
		}
	}
	for _, x := range d.extra {
		if !x.first {
			out = append(out, x.change)
		}
	}
	return out
}

// Touched returns the files that the plan edits or relies on, in the order of paths.
func (d *Draft) Touched() []mdstore.Path {
	out := slices.Collect(maps.Keys(d.keep))
	for _, e := range d.order {
		if e.touched {
			out = append(out, e.path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// written returns the files of the plan, that is of the workspace and its nodes, which the changes write.
func (d *Draft) written() (files []mdstore.File) {
	for _, c := range d.Changes() {
		k := mdstore.AllKinds().Of(c.Path)
		if c.Keep || c.To != "" || c.New == nil || k != mdstore.NodeKind && c.Path != d.View.Workspace().Path {
			continue
		}
		f := mdstore.File{Path: c.Path, Data: c.New, Version: mdstore.VersionOf(c.New)}
		if e := d.edits[c.Path]; e != nil {
			f.Doc = e.after
		}
		files = append(files, f)
	}
	return files
}

// Left returns the files of the workspace as the changes leave them, for the next view; ok is false if the changes also
// move files or folders in a way that a view cannot follow, so that it must be read anew.
func (d *Draft) Left() (files []mdstore.File, ok bool) {
	ok = true
	dir, docs := d.View.Workspace().Dir, map[mdstore.Path]*mdoc.Doc{}
	for _, e := range d.order {
		docs[e.path] = e.after
	}
	for _, c := range d.Changes() {
		switch {
		case c.Keep:
		case c.To != "":
			if _, page := d.View.Pages().At(c.Path); page && c.To.Under(mdstore.LocalDir) {
				files = append(files, mdstore.File{Path: c.Path})
				continue
			}
			if !d.leaves(c) {
				ok = false
				continue
			}
			for n := range d.View.Under(c.Path) {
				files = append(files, mdstore.File{Path: n.Path})
			}
		case c.Path.Under(dir) && mdstore.AllKinds().Of(c.Path) != nil:
			f := mdstore.File{Path: c.Path, Data: c.New, Doc: docs[c.Path]}
			if c.New != nil {
				f.Version = mdstore.VersionOf(c.New)
			}
			files = append(files, f)
		}
	}
	return files, ok
}

// leaves reports whether a change takes a folder right below nodes/ to the trash with nothing in it but nodes that the
// view has.
func (d *Draft) leaves(c mdstore.Change) bool {
	if !c.To.Under(mdstore.LocalDir) || c.Path.Dir() != mdstore.NodeKind.Folder(d.View.Workspace().Dir) {
		return false
	}
	for p := range d.View.Broken() {
		if p.Under(c.Path) {
			return false
		}
	}
	return true
}
