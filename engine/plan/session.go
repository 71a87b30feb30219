package plan

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// StartSession makes the file of a session.
type StartSession struct {
	ID          string // the caller's, which need not be an id; "" draws one
	Implied     bool   // nobody gave the ID: where a session has it, another one is drawn
	Name        string // "" is the time
	Description string
	Goal        string
	Previous    mdstore.ID // the session that it goes on from; "" for none
	Agent       mdstore.ID // "" for none
	Tags        []string
	First       string // the first line of its log; "" for none
}

// A StartedSession names a session that is made.
type StartedSession struct {
	ID   mdstore.ID
	Path mdstore.Path
	Name string
}

// Plan makes the file. An id that cannot name a folder on every system gives way to a drawn one, and is kept as the session's external
// id.
func (a StartSession) Plan(d *Draft) (*StartedSession, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	p, ok := d.View.Pages().Session(a.ID)
	if ok && a.Implied {
		a.ID = ""
	} else if ok {
		return nil, errs.New(errs.InvalidParams, "%s: there is a session with this id, %s; session_load goes on with it", a.ID, p.Name()).
			With(errs.Details{Param: "sessionId"})
	}
	name := a.Name
	if name == "" {
		name = "Session of " + d.now.Format("2006-01-02 15:04")
	}
	if err := title(errs.InvalidName, "name", name); err != nil {
		return nil, err
	}
	id, external := mdstore.ID(a.ID), ""
	if !portable(id) || taken(d, id) {
		external = a.ID
		var err error
		if id, err = FreshPage(d, mdstore.SessionKind, "session"); err != nil {
			return nil, err
		}
	}
	fields := []mdoc.FieldValue{{Key: mdstore.KeyID, Value: mdoc.Text(string(id))}, {Key: mdstore.KeyName, Value: mdoc.Text(name)}}
	add := func(key, text string) {
		if text != "" {
			fields = append(fields, mdoc.FieldValue{Key: key, Value: mdoc.Text(text)})
		}
	}
	add(mdstore.KeyDescription, a.Description)
	add(mdstore.KeyExternal, external)
	fields = append(fields, mdoc.FieldValue{Key: mdstore.KeyStarted, Value: mdoc.Integer(d.now.UnixMilli())},
		mdoc.FieldValue{Key: mdstore.KeyEnded, Value: mdoc.NullValue()})
	add(mdstore.KeyPrevious, string(a.Previous))
	add(mdstore.KeyAgent, string(a.Agent))
	if len(a.Tags) > 0 {
		fields = append(fields, mdoc.FieldValue{Key: mdstore.KeyTags, Value: mdoc.List(a.Tags...)})
	}
	var sections []mdoc.SectionText
	if strings.TrimSpace(a.Goal) != "" {
		sections = append(sections, mdoc.SectionText{Name: mdstore.SecGoal, Text: a.Goal})
	}
	log := []string{}
	if a.First != "" {
		log = append(log, mdstore.FormatLog(d.now.Format(mdstore.TimeLayout), d.act.Operator, a.First))
	}
	sections = append(sections, mdoc.SectionText{Name: mdstore.SecLog, Items: log})
	file := mdstore.SessionKind.File(mdstore.SessionKind.Folder(d.View.Workspace().Dir).Join(string(id)))
	if err := AddPage(d, mdstore.SessionKind, file, fields, sections, created(id, name)); err != nil {
		return nil, err
	}
	return &StartedSession{ID: id, Path: file, Name: name}, nil
}

// taken reports whether a session has an id that only its letters' case tells apart from this one, or a folder of that name.
func taken(d *Draft, id mdstore.ID) bool {
	return slices.ContainsFunc(d.View.Pages().All(), func(p *mdstore.Page) bool {
		return p.Kind == mdstore.SessionKind && (strings.EqualFold(string(p.ID), string(id)) || strings.EqualFold(p.Path.Dir().Base(), string(id)))
	})
}

// deviceNames are those that no file may have on Windows, whatever follows behind a dot.
var deviceNames = []string{"CON", "PRN", "AUX", "NUL", "COM?", "LPT?"}

// portable reports whether an id can name a folder on every system.
func portable(id mdstore.ID) bool {
	base, _, _ := strings.Cut(strings.ToUpper(string(id)), ".")
	device := func(pattern string) bool {
		ok, _ := path.Match(pattern, base)
		return ok
	}
	return id.Valid() && !strings.HasSuffix(string(id), ".") && !slices.ContainsFunc(deviceNames, device)
}

