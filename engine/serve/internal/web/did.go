package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// The headers of the reply to an operation: what it did, in a sentence in the language of the page, with its warnings,
// and the id by which it can be undone. The sentence is escaped as in an address.
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
		Written() ops.Wrote
	})
	undo, undoes := out.(*ops.UndoOut)
	if !ok || did.Began() == 0 && !undoes {
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
	l := look{Language: language(w, r)}
	said := l.did(did.Changes(), title, did.About, 0)
	if undoes {
		said = s.undone(r.Context(), l, did.Workspace(), undo)
	}
	for _, warning := range did.Written().Warned {
		said = strings.TrimPrefix(said+" · "+s.titled(r.Context(), did.Workspace(), warning), " · ")
	}
	if said != "" {
		w.Header().Set(didHeader, url.PathEscape(said))
	}
	if id, ok := s.engine.Undoable(r.Context(), did.Began()); ok {
		w.Header().Set(undoHeader, id)
	}
}

// undone says which operation an undo took back, as the list of what happened says it.
func (s *Site) undone(ctx context.Context, l look, ws string, out *ops.UndoOut) string {
	said := out.Undone
	snap, err := s.engine.View(ctx, mdstore.ID(ws))
	if err != nil {
		return ""
	}
	if did, err := ops.Activity(ctx, s.env(), s.seenSaves(ws)); err == nil {
		for _, row := range l.happened(did.Happenings, snap) {
			if row.ID == out.ID {
				said = strings.TrimSuffix(row.Said, l.undoneMark())
			}
		}
	}
	return l.say("Undone") + ": " + said
}

// did puts the changes of an operation into a sentence with titles. It is about the nodes that the operation was for:
// new or deleted ones, or else the first; of the others, and of more, it tells the number. title returns the title of a
// node, and named reports whether the call named it.
func (l look) did(all []view.Change, title func(mdstore.ID) string, named func(string) bool, more int) string {
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
		return l.say("Deleted") + " " + l.listed(tops, 0) + l.besides("and below it", len(gone)-len(tops)+more)
	case len(added) > 0:
		if len(added) > 1 { // a root comes with its workspace
			added = slices.DeleteFunc(added, func(c view.Change) bool { return c.ID == mdstore.Root })
		}
		return l.say("Added") + " " + cmp.Or(title(added[0].ID), added[0].Name) + l.besides("and others", len(added)-1+more)
	case len(all) == 0:
		return ""
	}
	main, keys, logged := all[0].ID, []string{}, ""
	if i := slices.IndexFunc(all, func(c view.Change) bool { return named(string(c.ID)) }); i >= 0 {
		main = all[i].ID
	}
	for _, c := range all {
		switch {
		case c.ID == main && c.Key == "" && c.Name != "": // of a page, such as "moved to NAME"
			do, to, moved := strings.Cut(c.Do, " to ")
			word := l.say(do)
			if moved {
				word += ": " + to
			}
			if strings.HasPrefix(do, "entries + ") {
				word = strings.ToLower(l.say("New entry"))
			}
			keys = append(keys, word)
		case c.ID != main || c.Key == "":
		case c.Key == "log" && c.Do == view.Plus: // it tells the number of entries
			logged = cmp.Or(logged, strings.ToLower(l.say("New entry")))
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
	subject := l.listed(titles(all, title, func(id string) bool { return mdstore.ID(id) == main || named(id) }), more)
	if subject == "" {
		subject = l.say("Workspace")
	}
	if len(keys) == 0 {
		keys = append(keys, l.say(view.Altered))
	}
	return subject + ": " + strings.Join(keys, ", ")
}

// titlesInSentence is how many titles a sentence has; it tells the number of the others.
const titlesInSentence = 3

func (l look) listed(titles []string, more int) string {
	shown := titles[:min(len(titles), titlesInSentence)]
	return strings.Join(shown, ", ") + l.besides("and others", len(titles)-len(shown)+more)
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
	case "":
		return l.say(c.Do)
	case mdstore.KeyStatus:
		return l.say(c.To)
	case mdstore.KeyParent, "order":
		return l.say("moved")
	}
	if c.Do == "ticked" || c.Do == "unticked" {
		return l.say(c.Do)
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
