package plan

import (
	"cmp"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// SaveState makes the file of a state.
type SaveState struct {
	Name        string
	Description string
	Session     string // of the caller; "" for none
	Tags        []string
	Node        mdstore.ID // the focus; "" for none
	Commit      string     // of git; "" for none
	mdstore.State
}

// Plan makes the file, with the state of the plan and the briefing, and one line in the log of the session, if it has a
// file.
func (x SaveState) Plan(d *Draft) (mdstore.ID, error) {
	if err := d.Writable(); err != nil {
		return "", err
	}
	if err := d.View.Unread(); err != nil { // the state of the plan is unknown
		return "", err
	}
	if err := title(errs.InvalidName, "name", x.Name); err != nil {
		return "", err
	}
	id, err := freshPage(d, mdstore.StateKind, "state")
	if err != nil {
		return "", err
	}
	if x.Workspace, err = mdstore.BriefingText(d.View.Workspace()); err != nil {
		return "", err
	}
	session, traced := d.View.Pages().Session(x.Session)
	if traced {
		x.Session = string(session.ID)
	}
	var f front
	f.text(mdstore.KeyID, string(id))
	f.text(mdstore.KeyName, x.Name)
	f.text(mdstore.KeyDescription, x.Description)
	f.text(mdstore.KeySession, x.Session)
	f.put(mdstore.KeyCreated, mdoc.Integer(d.now.UnixMilli()))
	f.list(mdstore.KeyTags, x.Tags)
	if n, ok := d.View.Node(x.Node); ok {
		d.Settle(n)
	}
	f.text(mdstore.KeyNode, string(x.Node))
	f.text(mdstore.KeyCommit, x.Commit)
	x.Mark = view.Mark(d.View, x.Node)
	file := mdstore.StateKind.FileFor(mdstore.StateKind.Folder(d.View.Workspace().Dir), string(id))
	if err := addPage(d, mdstore.StateKind, file, f, x.Sections(), created(id, x.Name)); err != nil {
		return "", err
	}
	if traced && view.SessionEnded(session, d.now) == 0 {
		trace(d, session, TraceSaved, x.Name+" ("+string(id)+")")
		OnPage(d, session).spare = true
	}
	return id, nil
}

// A StateDone says which state a plan was about.
type StateDone struct {
	ID     mdstore.ID
	Others int          // further states of the name that it was called by
	Trash  mdstore.Path // the path in the trash, after a deletion
}

// UpdateState changes a state's name, description and tags; nil keeps a value.
type UpdateState struct {
	State             string // its id or name
	Name, Description *string
	Tags              []string // all of them; nil leaves them
}

// Plan plans the change.
func (x UpdateState) Plan(d *Draft) (*StateDone, error) {
	p, out, err := statePage(d, x.State)
	if err != nil {
		return nil, err
	}
	edit := OnPage(d, p)
	if x.Name != nil {
		err = title(errs.InvalidName, "name", *x.Name)
	}
	edit.setText(p, mdstore.KeyName, x.Name)
	edit.setText(p, mdstore.KeyDescription, x.Description)
	edit.setItems(p, mdstore.KeyTags, x.Tags)
	return out, err
}

// DeleteState moves the file of a state, named by its id or name, to the trash.
type DeleteState struct{ State string }

// Plan plans the deletion.
func (x DeleteState) Plan(d *Draft) (*StateDone, error) {
	p, out, err := statePage(d, x.State)
	if err != nil {
		return nil, err
	}
	out.Trash = mdstore.TrashPath(mdstore.TrashStamp(d.now, string(p.ID)), "")
	d.whole(mdstore.Change{Path: p.Path, To: out.Trash.Join(string(p.Path))}, view.Change{ID: p.ID, Do: view.Deleted, Name: p.Name()})
	return out, nil
}

// statePage returns the state that ref names, in the version that the caller has read. Its id is its own.
func statePage(d *Draft, ref string) (*mdstore.Page, *StateDone, error) {
	if err := d.Writable(); err != nil {
		return nil, nil, err
	}
	p, others, err := d.View.Pages().Resolve(mdstore.StateKind, ref, errs.StateNotFound)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range d.View.Pages().Of(mdstore.StateKind) {
		if o.ID == p.ID && o.Path != p.Path {
			return nil, nil, errs.New(errs.DuplicateID, "%s: %s and %s have this id; give one of them another id, or remove the copy", p.ID, p.Path, o.Path).
				With(errs.Details{Paths: []string{string(p.Path), string(o.Path)}})
		}
	}
	return p, &StateDone{ID: p.ID, Others: others}, d.match(p.Path, p.Version())
}

// ContinueState starts a session that continues from a state, or continues an earlier one of that state that has no
// other work.
type ContinueState struct {
	State  string
	ID     string                           // the id of the new session; if it is "" or in use, the plan draws one
	Goal   string                           // "" is the state's active task
	Leaves EndSession                       // the caller's session until then, which ends; without an ID for none
	Free   func(session *mdstore.Page) bool // whether nobody else has a session
}

// Plan makes the session's file, with a line in its log that says which state it goes on from. The focus is the state's
// node, if it still exists.
func (x ContinueState) Plan(d *Draft) (*StartedSession, error) {
	p, _, err := statePage(d, x.State)
	if err == nil {
		err = d.View.Unread() // the file may be of the node for the focus
	}
	if err != nil {
		return nil, err
	}
	name, previous := p.Name(), p.Field(mdstore.KeySession)
	if title(errs.InvalidName, "name", name) != nil { // a person may have written an invalid one
		name = string(p.ID)
	}
	if s, ok := d.View.Pages().Session(previous); ok {
		previous = string(s.ID)
	}
	restored := TraceRestored + ": " + name + " (" + string(p.ID) + ")"
	out := x.begun(d, restored)
	if out == nil {
		out, err = x.start(d, p, name, previous, restored)
	}
	if n, ok := d.View.Node(mdstore.ID(p.Field(mdstore.KeyNode))); ok && err == nil {
		out.Node = n.ID
	}
	if err != nil || x.Leaves.ID == "" || x.Leaves.ID == out.ID {
		return out, err
	}
	_, err = x.Leaves.Plan(d)
	return out, err
}

// begun returns an open session that continued from the state and has no other work, or nil.
func (x ContinueState) begun(d *Draft, restored string) *StartedSession {
	for _, p := range d.View.Pages().Newest(mdstore.SessionKind) {
		if p.Editable() != nil || view.SessionEnded(p, d.now) != 0 || !x.Free(p) {
			continue
		}
		work := func(l mdstore.LogEntry) bool {
			return l.Event != restored && !strings.HasPrefix(l.Event, TraceCall+": state_")
		}
		if log := d.View.Pages().Log(p); len(log) > 0 && !slices.ContainsFunc(log, work) {
			return &StartedSession{ID: p.ID, Name: p.Name()}
		}
	}
	return nil
}

func (x ContinueState) start(d *Draft, p *mdstore.Page, name, previous, restored string) (*StartedSession, error) {
	return StartSession{
		ID: x.ID, Implied: true, Name: name, Previous: mdstore.ID(previous),
		Goal:  cmp.Or(x.Goal, mdstore.StateOf(p).ActiveTask, p.Name()),
		First: restored,
	}.Plan(d)
}
