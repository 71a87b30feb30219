package web

import (
	"net/http"
	"strings"

	"arbor/engine/ops"
	"arbor/mdstore/pattern"
)

// taskBox matches a line with the box of a task, up to what is in the box.
var taskBox = pattern.Of(`^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)+\[([ xX])\](?:\s|$)`)

// tick ticks a box in a text of a node, or takes the tick away. Nothing else of the text changes.
func (s *Site) tick(w http.ResponseWriter, r *http.Request) {
	var in struct {
		WorkspaceID, NodeID, Field, IfMatch string
		Line                                int // of the text, from 0
		Done                                bool
	}
	if !readJSON(w, r, &in) {
		return
	}
	of := ops.In{WorkspaceID: in.WorkspaceID}
	out, err := ops.NodeGet(r.Context(), s.env(), ops.NodeGetIn{In: of, NodeID: in.NodeID})
	if err != nil {
		refuseError(w, err)
		return
	}
	update := &ops.NodeUpdateIn{In: of, NodeID: in.NodeID, Match: ops.Match{IfMatch: in.IfMatch}}
	text := ""
	switch in.Field {
	case "requirement":
		text, update.Requirement = out.Node.Requirement, &text
	case "conclusion":
		text, update.Conclusion = out.Node.Conclusion, &text
	case "note":
		text, update.Note = out.Node.Note, &text
	}
	lines := strings.SplitAfter(text, "\n")
	var at []int
	if in.Line >= 0 && in.Line < len(lines) {
		at = taskBox().FindStringSubmatchIndex(lines[in.Line])
	}
	if at == nil {
		refuse(w, http.StatusUnprocessableEntity, "INVALID_PARAMS", "there is no task box in this line now; look again")
		return
	}
	line := lines[in.Line]
	lines[in.Line] = line[:at[2]] + map[bool]string{true: "x", false: " "}[in.Done] + line[at[3]:]
	text = strings.Join(lines, "")
	o, _ := ops.Find("node_update")
	s.answer(w, r, o, update)
}
