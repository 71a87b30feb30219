package mcpserv

import (
	"slices"
	"strings"

	"arbor/engine/ops"
)

// meanings are the calls that names of tools mean which other programs have. The first row that has one of its words,
// or all of those joined by +, in the name is meant, and of no row a tool that removes something: what is to be removed, a caller says itself.
var meanings = []struct{ words, tool, with string }{
	{"delete remove drop trash", "", ""},
	{"complete finish done close resolve", "node_transition", `action "complete"`},
	{"submit review validate", "node_transition", `action "submit"`},
	{"fail", "node_transition", `action "fail"`},
	{"retry", "node_transition", `action "retry"`},
	{"reopen", "node_transition", `action "reopen"`},
	{"cancel abort", "node_transition", `action "drop"`},
	{"problem blocker issue", "problem_update", "problem"},
	{"log note comment memo", "log_append", "event"},
	{"rule rules", "workspace_update_rules", "action and rule"},
	{"reference references link ref", "node_reference", "action and targetIdOrPath"},
	{"focus", "context_focus", "nodeId"},
	{"search find query grep", "search", "query"},
	{"context memory", "context_get", "nodeId"},
	{"claim take pick", "node_next", "claim"},
	{"next ready", "node_next", ""},
	{"isolate", "node_isolate", "isolate"},
	{"session bind", "session_bind", "sessionId and workspaceId"},
	{"check lint validate doctor", "workspace_check", ""},
	{"start begin", "node_transition", `action "start"`},
	{"move reorder", "node_move", "newParentId"},
	{"workspaces projects", "workspace_list", ""},
	{"init project workspace+create workspace+add workspace+new workspace+make", "workspace_init", "name and goal"},
	{"create add new make write split dispatch", "node_create", "parentId, type, title and requirement"},
	{"update edit set rename", "node_update", "nodeId"},
	{"list tree tasks todos nodes", "node_list", ""},
	{"status overview board", "workspace_status", ""},
	{"changes change changed", "changes_get", ""},
	{"get show read view", "node_get", "nodeId"},
}

// meant returns the call that an unknown name of a tool means, "" for none: node_transition with action "complete" for
// node_complete or finishTask. Only tools that are offered are named.
func meant(name string, offered []string) string {
	var spaced strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
	}
	words := strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool { return r < 'a' || r > 'z' })
	for _, m := range meanings {
		in := func(w string) bool { return slices.Contains(words, w) }
		if !slices.ContainsFunc(strings.Fields(m.words), func(w string) bool { return every(strings.Split(w, "+"), in) }) {
			continue
		}
		if o, ok := ops.Find(m.tool); !ok || o.Destructive || !slices.Contains(offered, m.tool) {
			return ""
		}
		return called(m.tool, m.with)
	}
	return ""
}

func every(all []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !holds(s) })
}

// removes reports whether a name of a tool has a word of the first row, in whatever form.
func removes(name string) bool {
	return slices.ContainsFunc(strings.Fields(meanings[0].words), func(word string) bool {
		return strings.Contains(strings.ToLower(name), word)
	})
}

// called names a call: a tool and what it takes, if that is to be said.
func called(tool, with string) string {
	if with == "" {
		return tool
	}
	return tool + " with " + with
}
