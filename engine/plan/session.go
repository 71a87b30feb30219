package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
)

// StartSession makes the file of a session.
type StartSession struct {
	ID          string // the caller's, which need not be an id; "" draws one
	Implied     bool   // the caller did not choose ID: draw another one if a session has it
	Name        string // "" is the time
	Description string
	Goal        string
	Previous    mdstore.ID // the session that it goes on from; "" for none
	Agent       mdstore.ID // "" for none
	Tags        []string
	External    string // what the caller calls it, where ID is ""; "" for none
	First       string // the first line of its log; "" for none
}

// A StartedSession names the session that is started or taken up.
type StartedSession struct {
	ID   mdstore.ID
	Name string
	Node mdstore.ID // the caller's new focus; "" keeps the present one
}

// Plan makes the file. If an id cannot name a folder on every system, the plan draws another and keeps the given one as
// the session's external id.
func (a StartSession) Plan(d *Draft) (*StartedSession, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	p, ok := d.View.Pages().Session(a.ID)
	if ok && a.Implied {
		a.ID = ""
	} else if ok {
		return nil, errs.New(errs.InvalidParams, "%s: there is a session with this id, %s; {session_load} goes on "+
			"with it", a.ID, p.Name()).
			With(errs.Details{Param: "sessionId"})
	}
	name := cmp.Or(a.Name, "Session of "+d.now.Format("2006-01-02 15:04"))
	if err := title(errs.InvalidName, "name", name); err != nil {
		return nil, err
	}
	id := mdstore.ID(a.ID)
	if !portable(id) || taken(d, id) {
		a.External = cmp.Or(a.ID, a.External)
		var err error
		if id, err = freshPage(d, mdstore.SessionKind, "session"); err != nil {
			return nil, err
		}
	}
	a.Name = name
	file := sessionPath(d.View.Workspace().Dir, id)
	fields, sections := a.content(id, d.now, d.act.Operator)
	return &StartedSession{ID: id, Name: name}, addPage(d, mdstore.SessionKind, file, fields, sections, created(id, name))
}

// sessionPath returns the path of a new session's file in the folder of a workspace.
func sessionPath(workspace mdstore.Path, id mdstore.ID) mdstore.Path {
	return mdstore.SessionKind.File(mdstore.SessionKind.Folder(workspace).Join(string(id)))
}

// content returns the front matter and the sections of the file.
func (a StartSession) content(id mdstore.ID, now time.Time, operator string) (f front, sections []mdoc.SectionText) {
	f.text(mdstore.KeyID, string(id))
	f.text(mdstore.KeyName, a.Name)
	f.text(mdstore.KeyDescription, a.Description)
	f.text(mdstore.KeyExternal, a.External)
	f.put(mdstore.KeyStarted, mdoc.Integer(now.UnixMilli()))
	f.put(mdstore.KeyEnded, mdoc.NullValue())
	f.text(mdstore.KeyPrevious, string(a.Previous))
	f.text(mdstore.KeyAgent, string(a.Agent))
	f.list(mdstore.KeyTags, a.Tags)
	log := mdoc.SectionText{Name: mdstore.SecLog, Items: []string{}}
	if a.First != "" {
		log.Items = append(log.Items, mdstore.FormatLog(now.Format(mdstore.TimeLayout), operator, a.First))
	}
	if strings.TrimSpace(a.Goal) != "" {
		sections = append(sections, mdoc.SectionText{Name: mdstore.SecGoal, Text: a.Goal})
	}
	return f, append(sections, log)
}

// taken reports whether a session has this id in any case of letters, or whether there is a folder of this name.
func taken(d *Draft, id mdstore.ID) bool {
	same := func(name string) bool { return strings.EqualFold(name, string(id)) }
	return slices.ContainsFunc(d.View.Pages().Of(mdstore.SessionKind), func(p *mdstore.Page) bool {
		return same(string(p.ID)) || same(p.Path.Dir().Base())
	})
}

// device are the names that no file may have on Windows, whatever follows behind a dot.
var device = pattern.Of(`(?i)^(CON|PRN|AUX|NUL|COM.|LPT.)(\.|$)`)

// portable reports whether an id can name a folder on every system.
func portable(id mdstore.ID) bool {
	return id.Valid() && !strings.HasSuffix(string(id), ".") && !device().MatchString(string(id))
}

// EndSession ends a session.
type EndSession struct {
	ID      mdstore.ID
	Summary string
	Focus   mdstore.ID // of the caller; "" for none
	Commit  string     // of git; "" for none
}

