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
		About(node string) bool
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
	if said := (look{Language: language(w, r)}).did(did.Changes(), title, did.About); said != "" {
		w.Header().Set(didHeader, url.PathEscape(said))
	}
	if id, ok := s.engine.Undoable(r.Context(), did.Began()); ok {
		w.Header().Set(undoHeader, id)
	}
}

// did puts the changes of an operation into a sentence with titles. It is about the nodes that the operation was for:
// new or deleted ones, or else the first; of the others it tells the number. title returns the title of a node, and
// named reports whether the call named it.
func (l look) did(all []view.Change, title func(mdstore.ID) string, named func(string) bool) string {
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
		tops := titles(gone, title, named)
		if len(tops) == 0 {
			tops = titles(gone[len(gone)-1:], title, func(string) bool { return true })
		}
		return l.say("Deleted") + " " + l.listed(tops) + l.besides("and below it", len(gone)-len(tops))
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
	subject := l.listed(titles(all, title, func(id string) bool { return mdstore.ID(id) == main || named(id) }))
	if i := slices.IndexFunc(all, func(c view.Change) bool { return c.Name != "" }); subject == "" && i >= 0 { // of a page
		subject, keys = all[i].Name, append(keys, l.say(all[i].Do))
	}
	if subject == "" {
		subject = l.say("Workspace")
	}
	return strings.TrimSuffix(subject+": "+strings.Join(keys, ", "), ": ")
}

// titlesInSentence is how many titles a sentence has; it tells the number of the others.
const titlesInSentence = 3

func (l look) listed(titles []string) string {
	shown := titles[:min(len(titles), titlesInSentence)]
	return strings.Join(shown, ", ") + l.besides("and others", len(titles)-len(shown))
}

// titles returns the titles of the nodes of changes that named accepts, each once.
func titles(all []view.Change, title func(mdstore.ID) string, named func(string) bool) (found []string) {
	met := map[mdstore.ID]bool{}
	for _, c := range all {
		if said := cmp.Or(title(c.ID), c.Name); said != "" && !met[c.ID] && named(string(c.ID)) {
			met[c.ID], found = true, append(found, said)
		}
	}
	return found
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
	if f := mdstore.FieldOf(c.Key); f != nil {
		return strings.ToLower(l.say(f.Label))
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
