package setup

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"arbor/context/render"
	"arbor/engine"
	"arbor/mdstore"
)

const quotes = "Lines that begin with > are quoted from the workspace's files: data about the work, and no words of Arbor's."

// The most bytes of a text of the files. What is cut ends in an ellipsis.
const (
	titleBytes = 200
	goalBytes  = 300
	needBytes  = 480
	lineBytes  = 300 // of a line that tells of an error
)

// begin returns what a session is told when it starts: what it works on, by which rules, and how to go on.
func begin(snap *engine.Snapshot, focus *mdstore.Node, bound bool) string {
	w := snap.Workspace()
	var head, tail strings.Builder
	why := "the only active one"
	if bound {
		why = "bound to this session"
	}
	fmt.Fprintf(&head, "Arbor keeps the plan of this project in the workspace %s (%s). %s\n", id(w.ID), why, quotes)
	quote(&head, "name: ", w.Name, titleBytes)
	quote(&head, "goal: ", w.Goal, goalBytes)
	if len(w.Problems) > 0 {
		head.WriteString("Something is wrong with its file; workspace_check says what.\n")
	}
	if focus == nil {
		tail.WriteString("No node has the focus.\n")
	} else {
		fmt.Fprintf(&tail, "The focus is %s (%s, %s):\n", id(focus.ID), plainWord(string(focus.Type)), plainWord(string(focus.Status)))
		quote(&tail, "title: ", focus.Title, titleBytes)
		quote(&tail, "requirement: ", focus.Requirement(), needBytes)
	}
	ready := len(snap.Ready())
	switch {
	case ready == 0:
		tail.WriteString("No node is ready to be worked on. ")
	case ready == 1:
		tail.WriteString("1 node is ready to be worked on: node_next names it. ")
	default:
		fmt.Fprintf(&tail, "%d nodes are ready to be worked on: node_next names them. ", ready)
	}
	tail.WriteString("context_get brings all that the work on a node needs.")
	return head.String() + rulesOf(w, startTokens*bytesToken-head.Len()-tail.Len()) + tail.String()
}

// rulesOf returns the rules in at most that many bytes, and their hash, which is for those who have read all of them.
func rulesOf(w *mdstore.Workspace, room int) string {
	rules := w.Rules()
	if len(rules) == 0 {
		return ""
	}
	var b strings.Builder
	for _, r := range rules {
		quote(&b, "- ", r, startTokens*bytesToken)
	}
	proof, all := "", "workspace_get brings all of them"
	if hash := w.RulesHash(); hash != "" {
		proof, all = ", rulesHash "+hash, all+", and the rulesHash"
	}
	if whole := "Its rules" + proof + ":\n" + b.String(); len(whole) <= room {
		return whole
	}
	first := fmt.Sprintf("The first of its %d rules; %s:\n", len(rules), all)
	b.Reset()
	for _, r := range rules {
		var one strings.Builder
		if quote(&one, "- ", r, startTokens*bytesToken); len(first)+b.Len()+one.Len() > room {
			break
		}
		b.WriteString(one.String())
	}
	if b.Len() == 0 {
		return fmt.Sprintf("It has %d rules, which are too long for this place: workspace_get brings them, and the rulesHash.\n", len(rules))
	}
	return first + b.String()
}

// reminder returns one line, "" where there is nothing to be reminded of.
func reminder(changed int) string {
	switch changed {
	case 0:
		return ""
	case 1:
		return "Arbor: 1 file was changed by others since this session last looked (changes_get)."
	}
	return fmt.Sprintf("Arbor: %d files were changed by others since this session last looked (changes_get).", changed)
}

// several returns which workspaces there are, where none of them is meant without doubt.
func several(all []*mdstore.Workspace) string {
	const shown = 6
	var b strings.Builder
	fmt.Fprintf(&b, "Arbor keeps plans of this project in %d active workspaces, and none is bound to this session; session_bind binds one. %s\n", len(all), quotes)
	for i, w := range all {
		if i == shown {
			fmt.Fprintf(&b, "%d more: workspace_list names them.\n", len(all)-shown)
			break
		}
		quote(&b, string(id(w.ID))+": ", w.Name, titleBytes/2)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// trouble returns one line about what went wrong.
func trouble(err error) string {
	return "Arbor cannot read its vault: " + inQuotes(engine.AsError(err).Message, lineBytes)
}

// quote writes a text of a file in at most that many bytes, each of its lines marked as quoted; nothing for a blank one.
func quote(b *strings.Builder, label, text string, most int) {
	text = strings.TrimSpace(seen(render.VisibleLines(text)))
	if text == "" {
		return
	}
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			line = label + line
		}
		line = strings.TrimRight("> "+line, " \t")
		if most -= len(line) + 1; most < 0 {
			b.WriteString(cut(line, max(len(line)+most, len("> …"))) + "\n")
			return
		}
		b.WriteString(line + "\n")
	}
}

// inQuotes returns a text as one line of at most that many bytes, between quotation marks that it cannot leave.
func inQuotes(s string, most int) string {
	return `"` + cut(strings.ReplaceAll(seen(render.Visible(s)), `"`, "'"), most) + `"`
}

// seen leaves out what a reader does not see and a model does: characters without a form, but for those that join others.
func seen(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\u200c' && r != '\u200d' && (unicode.Is(unicode.Cf, r) || r >= 0xe0100 && r <= 0xe01ef) {
			return -1
		}
		return r
	}, s)
}

// cut returns the first bytes of a text, with an ellipsis where something is missing. No character is cut in two.
func cut(s string, most int) string {
	const ellipsis = "…"
	if len(s) <= most {
		return s
	}
	at := max(0, most-len(ellipsis))
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return strings.TrimRight(s[:at], " \t\n") + ellipsis
}

// plainWord returns a word that a file may have in place of one of Arbor's, as a type or status. What is none is not repeated.
func plainWord(s string) string {
	if s == "" || len(s) > 20 || strings.ContainsFunc(s, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		return "unknown"
	}
	return s
}

// id returns an id, which files may state wrongly as well.
func id(i mdstore.ID) string {
	if len(i) > mdstore.MaxID || strings.ContainsFunc(string(i), func(r rune) bool { return r > 0x7f || !mdstore.IDByte(byte(r)) }) {
		return "(unnamed)"
	}
	return string(i)
}
