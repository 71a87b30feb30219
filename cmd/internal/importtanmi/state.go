package importtanmi

import (
	"cmp"
	"slices"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/statemachine"
)

// state settles type, status and role. What Arbor does not know is kept among the imported fields.
func (w *workspace) state(out *engine.ImportNode, s *source) {
	out.Type = w.typeOf(s, out.ID == mdstore.Root)
	out.Status = w.statusOf(s, out.Type)
	r, ok := role(s.role)
	if !ok {
		s.rest = append(s.rest, member{key: "role", raw: []byte(jsonText(s.role))})
	}
	out.Role = r
}

// typeOf settles the type. Files older than version 3 have none; there the original goes by the place in the tree, and
// corrects the status of what turns out to be planning.
func (w *workspace) typeOf(s *source, root bool) statemachine.Type {
	found := cmp.Or(s.kind, s.in.kind)
	if t := statemachine.Type(found); slices.Contains(statemachine.Types(), t) {
		return t
	}
	t, is := statemachine.Execution, "missing"
	if root || len(s.children) > 0 {
		t = statemachine.Planning
	}
	if found != "" {
		is = quote(found)
		s.rest = append(s.rest, member{key: "type", raw: []byte(jsonText(found)), said: true})
	}
	w.rep.warn(s.file, "the type of node %s is %s: taken as %s, by its place in the tree", quote(s.key), is, t)
	if t == statemachine.Planning && statemachine.Status(s.status) == statemachine.Implementing {
		s.in.status, s.status = "", string(statemachine.InPlanning)
		if len(s.children) > 0 {
			s.status = string(statemachine.Monitoring)
		}
	}
	return t
}

// statusOf settles the status: the graph's, or that of Info.md, as it is found.
func (w *workspace) statusOf(s *source, t statemachine.Type) statemachine.Status {
	status := statemachine.Status(cmp.Or(s.status, s.in.status))
	switch {
	case status == "":
		status = statemachine.Initial(t)
		w.rep.warn(s.file, "node %s has no status: taken as %s", quote(s.key), status)
	case s.in.status != "" && s.in.status != string(status):
		w.rep.warn(s.file, "the status is %s here and %s in graph.json, which counts", quote(s.in.status), quote(s.status))
	}
	if !statemachine.Valid(t, status) {
		w.rep.warn(s.file, "%s is no status of a node of type %s: kept as it is", quote(string(status)), t)
	}
	return status
}

// role returns Arbor's name of a role; ok is false for roles that Arbor does not have.
func role(s string) (r mdstore.Role, ok bool) {
	if s == "info_summary" {
		return mdstore.RoleSummary, true
	}
	if r = mdstore.Role(s); r == mdstore.RoleNone || slices.Contains(mdstore.Roles(), r) {
		return r, true
	}
	return mdstore.RoleNone, false
}

// settleTimes fills in the times that the graph lacks: from Info.md, or from the id, which holds the time of creation.
func settleTimes(n *graphNode, folders []*nodeFolder) {
	for _, f := range folders {
		if f.info != nil {
			n.createdAt = cmp.Or(n.createdAt, f.info.createdAt)
			n.updatedAt = cmp.Or(n.updatedAt, f.info.updatedAt)
		}
	}
	n.createdAt = cmp.Or(n.createdAt, idTime(n.key))
	n.updatedAt = max(n.updatedAt, n.createdAt)
}