// EndSession ends a session.
type EndSession struct {
	ID      mdstore.ID
	Summary string
	Focus   mdstore.ID // of the caller; "" for none
	Commit  string     // of git; "" for none
}

// An EndedSession names a session that has ended.
type EndedSession struct {
	ID       mdstore.ID
	External string
	Before   bool // it had ended before
}

// Plan writes the time, how the plan stands, and the summary: as a line of the log, or into the notes where it is too long for one.
func (a EndSession) Plan(d *Draft) (*EndedSession, error) {
	p, err := sessionFile(d, a.ID)
	if err != nil {
		return nil, err
	}
	out := &EndedSession{ID: p.ID, External: p.Field(mdstore.KeyExternal), Before: p.Field(mdstore.KeyEnded) != ""}
	if out.Before {
		return out, nil
	}
	if err := d.View.Unread(); err != nil { // how the plan stands is not known
		return nil, err
	}
	e := OnPage(d, p)
	e.Set(mdstore.KeyEnded, mdoc.Integer(d.now.UnixMilli()))
	e.SetList(mdstore.KeyPlan, view.Mark(d.View, a.Focus))
	if a.Commit != "" {
		e.Set(mdstore.KeyCommit, mdoc.Text(a.Commit))
	}
	e.Did("session %s ended", p.ID)
	switch summary := strings.TrimSpace(a.Summary); {
	case summary == "":
	case len(summary) > mdstore.MaxEvent:
		e.write(mdstore.SecNotes, strings.TrimSpace(p.Doc().Text(mdstore.SecNotes)+"\n\n"+summary))
	default:
		Trace(d, p, TraceNote, summary)
	}
	return out, nil
}

// NoteSession adds a line that somebody gives to the trace of a session.
type NoteSession struct {
	ID    mdstore.ID
	Type  string // "" is a note
	Text  string
	Files []string
}

// traceTypes are the types that a caller can give.
var traceTypes = regexp.MustCompile(`^[\pL\pN_.-]{1,40}$`)

// Plan adds the line.
func (a NoteSession) Plan(d *Draft) (None, error) {
	p, err := sessionFile(d, a.ID)
	if err != nil {
		return None{}, err
	}
	kind := cmp.Or(a.Type, TraceNote)
	if !traceTypes.MatchString(kind) {
		return None{}, errs.New(errs.InvalidParams, "type %q: a word of at most 40 letters, digits, '.', '_' and '-' is a type", kind).
			With(errs.Details{Param: "type"})
	}
	files := strings.Join(a.Files, ", ")
	if len(a.Text) > mdstore.MaxEvent {
		return None{}, errs.New(errs.InvalidContent, "session %s: the text has %d bytes; at most %d are allowed in one line of a trace",
			p.ID, len(a.Text), mdstore.MaxEvent).With(errs.Details{Param: "text"})
	}
	if err := loggable("session "+string(p.ID), "text", a.Text); err != nil {
		return None{}, err
	}
	if err := oneLine("files", files, mdstore.MaxEvent); err != nil {
		return None{}, err
	}
	Trace(d, p, kind, a.Text, [2]string{"files", files})
	OnPage(d, p).Did("session %s log + 1", p.ID)
	return None{}, nil
}

// sessionFile returns a session whose file takes edits.
func sessionFile(d *Draft, id mdstore.ID) (*mdstore.Page, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	p, ok := d.View.Pages().Get(mdstore.SessionKind, id)
	if !ok {
		return nil, errs.New(errs.SessionNotFound, "%s: the session is gone from workspace %s", id, d.View.Workspace().ID)
	}
	return p, p.Editable()
}

// ResumeSession takes a session up: one that is open goes on, and from one that has ended a new one does.
type ResumeSession struct{ ID mdstore.ID }

// Plan starts the session that goes on, if one is to.
func (a ResumeSession) Plan(d *Draft) (*StartedSession, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	p, ok := d.View.Pages().Get(mdstore.SessionKind, a.ID)
	if !ok {
		return nil, errs.New(errs.SessionNotFound, "%s: the session is gone from workspace %s", a.ID, d.View.Workspace().ID)
	}
	if p.Field(mdstore.KeyEnded) == "" {
		return &StartedSession{ID: p.ID, Path: p.Path, Name: p.Name()}, nil
	}
	return StartSession{Name: p.Name(), Description: p.Field(mdstore.KeyDescription), Goal: strings.TrimSpace(p.Doc().Text(mdstore.SecGoal)),
		Previous: p.ID, Agent: mdstore.ID(p.Field(mdstore.KeyAgent)), Tags: p.List(mdstore.KeyTags)}.Plan(d)
}
