package web

import (
	"encoding/json"
	"net/http"
)

// preview returns a text as the page of a node would show it. It changes nothing.
func (s *Site) preview(w http.ResponseWriter, r *http.Request) {
	var in struct{ WorkspaceID, NodeID, Text string }
	if !readJSON(w, r, &in) {
		return
	}
	v := &screen{look: look{Language: language(w, r)}, View: "node", Workspace: in.WorkspaceID}
	s.linked(r.Context(), v, in.NodeID)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"html": v.Markdown(in.Text)}) // if this fails, the client is gone
}
