package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
)

// The headers of the reply to an operation: what it did, in a sentence in the language of the page, and the id by which
// it can be undone. The sentence is escaped as in an address.
const (
	didHeader  = "Arbor-Did"
	undoHeader = "Arbor-Undo"
)

// told adds the headers about what an operation did. out is its reply.
func (s *Site) told(w http.ResponseWriter, r *http.Request, out any) {
	did, ok := out.(interface {
		Began() int64
		Changes() []view.Change
		Workspace() string
	})
	if !ok || did.Began() == 0 {
		return
	}
	v, err := s.engine.View(r.Context(), mdstore.ID(did.Workspace()))
	if err != nil {
		return // it was deleted
	}
	title := func(id mdstore.ID) string {
		if n, ok := v.Node(id); ok {
			return n.Title
		}
		return ""
	}
	if said := (look{Language: language(w, r)}).did(did.Changes(), title); said != "" {
		w.Header().Set(didHeader, url.PathEscape(said))
	}
	deeds, err := s.engine.Deeds(r.Context())
	if err != nil {
		return
	}
	for _, d := range deeds {
		if d.Began == did.Began() && !d.Large {
			w.Header().Set(undoHeader, d.ID)
		}
	}
}

// did puts the changes of an operation into a sentence with titles. It is about the node that the operation was for: a
// new or deleted one, or else the first; of the others it tells the number. title returns the title of a node.
func (l look) did(all []view.Change, title func(mdstore.ID) string) string {
	whole := func(do string) (found []view.Change) {
		for _, c := range all {
			if c.Key == "" && c.Do == do {
				found = append(found, c)
			}
		}
		return found
	}
	added, gone := whole(view.Created), whole(view.Deleted)
	switch {
	case len(gone) > 0: // those below come first
		last := gone[len(gone)-1]
		return l.say("Deleted") + " " + cmp.Or(title(last.ID), last.Name) + l.besides("and below it", len(gone)-1)
	case len(added) > 0:
		return l.say("Added") + " " + cmp.Or(title(added[0].ID), added[0].Name) + l.besides("and others", len(added)-1)
	case len(all) == 0:
		return ""
	}
	main, keys, logged := all[0].ID, []string{}, ""
	for _, c := range all {
		switch {
		case c.ID != main || c.Key == "" || c.Key == "order":
		case c.Key == "log":
			logged = cmp.Or(logged, c.To)
		default:
			if word := l.changeWord(c); word != "" && !slices.Contains(keys, word) {
				keys = append(keys, word)
			}
		}
	}
	if len(keys) == 0 && logged != "" {
		logged, _, _ = strings.Cut(logged, "\n")
		keys = append(keys, logged)
	}
	named := title(main)
	if i := slices.IndexFunc(all, func(c view.Change) bool { return c.Name != "" }); named == "" && i >= 0 { // of a page
		named, keys = all[i].Name, append(keys, l.say(all[i].Do))
	}
	if named == "" {
		named = l.say("Workspace")
	}
	return strings.TrimSuffix(named+": "+strings.Join(keys, ", "), ": ")
}

// changeWord returns what a change of a node did, in a word.
func (l look) changeWord(c view.Change) string {
	switch c.Key {
	case "", "order":
		return l.say(c.Do)
	case mdstore.KeyStatus:
		return l.say(c.To)
	case mdstore.KeyParent:
		return l.say("moved")
	}
	return l.say(c.Key)
}

// besides tells of further nodes: their number in brackets, "" for none.
func (l look) besides(how string, n int) string {
	if n < 1 {
		return ""
	}
	return fmt.Sprintf(" (%s: %d)", l.say(how), n)
}
