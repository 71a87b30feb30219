package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"arbor/mdstore/diff3"
)

// join answers with what two edits of one text come to together: changes of different lines are both in it. Where both
// changed the same lines, it has those of this browser and then the other ones, and says how often.
func (s *Site) join(w http.ResponseWriter, r *http.Request) {
	var in struct{ Base, Ours, Theirs string }
	if !readJSON(w, r, &in) {
		return
	}
	var text strings.Builder
	both := 0
	for _, c := range diff3.Merge(whole(in.Base), whole(in.Ours), whole(in.Theirs)) {
		if !c.Conflict {
			text.Write(c.Text)
			continue
		}
		both++
		text.Write(c.Ours)
		text.Write(c.Theirs)
	}
	out := strings.TrimSuffix(text.String(), "\n")
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"text": out, "both": both}) // who is gone misses nothing
}

// whole is a text whose last line is ended, so that a further line after it is no change of it.
func whole(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(strings.TrimSuffix(text, "\n") + "\n")
}
