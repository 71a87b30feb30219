package view

import (
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Log returns the lines of a session's log, oldest first: those of the older files beside its own, and its own.
func (ps Pages) Log(session *mdstore.Page) (all []mdstore.LogEntry) {
	for _, p := range ps.Of(mdstore.SessionLogKind) { // in the order of their times
		if p.Path.Dir() == session.Path.Dir() {
			all = append(all, p.Log()...)
		}
	}
	return append(all, session.Log()...)
}

// Transcript returns the messages of a session's transcript, oldest first: at least the last last ones, or all with 0.
// A long transcript consists of several files, each of which names the one before it. The error is that of a file that
// cannot be read.
func Transcript(v *View, session *mdstore.Page, last int) (all []mdstore.Message, err error) {
	at := mdstore.TranscriptKind.FileFor(session.Path.Dir(), "")
	for met := map[mdstore.Path]bool{}; !met[at] && (last == 0 || len(all) < last); {
		if problem, broken := v.Pages().broken[at]; broken {
			return nil, &mdoc.UnreadableError{Problem: problem}
		}
		p, ok := v.Pages().At(at)
		if !ok || p.Kind != mdstore.TranscriptKind {
			break
		}
		all = append(mdstore.Messages(p.Doc()), all...)
		met[at], at = true, at.Dir().Join(p.Field(mdstore.KeyPrevious))
	}
	return all, nil
}
