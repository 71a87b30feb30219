//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A field is a text that assistants replace and people edit.
type field struct {
	name    string
	node    bool   // of a node; else of the workspace
	tool    string // that replaces it
	section string // "" for a key of the front matter
	args    func(text string) map[string]any
}

func textArg(key string) func(string) map[string]any {
	return func(text string) map[string]any { return map[string]any{key: text} }
}

var fields = []field{
	{"requirement", true, "node_update", "Requirement", textArg("requirement")},
	{"note", true, "node_update", "Note", textArg("note")},
	{"conclusion", true, "node_update", "Conclusion", textArg("conclusion")},
	{"problem", true, "problem_update", "Problem", textArg("problem")},
	{"problem", false, "problem_update", "Problem", textArg("problem")},
	{"goal", false, "workspace_update", "", textArg("goal")},
	{"rules", false, "workspace_update_rules", "Rules", func(text string) map[string]any {
		return map[string]any{"action": "replace", "rules": []string{text, "Passwords are never logged"}}
	}},
}

// replace replaces a field of a node through a caller. After a CONFLICT the caller makes the same call once more, or
// gives up, as a model does.
func (w *world) replace(c caller, who, node string, f field) {
	token := w.token()
	args := f.args(fmt.Sprintf("%s has found out that it is %s", who, token))
	if f.node {
		args["nodeId"] = node
	} else {
		node = ""
	}
	for range 1 + rand.IntN(3) {
		a := &write{token: token, file: w.about(node), who: who, field: f.name}
		if said := w.note(c, a, f.tool, args); said.code() != "CONFLICT" {
			return
		}
	}
}

// assist plays an assistant: it reads a node or the workspace, thinks, and replaces one of its texts. Now and then it
// does not read.
func (w *world) assist(c *client, who string, nodes []string) {
	if rand.IntN(2) == 0 {
		c.call("session_bind", map[string]any{"sessionId": strings.ReplaceAll(who, " ", "-"), "workspaceId": w.ws})
	}
	for !w.ended() {
		f, node := pick(fields), pick(nodes)
		switch {
		case rand.IntN(6) == 0:
		case f.node:
			c.call(pick([]string{"node_get", "context_get"}), map[string]any{"nodeId": node})
		default:
			c.call("workspace_get", nil)
		}
		w.pause(200 * time.Millisecond)
		w.replace(c, who, node, f)
	}
}

var (
	nextSection = regexp.MustCompile(`(?m)^## `)
	goalLine    = regexp.MustCompile(`(?m)^goal: (.*)$`)
)

// rewrite edits the text of a field as a person does, who adds a line, or takes the old text out and writes another
// one.
func (b *buffer) rewrite(f field) (token string) {
	token = b.w.token()
	add := rand.IntN(2) == 0
	line := "A person has typed " + token
	if f.section == "" {
		if old := goalLine.FindStringSubmatch(b.text); add && old != nil && len(old[1]) < 200 {
			line = strings.Trim(old[1], `"'`) + " " + line
		}
		b.text = goalLine.ReplaceAllLiteralString(b.text, "goal: "+line)
		return token
	}
	if f.section == "Rules" {
		line = "- " + line
	}
	heading := "\n## " + f.section + "\n"
	at := strings.Index(b.text, heading)
	if at < 0 {
		if at = strings.Index(b.text, "\n## "); at < 0 {
			at = len(b.text)
		}
		b.text = b.text[:at] + heading + "\n" + line + "\n" + b.text[at:]
		return token
	}
	begin := at + len(heading)
	end := len(b.text)
	if next := nextSection.FindStringIndex(b.text[begin:]); next != nil {
		end = begin + next[0]
	}
	text := "\n"
	if add {
		text = strings.TrimRight(b.text[begin:end], "\n") + "\n"
		if f.section != "Rules" || text == "\n" {
			text += "\n"
		}
	}
	b.text = b.text[:begin] + text + line + "\n\n" + b.text[end:]
	return token
}

// Assistants read texts and replace them later, and a person edits the same texts meanwhile.
func TestAssistantsReplaceWhatPeopleEdit(t *testing.T) {
	t.Parallel()
	rounds(t, []setting{{writers: 1, followed: false}, {writers: 3, followed: true}}, func(w *world, run func(func())) {
		nodes := w.nodes[:2]
		w.strict = true
		for i := range w.setting.writers {
			run(func() {
				c := w.serve()
				defer c.end()
				w.assist(c, fmt.Sprintf("assistant %d", i), nodes)
			})
		}
		run(func() { // a person at the command line
			for !w.ended() {
				w.replace(shell{w}, "a person", pick(nodes), pick(fields[:3]))
				w.pause(400 * time.Millisecond)
			}
		})
		run(func() {
			for !w.ended() {
				f, node := pick(fields), ""
				if f.node {
					node = pick(nodes)
				}
				b := w.open(w.about(node))
				token := b.rewrite(f)
				b.save(token, "at once, the "+f.name, func() error { return habits[1].write(b.file, b.text) })
				w.pause(100 * time.Millisecond)
			}
		})
	})
}
