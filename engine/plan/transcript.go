package plan

import (
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// AppendTranscript adds messages to the transcript of a session. It makes the file if it does not exist.
type AppendTranscript struct {
	Session  mdstore.ID
	Messages []mdstore.Message
}

// Plan adds the messages. If the transcript would become too long, it is kept under another name, and a new one names
// it.
func (a AppendTranscript) Plan(d *Draft) (None, error) {
	at, p, err := transcriptOf(d, a.Session)
	if err != nil {
		return None{}, err
	}
	fresh, _, err := mdoc.Compose(string(at), mdstore.TranscriptKind.Form, front{
		{Key: mdstore.KeyProvider, Value: mdoc.NullValue()}, {Key: mdstore.KeyModel, Value: mdoc.NullValue()},
		{Key: mdstore.KeyCreated, Value: mdoc.Integer(d.now.UnixMilli())}}, nil)
	if err != nil {
		return None{}, err
	}
	doc, change, old := fresh, mdstore.Change{Path: at}, []byte(nil)
	if p != nil {
		if doc, change.Base = p.File(); p.Editable() != nil {
			return None{}, p.Editable()
		}
		old = doc.Bytes()
		size := len(old)
		for _, m := range a.Messages {
			size += len(m.Text)
		}
		if size > mdstore.MaxLogged && len(mdstore.Messages(doc)) > 0 {
			kept := freshFile(d, mdstore.TranscriptKind, at.Dir(), "-")
			d.extra = append(d.extra, planned{change: mdstore.Change{Path: kept, New: old}, first: true, quiet: true})
			if doc, err = goesOn(p.Doc(), kept); err != nil {
				return None{}, err
			}
		}
	}
	if change.New, err = mdstore.AppendMessages(doc, a.Messages...); err != nil {
		return None{}, err
	}
	d.extra = append(d.extra, planned{change: change, what: []view.Change{inSession(d, a.Session, "said")}, old: old})
	return None{}, nil
}

// transcriptOf returns the path of a session's transcript and the transcript, nil if it is missing. An unreadable one
// is an error.
func transcriptOf(d *Draft, session mdstore.ID) (mdstore.Path, *mdstore.Page, error) {
	s, err := sessionFile(d, session)
	if err != nil {
		return "", nil, err
	}
	at := mdstore.TranscriptKind.FileFor(s.Path.Dir(), "")
	if problem, broken := d.View.Pages().Broken()[at]; broken {
		return at, nil, &mdoc.UnreadableError{Problem: problem}
	}
	p, _ := d.View.Pages().At(at)
	return at, p, nil
}

// goesOn returns an empty transcript that continues the kept one.
func goesOn(doc *mdoc.Doc, kept mdstore.Path) (*mdoc.Doc, error) {
	front, _ := mdoc.Parse(doc.Name(), doc.Front(), mdstore.TranscriptKind.Form)
	patch, err := front.SetField(mdstore.KeyPrevious, mdoc.Text(kept.Base()))
	if err != nil {
		return nil, err
	}
	return front.Apply(patch)
}

// ClearTranscript starts a session's transcript anew and keeps the old one under another name.
type ClearTranscript struct{ Session mdstore.ID }

// Plan moves the transcript, if there is one. The result is where it is kept.
func (a ClearTranscript) Plan(d *Draft) (kept mdstore.Path, err error) {
	at, p, err := transcriptOf(d, a.Session)
	if p == nil || err != nil {
		return "", err
	}
	kept = freshFile(d, mdstore.TranscriptKind, at.Dir(), "-")
	d.whole(mdstore.Change{Path: at, To: kept}, inSession(d, a.Session, "cleared"))
	return kept, nil
}

// inSession returns the change record for a session.
func inSession(d *Draft, session mdstore.ID, do string) view.Change {
	name := string(session)
	if p, ok := d.View.Pages().Get(mdstore.SessionKind, session); ok {
		name = p.Name()
	}
	return view.Change{ID: session, Do: do, Name: name}
}
