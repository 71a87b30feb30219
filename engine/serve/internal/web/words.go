package web

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// language returns the language of a page: the one that the address names, which the browser is told to keep, the one
// that it kept, or the first one of the browser's own that there is.
func language(w http.ResponseWriter, r *http.Request) string {
	const kept = "arbor-language"
	if l := r.URL.Query().Get("lang"); l == "en" || l == "zh" {
		http.SetCookie(w, &http.Cookie{Name: kept, Value: l, Path: "/", MaxAge: 365 * 24 * 3600,
			HttpOnly: true, SameSite: http.SameSiteStrictMode})
		return l
	}
	if c, err := r.Cookie(kept); err == nil && (c.Value == "en" || c.Value == "zh") {
		return c.Value
	}
	for l := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		switch l, _, _ := strings.Cut(strings.TrimSpace(l), "-"); {
		case strings.HasPrefix(l, "zh"):
			return "zh"
		case strings.HasPrefix(l, "en"):
			return "en"
		}
	}
	return "en"
}

// chinese has what the page says in Chinese, by its English.
var chinese = sync.OnceValue(func() (all map[string]string) {
	data, err := files.ReadFile("words/zh.json")
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		panic(err) // the file is part of the program
	}
	return all
})

// say returns a word or sentence of the page in the language of the look. What nobody translated stays as it is.
func (l look) say(words string) string {
	if l.Language != "zh" {
		return words
	}
	return cmp.Or(chinese()[words], words)
}

// words returns what the script says, as JSON: by its English, which stands in the script.
func (l look) words() string {
	all := map[string]string{}
	if l.Language == "zh" {
		for _, w := range append(statuses(), scripted...) {
			all[w] = l.say(w)
		}
	}
	data, _ := json.Marshal(all) // of texts alone, which cannot fail
	return string(data)
}

// scripted is what the script says, besides the names of statuses.
var scripted = []string{
	"A rule on each line", "Below which node (its title or id)", "Both are below. Read it and save.", "Delete", "Discard",
	"Edit the goal", "Edit the rules", "Goal", "It goes with all that is below it. The activity can undo that.", "Move",
	"New node below", "Put both together", "Properties", "Requirement", "Save", "Save writes what stands below.",
	"Report a problem", "What is wrong", "What is to be done next",
	"The conclusion: what came of it", "The life cycle does not allow that. From here a node can become:", "The rules:",
	"This text was changed elsewhere meanwhile. It says now:", "Title", "Type",
	"Where both changed the same lines, yours stand first. Such places:", "moved", "not connected", "saved",
	"execution", "planning", "complete", "fail", "cancel",
}
