package mcpserv

import (
	"maps"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/ops"
)

// own maps names that are not parameters of a tool to parameters that may be meant. The first row counts that has the
// name and at least one parameter of the tool; all its parameters that the tool has are suggested. Names are in lower
// case, without _ and -.
var own = []struct{ names, params string }{
	{"id node task taskid item", "nodeId"},
	{"parent parentid parentnode parentnodeid under root nodeid", "parentId newParentId rootId"},
	{"name heading subject label", "title"},
	{"title", "name"},
	{"subtasks subnodes tasks nodes steps todos", "children"},
	{"status state newstatus", "action"},
	{"event note notes comment conclusion entry", "event log"},
	{"blocker issue reason error", "problem"},
	{"text body content description details message summary result",
		"event problem goal requirement note conclusion log text"},
	{"next solution resolution", "nextStep"},
	{"target targetid path reference file url", "targetIdOrPath path"},
	{"documents files", "docs"},
	{"refs links", "references"},
	{"hash", "rulesHash"},
	{"limit max number", "count"},
	{"count max number pagesize", "limit"},
	{"tokens maxtokens", "budget"},
	{"page offset", "cursor"},
	{"project projectid", "workspaceId"},
}

// elsewhere maps names that are not parameters of a tool to calls of other tools. A row is for the tools whose names
// begin with of.
var elsewhere = []struct{ names, of, tool, with string }{
	{"status state archived", "workspace_", "workspace_archive", ""},
	{"docs documents", "workspace_", "workspace_update_docs", "action and path"},
	{"status state newstatus", "", "node_transition", "action"},
	{"done completed finished conclusion result", "", "node_transition", `action "complete" and conclusion`},
	{"event log comment", "", "log_append", "event"},
	{"problem blocker issue", "", "problem_update", "problem"},
	{"parent parentid before after order position index", "", "node_move", "newParentId"},
	{"isolated isolate", "", "node_isolate", "isolate"},
	{"references refs links", "", "node_reference", "targetIdOrPath and action"},
	{"dependson dependencies blockedby", "node_", "node_update", "dependencies"},
	{"priority", "node_", "node_update", "priority"},
	{"rule rules", "", "workspace_update_rules", "action and rule"},
	{"assignee owner assignedto agent", "", "node_next", "claim"},
	{"subtasks subnodes tasks", "", "node_create", "children"},
}

// checkNames refuses a parameter that a tool does not have, or such a member of children, if it knows which parameter
// or call is meant. The operation refuses all others, with the nearest name.
func (f offer) checkNames(o ops.Operation, given map[string]any) error {
	return f.checkObject(o, o.Takes(), "", given)
}

// unknownMost is for how many names of one object a meaning is looked for.
const unknownMost = 20

func (f offer) checkObject(o ops.Operation, of *ops.Shape, at string, given map[string]any) error {
	given = of.Renamed(given)
	have, what := of.Names(), "no parameter"
	if at != "" {
		what = at + " has no member"
	}
	unknown := 0
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(have, name) || name == confirm && o.Destructive {
			continue
		}
		if unknown++; unknown > unknownMost {
			break
		}
		if _, other := of.Called(name); other {
			continue // the operation says which of the two counts
		}
		if means := f.meantBy(o, name, have); means != "" {
			return ops.BadParam(errs.UnknownParams, clip(name, 60), "%s: %s %q; %s", o.Name, what, clip(name, 60), means)
		}
	}
	return inChildren(of, given, func(child string, of *ops.Shape, members map[string]any) error {
		return f.checkObject(o, of, strings.TrimPrefix(at+"."+child, "."), members)
	})
}

// meantBy says what is meant by a name that is not among have, the parameters of a tool; "" if unknown. It names only
// tools that are offered, and none that removes something.
func (f offer) meantBy(o ops.Operation, name string, have []string) string {
	word := plain(name)
	if near := ops.Nearest(word, have); strings.HasPrefix(plain(near), word) {
		return "" // the operation suggests the nearest name
	}
	is := func(names string) bool { return slices.Contains(strings.Fields(names), word) }
	for _, m := range own {
		params := slices.DeleteFunc(strings.Fields(m.params), func(p string) bool { return !slices.Contains(have, p) })
		if is(m.names) && len(params) > 0 {
			return strings.Join(params, " or ") + " is meant"
		}
	}
	for _, m := range elsewhere {
		if is(m.names) && strings.HasPrefix(o.Name, m.of) && m.tool != o.Name && slices.Contains(f.safe(), m.tool) {
			return "call " + called(m.tool, m.with)
		}
	}
	var takers []string
	for _, other := range f.safe() {
		t, _ := ops.Find(other)
		if slices.ContainsFunc(t.Params(), func(p ops.Param) bool { return p.Name == name }) {
			takers = append(takers, other)
		}
	}
	if len(takers) == 0 || len(takers) > 3 {
		return ""
	}
	return "it is a parameter of " + strings.Join(takers, ", ")
}

// plain returns a name in lower case, without _ and -.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}
