package mcpserv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"arbor/engine/ops"
)

// checkTool returns an error for a tool that is not offered. The error suggests the corresponding tool, or the nearest
// name among those offered, but never a tool that removes something. lasting is false for a stateless request.
func (f offer) checkTool(name string, lasting bool) error {
	o, known := ops.Find(name)
	if known && f.has(o) || name == enableName && lasting && f.enables() {
		return nil
	}
	try := "tools/list names the tools"
	peer, of := ops.Peer(name)
	nouns := nounsIn(name)
	call := meant(name, f.safe())
	if o, ok := ops.Find(strings.SplitN(call, " ", 2)[0]); ok && len(nouns) > 0 && !about(nouns, o.Name) {
		call = "" // the verb in the name means something else for these nouns
	}
	near := ops.Misspelt(name, slices.DeleteFunc(f.safe(), func(n string) bool {
		return len(nouns) > 0 && !about(nouns, n)
	}))
	switch {
	case name == enableName || known && o.Set == "":
		try = "it is no tool here; a person starts the server with --toolsets, or runs arbor"
	case known:
		try = f.lacks(o)
	case of && !peer.Destructive && f.has(peer):
		if try = "call " + called(peer.Name, withOf(peer)); call != "" && strings.Fields(call)[0] == peer.Name {
			try = "call " + call
		}
	case of && !peer.Destructive && peer.Set != "":
		try = peer.Name + " is meant; " + f.lacks(peer)
	case call != "":
		try = "call " + call
	case near != "" && !removes(name):
		try = "the nearest one is " + near
	case len(nouns) > 0 && !removes(name):
		try = f.toolsAbout(nouns)
	}
	message := fmt.Sprintf("unknown tool %q; %s", clip(name, 60), try)
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// lacks says why a tool is not offered, and how to get it.
func (f offer) lacks(o ops.Operation) string {
	switch {
	case !f.who.May(o.Right()) && o.Set != "":
		return "the token has the right " + f.who.Right.String() + ", and it needs " + o.Right().String() +
			" (arbor admin people grant " + f.who.Person + " --rights " + o.Right().String() + ", on the server)"
	case f.on(o.Set):
		return "this server was started without it (--profile, --read-only, --tools, --exclude-tools)"
	case slices.Contains(f.offered(), o.Set) && (offer{f.Options, f.offered(), f.who}).has(o):
		return "it is in the tool set " + o.Set + ": call " + enableCall(o.Set)
	}
	return "it is in the tool set " + o.Set + ", which this server does not offer (--toolsets)"
}

// withOf names the arguments of a call: those in the last row of meanings for it, which is the most general, or else
// the required parameters.
func withOf(o ops.Operation) string {
	for _, m := range slices.Backward(meanings) {
		if m.tool == o.Name {
			return m.with
		}
	}
	var names []string
	for _, p := range o.Params() {
		if p.Required {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, " and ")
}

// nouns maps words in unknown names of tools to the prefix of the tools for that subject. If a name has such a word,
// only tools with its prefix are suggested.
var nouns = []struct{ words, tools string }{
	{"memory memories slot slots memo entity entities relation relations observation observations", "memory_"},
	{"session sessions", "session_"},
	{"state states checkpoint checkpoints", "state_"},
	{"transcript transcripts message messages", "transcript_"},
	{"env environment environments", "env_"},
	{"file files", "file_"},
	{"workspace workspaces project projects", "workspace_"},
}

// nounsIn returns the prefixes of the tools for the subjects of a name; none for nodes.
func nounsIn(name string) (all []string) {
	for _, n := range nouns {
		if slices.ContainsFunc(wordsOf(name), func(w string) bool { return slices.Contains(strings.Fields(n.words), w) }) {
			all = append(all, n.tools)
		}
	}
	return all
}

// about reports whether a tool's name has one of the prefixes, or the tool is for all subjects.
func about(nouns []string, tool string) bool {
	return tool == "search" || tool == "ask" ||
		slices.ContainsFunc(nouns, func(n string) bool { return strings.HasPrefix(tool, n) })
}

// toolsAbout names the offered tools that have one of the prefixes, and how to get others.
func (f offer) toolsAbout(nouns []string) string {
	var have, sets []string
	for _, o := range ops.All() {
		switch {
		case o.Destructive || !slices.ContainsFunc(nouns, func(n string) bool { return strings.HasPrefix(o.Name, n) }):
		case f.has(o):
			have = append(have, o.Name)
		case !slices.Contains(sets, f.lacks(o)) && !f.on(o.Set):
			sets = append(sets, f.lacks(o))
		}
	}
	text := "tools/list names the tools"
	if len(have) > 0 {
		text = "for that there are " + strings.Join(have, ", ")
	}
	if len(sets) > 0 {
		text += "; for more, " + strings.Replace(sets[0], "it is in", "see", 1)
	}
	return text
}

// meanings maps words in the tool names of other programs to calls. The first row counts that has a word of the name,
// or several joined by + that are all in the name. No row names a tool that removes something: a caller must ask for
// that by its name.
var meanings = []struct{ words, tool, with string }{
	{"delete remove trash", "", ""},
	{"complete finish done close resolve", "node_transition", `action "complete"`},
	{"submit review validate", "node_transition", `action "submit"`},
	{"fail", "node_transition", `action "fail"`},
	{"retry", "node_transition", `action "retry"`},
	{"reopen", "node_transition", `action "reopen"`},
	{"cancel abort drop skip", "node_transition", `action "drop"`},
	{"answer", "", ""}, // a person's
	{"ask question questions", "log_append", "question: true"},
	{"blocked waiting", "node_next", "blocked: true"},
	{"release unclaim", "node_next", "release"},
	{"graph waves", "node_list", "waves: true"},
	{"children", "node_list", "rootId"},
	{"stats", "workspace_status", ""},
	{"assign", "node_update", "assignee"},
	{"tag tags label labels", "node_update", "tags"},
	{"priority prioritize", "node_update", "priority"},
	{"tick criteria checklist", "node_update", "checked"},
	{"copy duplicate clone template", "node_create", "like"},
	{"problem+get problem+list problem+show problems", "node_get", "nodeId"},
	{"rules+get rules+list rules+show", "workspace_get", ""},
	{"dep dependency dependencies", "node_update", "dependencies"},
	{"problem blocker", "problem_update", "problem"},
	{"memory+create memory+add memory+write memory+append memo+create memo+add", "memory_save", "slot and text"},
	{"logs log+get log+list log+read log+show", "node_get", "nodeId"},
	{"log note comment", "log_append", "event"},
	{"rule rules", "workspace_update_rules", "action and rule"},
	{"reference references link ref", "node_reference", "action and targetIdOrPath"},
	{"focus", "context_focus", "nodeId"},
	{"search find query grep", "search", "query"},
	{"context", "context_get", "nodeId"},
	{"claim take pick", "node_next", "claim"},
	{"next ready", "node_next", ""},
	{"isolate", "node_isolate", "isolate"},
	{"session bind", "session_bind", "sessionId and workspaceId"},
	{"check lint validate doctor", "workspace_check", ""},
	{"start begin", "node_transition", `action "start"`},
	{"transition", "node_transition", "action"},
	{"move reorder parent", "node_move", "newParentId"},
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
	words := wordsOf(name)
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

// wordsOf returns the words of a name, in lower case.
func wordsOf(name string) []string {
	var spaced strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
	}
	return strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool { return r < 'a' || r > 'z' })
}

func every(all []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !holds(s) })
}

// removes reports whether a name contains a word of the first row of meanings, such as delete.
func removes(name string) bool {
	return slices.ContainsFunc(strings.Fields(meanings[0].words), func(word string) bool {
		return strings.Contains(strings.ToLower(name), word)
	})
}

// called returns the words for a call: a tool, and its arguments unless with is "".
func called(tool, with string) string {
	if with == "" {
		return tool
	}
	return tool + " with " + with
}
