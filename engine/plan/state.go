package plan

import (
	"cmp"

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

// Plan makes the file, with how the plan and the briefing stand, and one line in the log of the session, where that has a file.
func (x SaveState) Plan(d *Draft) (mdstore.ID, error) {
	if err := d.Writable(); err != nil {
		return "", err
	}
	if err := title(errs.InvalidName, "name", x.Name); err != nil {
		return "", err
	}
	id, err := FreshPage(d, mdstore.StateKind, "state")
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
	var fields []mdoc.FieldValue
	add := func(key string, v mdoc.Scalar, given bool) {
		if given {
			fields = append(fields, mdoc.FieldValue{Key: key, Value: v})
		}
	}
	mark := view.Mark(d.View, x.Node)
	add(mdstore.KeyID, mdoc.Text(string(id)), true)
	add(mdstore.KeyName, mdoc.Text(x.Name), true)
	add(mdstore.KeyDescription, mdoc.Text(x.Description), x.Description != "")
	add(mdstore.KeySession, mdoc.Text(x.Session), x.Session != "")
	add(mdstore.KeyCreated, mdoc.Integer(d.now.UnixMilli()), true)
	add(mdstore.KeyTags, mdoc.List(x.Tags...), len(x.Tags) > 0)
	add(mdstore.KeyNode, mdoc.Text(string(x.Node)), x.Node != "")
	add(mdstore.KeyCommit, mdoc.Text(x.Commit), x.Commit != "")
	add(mdstore.KeyPlan, mdoc.List(mark...), len(mark) > 0)
	file := mdstore.StateKind.Folder(d.View.Workspace().Dir).Join(string(id) + ".md")
	if err := AddPage(d, mdstore.StateKind, file, fields, x.Sections(), created(id, x.Name)); err != nil {
		return "", err
	}
	if traced && session.Field(mdstore.KeyEnded) == "" {
		Trace(d, session, "state_saved", x.Name+" ("+string(id)+")")
		OnPage(d, session).spare = true
	}
	return id, nil
}

// UpdateState changes what can be changed of a state; nil leaves one as it is.
type UpdateState struct {
	State             mdstore.ID
	Name, Description *string
	Tags              []string // all of them; nil leaves them
}

// Plan plans the change.
func (x UpdateState) Plan(d *Draft) (None, error) {
	p, err := statePage(d, x.State)
	if err != nil {
		return None{}, err
	}
	if err := p.Editable(); err != nil {
		return None{}, err
	}
	edit := OnPage(d, p)
	if x.Name != nil && *x.Name != p.Field(mdstore.KeyName) {
		if err := title(errs.InvalidName, "name", *x.Name); err != nil {
			return None{}, err
		}
		edit.Set(mdstore.KeyName, mdoc.Text(*x.Name))
		edit.Did("%s name %s → %s", p.ID, p.Name(), *x.Name)
	}
	if x.Description != nil && *x.Description != p.Field(mdstore.KeyDescription) {
		edit.Set(mdstore.KeyDescription, mdoc.Text(*x.Description))
		edit.Did("%s description", p.ID)
	}
	if x.Tags != nil {
		edit.SetList(mdstore.KeyTags, x.Tags)
		edit.Did("%s tags", p.ID)
	}
	return None{}, nil
}

// DeleteState moves a state's file to the trash. Its result is where the file is then.
type DeleteState struct{ State mdstore.ID }

// Plan plans the deletion.
func (x DeleteState) Plan(d *Draft) (mdstore.Path, error) {
	p, err := statePage(d, x.State)
	if err != nil {
		return "", err
	}
	trash := mdstore.TrashPath(mdstore.TrashStamp(d.now, string(p.ID)), "")
	d.whole(mdstore.Change{Path: p.Path, Base: p.Version(), To: trash.Join(string(p.Path))}, string(p.ID)+" deleted: "+p.Name())
	return trash, nil
}

// statePage returns a state that is to be changed, in the version that the caller has read.
func statePage(d *Draft, id mdstore.ID) (*mdstore.Page, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	var all []*mdstore.Page
	det := errs.Details{}
	for _, p := range d.View.Pages().Of(mdstore.StateKind) {
		if p.ID == id {
			all, det.Paths = append(all, p), append(det.Paths, string(p.Path))
		}
	}
	switch len(all) {
	case 0:
		return nil, errs.New(errs.StateNotFound, "%s: no such state; state_list (arbor state list) shows those there are", id)
	case 1:
		return all[0], d.match(all[0].Path, all[0].Version())
	}
	return nil, errs.New(errs.DuplicateID, "%s: %d files have this id: %v; give all but one another id, or remove them", id, len(all), det.Paths).With(det)
}

// ContinueState starts a session that goes on from a state.
type ContinueState struct {
	State mdstore.ID
	ID    string // of the session; where it is "" or a session's already, one is drawn
	Goal  string // "" is the state's active task
}

// A Continued names the session that is started.
type Continued struct {
	ID   mdstore.ID
	Node mdstore.ID // the state's, where it is still there; "" for none
}

// Plan makes the session's file, with a line in its log that says which state it goes on from.
func (x ContinueState) Plan(d *Draft) (*Continued, error) {
	p, err := statePage(d, x.State)
	if err != nil {
		return nil, err
	}
	name, previous := p.Name(), p.Field(mdstore.KeySession)
	if title(errs.InvalidName, "name", name) != nil { // as a person may write one
		name = string(p.ID)
	}
	if s, ok := d.View.Pages().Session(previous); ok {
		previous = string(s.ID)
	}
	start := StartSession{ID: x.ID, Implied: true, Name: name, Goal: cmp.Or(x.Goal, mdstore.StateOf(p).ActiveTask), Previous: mdstore.ID(previous),
		First: "state_restored: " + name + " (" + string(p.ID) + ")"}
	s, err := start.Plan(d)
	if err != nil {
		return nil, err
	}
	out := &Continued{ID: s.ID}
	if n, ok := d.View.Node(mdstore.ID(p.Field(mdstore.KeyNode))); ok {
		out.Node = n.ID
	}
	return out, nil
}
