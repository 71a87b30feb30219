package web

import (
	"context"
	"strings"

	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// buttons are the names of the buttons of the page, by the operations that they run.
var buttons = map[string]string{
	"node_create": "New node below", "node_move": "Move", "node_delete": "Delete", "node_update": "Properties",
	"node_reference": "Reference", "problem_update": "Report a problem", "problem_clear": "Solved",
	"log_append": "New entry", "undo": "Undo",
}

// button returns what a message of an operation calls another operation: its button if the page has one, else its
// command.
func (l look) button(name string, words []string) string {
	said := buttons[name]
	if n := len(words); name == "node_transition" && n > 0 {
		said = words[n-1]
	}
	if said == "" {
		return ops.Shell.Op(name, words)
	}
	return "“" + l.say(said) + "”"
}

var nodeID = pattern.Of("(?:root|node-[0-9a-z]+-[0-9a-z]+)\\b")

// titled returns a message of an operation with the titles of nodes instead of their ids, and without the id of the
// workspace.
func (s *Site) titled(ctx context.Context, ws, message string) string {
	v, err := s.engine.View(ctx, mdstore.ID(ws))
	if err != nil {
		return message
	}
	message = strings.ReplaceAll(message, " in workspace "+ws, "")
	var b strings.Builder
	for at := nodeID().FindStringIndex(message); at != nil; at = nodeID().FindStringIndex(message) {
		id, rest := message[at[0]:at[1]], message[at[1]:]
		said := id
		n, known := v.Node(mdstore.ID(id))
		if title := ""; known {
			title = n.Title
			after, both := strings.CutPrefix(rest, " ("+title+")")
			if rest = after; both || id != string(mdstore.Root) { // else it may be a word of the message
				said = title
			}
		}
		b.WriteString(message[:at[0]] + said)
		message = rest
	}
	return b.String() + message
}
