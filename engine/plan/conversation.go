package plan

import (
	"time"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Conversation is the one session of an identifier to which its messages belong. The identifier is its external id,
// and no part of a path. The plan makes the file of the session, or finds it.
type Conversation struct{ Identifier string }

// Plan makes the file, if it is missing.
func (c Conversation) Plan(d *Draft) (*StartedSession, error) {
	if p, ok := d.View.Pages().Session(c.Identifier); ok {
		return &StartedSession{ID: p.ID, Name: p.Name()}, nil
	}
	return c.start().Plan(d)
}

func (c Conversation) start() StartSession {
	return StartSession{External: c.Identifier, Name: "Conversation"}
}

// For makes the workspace one that is created for an identifier: it has the conversation of the identifier, whose id is
// session.
func (w Import) For(identifier string, session mdstore.ID, now time.Time) (Import, error) {
	fields, sections := Conversation{identifier}.start().content(session, now, "")
	path := sessionPath("", session)
	doc, _, err := mdoc.Compose(string(path), mdstore.SessionKind.Form, fields, sections)
	if err != nil {
		return w, err
	}
	w.Identifier, w.Files = identifier, map[string][]byte{string(path): doc.Bytes()}
	return w, nil
}
