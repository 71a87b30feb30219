package plan

import (
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// AppendTranscript adds a message to the transcript of a session, which is made where there is none.
type AppendTranscript struct {
	Session mdstore.ID
	Message mdstore.Message
}

// Plan adds the message. Where the transcript would grow too long, it stays under another name, which a new one says.
func (a AppendTranscript) Plan(d *Draft) (None, error) {
	s, err := sessionFile(d, a.Session)
	if err != nil {
		return None{}, err
	}
	at := mdstore.TranscriptKind.FileFor(s.Path.Dir(), "")
	change := mdstore.Change{Path: at}
	doc, _, err := mdoc.Compose(string(at), mdstore.TranscriptKind.Form, []mdoc.FieldValue{{Key: mdstore.KeyProvider, Value: mdoc.NullValue()},
		{Key: mdstore.KeyModel, Value: mdoc.NullValue()}, {Key: mdstore.KeyCreated, Value: mdoc.Integer(d.now.UnixMilli())}}, nil)
	if err != nil {
		return None{}, err
	}
	var old []byte
	if p, ok, err := transcriptAt(d, at); err != nil {
		return None{}, err
	} else if ok {
		if doc, change.Base = p.File(); p.Editable() != nil {
			return None{}, p.Editable()
		}
		if old = doc.Bytes(); len(old)+len(a.Message.Text) > mdstore.MaxLogged && len(mdstore.Messages(doc)) > 0 {
			kept := freshFile(d, mdstore.TranscriptKind, at.Dir(), "-")
			d.extra = append(d.extra, planned{change: mdstore.Change{Path: kept, New: old}, first: true, quiet: true})
			if doc, err = goesOn(doc, kept); err != nil {
				return None{}, err
			}
		}
	}
	if change.New, err = mdstore.AppendMessage(doc, a.Message); err != nil {
		return None{}, err
	}
	d.extra = append(d.extra, planned{change: change, what: []string{"transcript + 1"}, old: old})
	return None{}, nil
}

// transcriptAt returns the transcript at a path. The error is that of one that cannot be read.
func transcriptAt(d *Draft, at mdstore.Path) (*mdstore.Page, bool, error) {
	if problem, broken := d.View.Broken()[at]; broken {
		return nil, false, &mdoc.UnreadableError{Problem: problem}
	}
	p, ok := d.View.Pages().At(at)
	return p, ok, nil
}

// goesOn returns a transcript without messages that goes on from the one that is kept there.
func goesOn(doc *mdoc.Doc, kept mdstore.Path) (*mdoc.Doc, error) {
	front, _ := mdoc.Parse(doc.Name(), doc.Front(), mdstore.TranscriptKind.Form)
	patch, err := front.SetField(mdstore.KeyPrevious, mdoc.Text(kept.Base()))
	if err != nil {
		return nil, err
	}
	return front.Apply(patch)
}

// ClearTranscript begins the transcript of a session anew: what was there is kept under another name.
type ClearTranscript struct{ Session mdstore.ID }

// Plan moves the transcript, if there is one. The result is where it is kept.
func (a ClearTranscript) Plan(d *Draft) (kept mdstore.Path, err error) {
	s, err := sessionFile(d, a.Session)
	if err != nil {
		return "", err
	}
	at := mdstore.TranscriptKind.FileFor(s.Path.Dir(), "")
	if _, ok, err := transcriptAt(d, at); !ok || err != nil {
		return "", err
	}
	kept = freshFile(d, mdstore.TranscriptKind, at.Dir(), "-")
	d.whole(mdstore.Change{Path: at, To: kept}, "transcript cleared")
	return kept, nil
}
