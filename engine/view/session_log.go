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
