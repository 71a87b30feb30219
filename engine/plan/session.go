package plan

import (
	"path"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// StartSession makes the file of a session.
type StartSession struct {
	ID          string // the caller's, which need not be an id; "" draws one
	Name        string // "" is the time
	Description string
	Goal        string
	Previous    mdstore.ID // the session that it goes on from; "" for none
	Agent       mdstore.ID // "" for none
	Tags        []string
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
	if p, ok := d.View.Pages().Session(a.ID); ok {
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
	sections = append(sections, mdoc.SectionText{Name: mdstore.SecLog, Items: []string{}})
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
