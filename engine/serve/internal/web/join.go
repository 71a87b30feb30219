package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"arbor/mdstore/diff3"
)

// join merges two edits of one text. Where both changed the same lines, the result has those of this browser and then
// the other ones. The reply says how often that was the case.
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
	_ = json.NewEncoder(w).Encode(map[string]any{"text": out, "both": both}) // if this fails, the client is gone
}

// whole returns a text with its last line ended, so that adding a line does not change the one before it.
func whole(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(strings.TrimSuffix(text, "\n") + "\n")
}
