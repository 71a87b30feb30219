package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"arbor/statemachine"
)

// actionKeys are the keys of the most used actions. a offers all that a node allows.
var actionKeys = map[string]string{
	"s": string(statemachine.Start), "c": string(statemachine.Complete), "f": string(statemachine.Fail),
}

// resultKeys ask about a node as it is, or are about where it stands: they wait for changes that are not done yet.
const resultKeys = "n enter f2 r a t delete e"

// A binding is what keys do. Keys and words are those of the page in the browser where both have the same.
type binding struct {
	keys  string // as tea names them, separated by blanks
	shown string // as help shows them
	help  string
	do    func(m *Model, key string) tea.Cmd
}

// bindings returns all keys, in the order of help.
func bindings() []binding {
	act := func(m *Model, key string) tea.Cmd { return m.act(actionKeys[key]) }
	return []binding{
		{"down j", "↓ j", "go to the next node", func(m *Model, _ string) tea.Cmd { return m.step(1) }},
		{"up k", "↑ k", "go to the previous node", func(m *Model, _ string) tea.Cmd { return m.step(-1) }},
		{"right l", "→ l", "expand the node; on the board: next column",
			func(m *Model, _ string) tea.Cmd { return m.across(1) }},
		{"left h", "← h", "collapse the node, or go to its parent",
			func(m *Model, _ string) tea.Cmd { return m.across(-1) }},
		{"pgdown ctrl+f ctrl+d", "PgDn", "a screen down", func(m *Model, _ string) tea.Cmd { return m.step(m.body() - 1) }},
		{"pgup ctrl+b", "PgUp", "a screen up", func(m *Model, _ string) tea.Cmd { return m.step(1 - m.body()) }},
		{"home g", "Home g", "go to the first node", func(m *Model, _ string) tea.Cmd { return m.step(-1 << 30) }},
		{"end G", "End G", "go to the last node", func(m *Model, _ string) tea.Cmd { return m.step(1 << 30) }},
		{"z", "z", "collapse everything, or expand it again", func(m *Model, _ string) tea.Cmd { return m.foldAll() }},
		{"tab", "Tab", "go to the next pane: outline, board, node", func(m *Model, _ string) tea.Cmd { return m.turn(1) }},
		{"shift+tab", "Shift+Tab", "go to the previous pane", func(m *Model, _ string) tea.Cmd { return m.turn(-1) }},
		{"space o", "Space o", "open the node, or close it again",
			func(m *Model, _ string) tea.Cmd { return m.openNode() }},
		{"n", "n", "add a node below this one, or beside a task", func(m *Model, _ string) tea.Cmd { return m.add(true) }},
		{"enter", "Enter", "add a node after this one", func(m *Model, _ string) tea.Cmd { return m.add(false) }},
		{"f2 r", "F2 r", "rename the node", func(m *Model, _ string) tea.Cmd { return m.rename() }},
		{"s", "s", "start", act},
		{"c", "c", "complete; asks for the conclusion", act},
		{"f", "f", "fail; asks for the conclusion", act},
		{"a", "a", "all actions that the node allows", func(m *Model, _ string) tea.Cmd { return m.offer() }},
		{"t", "t", "tick criteria", func(m *Model, _ string) tea.Cmd { return m.ticking() }},
		{"x", "x", "choose the node: actions and moves are about all chosen ones",
			func(m *Model, _ string) tea.Cmd { return m.choose() }},
		{"alt+up K", "Alt+↑ K", "move the node up", func(m *Model, _ string) tea.Cmd { return m.move("up") }},
		{"alt+down J", "Alt+↓ J", "move the node down", func(m *Model, _ string) tea.Cmd { return m.move("down") }},
		{"alt+right L", "Alt+→ L", "move the node into the one above it",
			func(m *Model, _ string) tea.Cmd { return m.move("in") }},
		{"alt+left H", "Alt+← H", "move the node out of its parent",
			func(m *Model, _ string) tea.Cmd { return m.move("out") }},
		{"delete", "Delete", "delete the node and all below it; asks first",
			func(m *Model, _ string) tea.Cmd { return m.remove() }},
		{"e", "e", "open the node's file in your editor (VISUAL, EDITOR)",
			func(m *Model, _ string) tea.Cmd { return m.edit() }},
		{"u ctrl+z", "u Ctrl+Z", "undo your last operation on this screen",
			func(m *Model, _ string) tea.Cmd { return m.undo() }},
		{"/", "/", "filter with the language of lists, as in tag:pay is:ready",
			func(m *Model, _ string) tea.Cmd { return m.ask() }},
		{"esc", "Esc", "drop what is chosen, and the filter", func(m *Model, _ string) tea.Cmd { return m.escape() }},
		{"?", "?", "show these keys", func(m *Model, _ string) tea.Cmd { m.help = true; return nil }},
		{"q ctrl+c", "q", "quit", func(m *Model, _ string) tea.Cmd { return m.quit() }},
	}
}

// press does what a key is bound to.
func (m *Model) press(key string) tea.Cmd {
	for _, b := range bindings() {
		for k := range strings.FieldsSeq(b.keys) {
			if k == key {
				m.said = ""
				return b.do(m, key)
			}
		}
	}
	m.say("no key " + key + "; ? shows all keys")
	return nil
}

// brief are the keys that the last line shows.
func (m *Model) brief() string {
	if m.w < oneBelow {
		return "n add  s start  c done  ? keys  q quit"
	}
	return "n add  s start  c complete  t tick  e edit  u undo  / filter  ? keys  q quit"
}

// helpLines draws the list of keys.
func (m *Model) helpLines() []string {
	all := [][]span{{{" Keys", bold}}}
	for _, b := range bindings() {
		shown := b.shown
		if m.style.ASCII {
			shown = strings.NewReplacer("↓", "Down", "↑", "Up", "→", "Right", "←", "Left").Replace(shown)
		}
		gap := strings.Repeat(" ", max(1, 14-len([]rune(shown))))
		all = append(all, []span{{" " + shown + gap, yellow}, {b.help, ""}})
	}
	for _, text := range []string{"",
		" While you type: Enter saves, Esc leaves and keeps the text, Ctrl+E opens your editor.",
		" In a new node: Enter adds a task, Tab a group and goes on below it, Shift+Tab goes one level up."} {
		all = append(all, []span{{text, ""}})
	}
	m.helpTop = max(0, min(m.helpTop, len(all)-m.body()))
	var lines []string
	for _, l := range all[m.helpTop:min(len(all), m.helpTop+m.body())] {
		lines = append(lines, m.line(m.w, "", l...))
	}
	return m.block(lines, m.w, m.body())
}

// inHelp answers a key while help is shown.
func (m *Model) inHelp(key string) tea.Cmd {
	switch key {
	case "down", "j":
		m.helpTop++
	case "up", "k":
		m.helpTop--
	case "pgdown", "space":
		m.helpTop += m.body() - 1
	case "pgup":
		m.helpTop -= m.body() - 1
	default:
		m.help = false
	}
	return nil
}
