package web

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"arbor/mdstore"
)

// Languages returns the languages of the page: en, and those with a file in the folder words. Such a file has the
// page's texts, by their English; the text for "English" is the language's own name.
func Languages() []string {
	return slices.Concat([]string{"en"}, slices.Sorted(maps.Keys(translations())))
}

// translations has the words of each language but English.
var translations = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	names, err := fs.Glob(files, "words/*.json")
	for _, name := range names {
		words := map[string]string{}
		data, wrong := files.ReadFile(name)
		err = cmp.Or(err, wrong, json.Unmarshal(data, &words))
		all[strings.TrimSuffix(path.Base(name), ".json")] = words
	}
	if err != nil {
		panic(err) // the files are part of the program
	}
	return all
})

// language returns the language of a page: the one that the address names, which it stores in a cookie; or else the one
// in the cookie, the first known one that the browser prefers, or en.
func language(w http.ResponseWriter, r *http.Request) string {
	const kept = "arbor-language"
	known := func(l string) bool { return slices.Contains(Languages(), l) }
	if l := r.URL.Query().Get("lang"); known(l) {
		http.SetCookie(w, &http.Cookie{Name: kept, Value: l, Path: "/", MaxAge: 365 * 24 * 3600,
			HttpOnly: true, SameSite: http.SameSiteStrictMode})
		return l
	}
	if c, err := r.Cookie(kept); err == nil && known(c.Value) {
		return c.Value
	}
	for l := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		l, _, _ = strings.Cut(strings.TrimSpace(l), ";")
		if l, _, _ = strings.Cut(l, "-"); known(l) {
			return l
		}
	}
	return "en"
}

// others returns the other languages of the page, with their own names.
func (l look) others() (all []struct{ Code, Name string }) {
	for _, code := range Languages() {
		if code != l.Language {
			all = append(all, struct{ Code, Name string }{code, look{Language: code}.say("English")})
		}
	}
	return all
}

// say returns a word or sentence of the page in the language of the look. A text without a translation stays as it is.
func (l look) say(words string) string {
	return cmp.Or(translations()[l.Language][words], words)
}

// spoken returns what an entry of a log says: a question or an answer with that word instead of its sign.
func (l look) spoken(e mdstore.LogEntry) string {
	if text := e.Plain(); e.Asks() {
		return l.say("Question") + ": " + text
	} else if text != e.Event {
		return l.say("Answer") + ": " + text
	}
	return e.Event
}

// words returns the texts of the script in the language of the look, as JSON, by their English.
func (l look) words() string {
	all := map[string]string{}
	for _, w := range append(statuses(), scripted...) {
		if said := l.say(w); said != w {
			all[w] = said
		}
	}
	all["true"] = l.say("yes")
	for _, f := range mdstore.AllFields() {
		for _, value := range f.Rule.Enum {
			if said := cmp.Or(translations()[l.Language][value], strings.ReplaceAll(value, "_", " ")); said != value {
				all[value] = said
			}
		}
	}
	data, _ := json.Marshal(all) // cannot fail: it is all strings
	return string(data)
}

// scripted has the texts of the script, besides the names of statuses.
var scripted = []string{
	"One rule per line", "Below which node (its title or id)", "Both are below. Read it and save.", "Delete", "Discard",
	"Edit the goal", "Edit the rules", "Goal", "Its subtree is deleted too. You can undo this under Activity.", "Move",
	"New node below", "Merge both", "Properties", "Requirement", "Save", "Save writes the text below.",
	"Report a problem", "What is wrong", "What to do next",
	"Another key", "Its value", "Allow a key that looks like a known one",
	"Complete with open criteria", "The log records that criteria were open.",
	"Conclusion: the result", "The life cycle does not allow that. From here a node can become:", "The rules:",
	"This text was changed elsewhere. It now says:", "Title", "Type",
	"Places where both changed the same lines (yours come first):", "moved", "not connected", "saved",
	"Add below", "As a group", "Reference", "Node or document", "What for", "Undo", "Discarded", "Drafts", "Close",
	"The server does not answer. Your text is kept in this browser; try again when it runs.",
	"The server was started again and does not know this browser.",
	"Chosen", "What is below is deleted too. You can undo it.", "level", "Your text is kept as a draft.",
	"View", "Action", "Search", "Board", "Graph", "Approvals", "Check", "Node", "Preview",
	"Kept in this browser until you save.",
	"Colours: system", "Colours: light", "Colours: dark",
	"execution", "planning", "complete", "fail", "cancel", "drop",
}
