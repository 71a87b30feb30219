// Package say puts the texts of the engine into the words of a front end. A text names an operation as {node_list}, or
// with parameters as {node_next claim}, and a parameter as {.dryRun}: a client of MCP reads "node_list", a person at a
// terminal "arbor list".
//
// Voice.Text is called once for each hint, warning or message that is shown, and never for text from a file. A title
// that looks like such a mark is also replaced within a message.
package say

import (
	"strings"
)

// A Voice turns marks into the words of one front end. A nil function turns them into those of MCP.
type Voice struct {
	// Op returns the words for an operation; words are those after its name in the mark.
	Op func(name string, words []string) string
	// Param returns the words for a parameter, with a value after it if the text has one: "force: true".
	Param func(given string) string
}

// Tools returns a text in the words of MCP.
func Tools(text string) string { return Voice{}.Text(text) }

// Named returns the words for an operation that a mark cannot name.
func (v Voice) Named(name string, words ...string) string {
	if v.Op != nil {
		return v.Op(name, words)
	}
	return Called(name, words)
}

// Text returns a text without marks. Braces that hold anything else stay.
func (v Voice) Text(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		marked, after, _ := strings.Cut(rest, "}")
		said := v.say(marked)
		if said == "" || len(marked) == len(rest) {
			b.WriteString("{")
			text = rest
			continue
		}
		b.WriteString(said)
		text = after
	}
}

// say returns the words for the text between braces; "" if it is not a mark.
func (v Voice) say(marked string) string {
	if given, found := strings.CutPrefix(marked, "."); found {
		if v.Param != nil {
			return v.Param(given)
		}
		return given
	}
	name, rest, _ := strings.Cut(marked, " ")
	if !strings.Contains(name, "_") || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	if v.Op != nil {
		return v.Op(name, strings.Fields(rest))
	}
	return Called(name, strings.Fields(rest))
}

// Called returns an operation with the words of its mark as MCP names them: "node_next with claim", "node_transition ID
// start".
func Called(name string, words []string) string {
	switch {
	case len(words) == 0:
		return name
	case name == "node_transition":
		return name + " " + strings.Join(words, " ")
	}
	return name + " with " + strings.Join(words, " ")
}
