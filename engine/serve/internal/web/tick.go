package web

import (
	"encoding/json"
	"net/http"

	"arbor/engine/errs"
	"arbor/engine/internal/people"
	"arbor/engine/ops"
)

// tick ticks a box in a text of a node, or takes the tick away. Nothing else of the file changes.
func (s *Site) tick(w http.ResponseWriter, r *http.Request) {
	var in struct {
		WorkspaceID, NodeID, Field, IfMatch string
		Line                                int // of the text, from 0
		Done                                bool
	}
	if !readJSON(w, r, &in) {
		return
	}
	s.work(w, r, func(env *ops.Env) (any, error) {
		return ops.NodeTick(r.Context(), env, ops.NodeTickIn{In: ops.In{WorkspaceID: in.WorkspaceID}, NodeID: in.NodeID,
			Field: in.Field, Line: in.Line, Done: in.Done, Match: ops.Match{IfMatch: in.IfMatch}})
	})
}

// work answers with the reply of a change that is no operation of the catalogue, for those who may work.
func (s *Site) work(w http.ResponseWriter, r *http.Request, change func(*ops.Env) (any, error)) {
	who := people.From(r.Context())
	if !who.May(people.Work) {
		refuseError(w, errs.New(errs.NotAllowed, "%s has the right %s, and this needs %s", who, who.Right, people.Work))
		return
	}
	out, err := s.caught(r.URL.Path, func() (any, error) { return change(s.envOf(who)) })
	if err != nil {
		refuseError(w, err)
		return
	}
	s.told(w, r, out)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // if this fails, the client is gone
}