// Plan writes the time, the state of the plan and the summary: into the log, or into the notes if it is too long for a
// line. A session that has ended is not changed.
func (a EndSession) Plan(d *Draft) (None, error) {
	p, err := sessionFile(d, a.ID)
	if err != nil || p.Field(mdstore.KeyEnded) != "" {
		return None{}, err
	}
	if err := d.View.Unread(); err != nil { // the state of the plan is unknown
		return None{}, err
	}
	e := OnPage(d, p)
	e.Set(mdstore.KeyEnded, mdoc.Integer(d.now.UnixMilli()))
	for _, fact := range view.Mark(d.View, a.Focus) {
		e.append(mdstore.SecPlanMark, fact)
	}
	if a.Commit != "" {
		e.Set(mdstore.KeyCommit, mdoc.Text(a.Commit))
	}
	e.Did(view.Change{ID: p.ID, Do: "ended", Name: p.Name()})
	switch summary := strings.TrimSpace(a.Summary); {
	case summary == "":
	case len(summary) > mdstore.MaxEvent:
		e.write(mdstore.SecNotes, strings.TrimSpace(p.Doc().Text(mdstore.SecNotes)+"\n\n"+summary))
	default:
		trace(d, p, TraceNote, summary)
	}
	return None{}, nil
}

// NoteSession adds a line of the caller to a session's trace.
type NoteSession struct {
	ID     mdstore.ID
	Type   string // "" is a note
	Text   string
	Tool   string // which tool it was
	Files  []string
	Result string // what came of it
}

// traceTypes are the types that a caller can give, whose letters are counted besides.
var traceTypes = pattern.Of(`^[\pL\pN_.-]+$`)

const traceTypeMost = 40

// Plan adds the line.
func (a NoteSession) Plan(d *Draft) (None, error) {
	p, err := sessionFile(d, a.ID)
	if err != nil {
		return None{}, err
	}
	if view.SessionEnded(p, d.now) != 0 {
		return None{}, errs.New(errs.SessionNotFound, "%s: the session has ended, and takes no notes; {session_load} "+
			"starts one that continues from it", p.ID).With(errs.Details{Param: "sessionId"})
	}
	kind := cmp.Or(a.Type, TraceNote)
	if !traceTypes().MatchString(kind) || utf8.RuneCountInString(kind) > traceTypeMost {
		return None{}, errs.New(errs.InvalidParams, "type %q: a word of at most %d letters, digits, '.', '_' and '-' is a type", kind, traceTypeMost).
			With(errs.Details{Param: "type"})
	}
	if len(a.Text) > mdstore.MaxEvent {
		return None{}, errs.New(errs.InvalidContent, "session %s: the text has %d bytes; at most %d are allowed in one line of a trace",
			p.ID, len(a.Text), mdstore.MaxEvent).With(errs.Details{Param: "text"})
	}
	if err := loggable("session "+string(p.ID), "text", a.Text); err != nil {
		return None{}, err
	}
	text := strings.TrimSpace(a.Text)
	for _, known := range [][2]string{{"tool", a.Tool}, {"files", strings.Join(a.Files, ", ")}, {"result", a.Result}} {
		key, value := known[0], strings.TrimSpace(known[1])
		if value == "" {
			continue
		}
		if err := oneLine(key, value, mdstore.MaxEvent); err != nil {
			return None{}, err
		}
		text += "\n" + key + ": " + value
	}
	trace(d, p, kind, text)
	OnPage(d, p).Did(view.Change{ID: p.ID, Do: "noted", Name: p.Name()})
	return None{}, nil
}

// AttachSession changes which environments are attached to a session.
type AttachSession struct {
	ID   mdstore.ID
	Edit func(attached []string) (now []string, did string) // items of the list, in order; did is a line of the trace, "" for no change
}

// Plan sets the list.
func (a AttachSession) Plan(d *Draft) (None, error) {
	p, err := sessionFile(d, a.ID)
	if err != nil {
		return None{}, err
	}
	now, did := a.Edit(p.List(mdstore.KeyAttached))
	if did == "" {
		return None{}, nil
	}
	e := OnPage(d, p)
	e.Set(mdstore.KeyAttached, mdoc.List(now...))
	e.Did(view.Change{ID: p.ID, Do: did})
	trace(d, p, TraceNote, did)
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

// ResumeSession continues a session: an open one itself, an ended one by a new session.
type ResumeSession struct{ ID mdstore.ID }

// Plan starts the new session, if one is needed.
func (a ResumeSession) Plan(d *Draft) (*StartedSession, error) {
	p, err := sessionFile(d, a.ID)
	if err != nil {
		return nil, err
	}
	if view.SessionEnded(p, d.now) == 0 {
		return &StartedSession{ID: p.ID, Name: p.Name()}, nil
	}
	return StartSession{
		Name: p.Name(), Description: p.Field(mdstore.KeyDescription), Goal: p.Doc().Text(mdstore.SecGoal),
		Previous: p.ID, Agent: mdstore.ID(p.Field(mdstore.KeyAgent)), Tags: p.List(mdstore.KeyTags),
	}.Plan(d)
}
