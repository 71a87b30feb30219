package view

import "arbor/mdstore"

// Log returns the lines of a session's log, oldest first: those of the older files beside its own, and its own.
func (ps Pages) Log(session *mdstore.Page) (all []mdstore.LogEntry) {
	for _, p := range ps.Of(mdstore.SessionLogKind) { // in the order of their times
		if p.Path.Dir() == session.Path.Dir() {
			all = append(all, p.Log()...)
		}
	}
	return append(all, session.Log()...)
}

// Transcript returns the messages of a session's transcript, oldest first: the last ones, of the files that hold as many, or all with
// 0. Where it was begun anew because it had grown too long, it goes on from the file that it names.
func (ps Pages) Transcript(session *mdstore.Page, last int) (all []mdstore.Message) {
	p, ok := ps.At(mdstore.TranscriptKind.FileFor(session.Path.Dir(), ""))
	met := map[mdstore.Path]bool{}
	for ok && !met[p.Path] && (last == 0 || len(all) < last) {
		met[p.Path] = true
		all = append(mdstore.Messages(p.Doc()), all...)
		before := p.Field(mdstore.KeyPrevious)
		if p, ok = ps.At(p.Path.Dir().Join(before)); ok && p.Kind != mdstore.TranscriptKind {
			break
		}
	}
	return all
}
