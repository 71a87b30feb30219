package ui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"arbor/context/render"
)

// A promptKind says what is asked for.
type promptKind int

const (
	promptAdd    promptKind = iota // the title of a new node, in the outline
	promptRename                   // a new title, in the outline
	promptFilter                   // a query; the plan follows while it is typed
	promptText                     // the text that an action needs
	promptPick                     // one of several answers, each a key
	promptTick                     // boxes to tick, in the pane of the node
)

// A prompt is what the screen asks for. Its text is kept when it is left or refused.
type prompt struct {
	what  promptKind
	label string // before the input
	help  string // what keys do meanwhile
	draft string // the name under which the text is kept; "" keeps none
	runes []rune
	at    int // the place of the text cursor among the runes

	node         string   // that the text is about
	more         []string // further nodes of the same action
	title        string   // of these nodes
	above, after string   // of a new node: its parent, and the sibling before it; "" is the last place
	do           string   // the action
	force        bool     // the action is refused unless it is forced
	picks        map[string]func() tea.Cmd
	saving       bool   // the text is being saved, and what is typed next is about the result
	file         string // has the text as the person's editor left it; "" for none
}

func (p *prompt) text() string { return string(p.runes) }

func (p *prompt) set(text string) { p.runes, p.at = []rune(text), utf8.RuneCountInString(text) }

func (p *prompt) insert(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	in := []rune(text)
	p.runes = append(p.runes[:p.at:p.at], append(in, p.runes[p.at:]...)...)
	p.at += len(in)
}

// edit answers a key that edits the text. It reports whether it is one.
func (p *prompt) edit(key tea.KeyPressMsg) bool {
	word := func() int {
		i := p.at
		for i > 0 && p.runes[i-1] == ' ' {
			i--
		}
		for i > 0 && p.runes[i-1] != ' ' {
			i--
		}
		return i
	}
	cut := func(from, to int) { p.runes, p.at = append(p.runes[:from:from], p.runes[to:]...), from }
	switch key.String() {
	case "left", "ctrl+b":
		p.at = max(0, p.at-1)
	case "right", "ctrl+f":
		p.at = min(len(p.runes), p.at+1)
	case "home", "ctrl+a":
		p.at = 0
	case "end":
		p.at = len(p.runes)
	case "backspace", "ctrl+h":
		cut(max(0, p.at-1), p.at)
	case "delete", "ctrl+d":
		cut(p.at, min(len(p.runes), p.at+1))
	case "ctrl+w", "alt+backspace":
		cut(word(), p.at)
	case "ctrl+u":
		cut(0, p.at)
	case "ctrl+k":
		cut(p.at, len(p.runes))
	default:
		if key.Text == "" {
			return false
		}
		p.insert(key.Text)
	}
	return true
}

// ask opens the filter.
func (m *Model) ask() tea.Cmd {
	m.prompt = &prompt{what: promptFilter, label: "/", help: "Enter keeps the filter, Esc drops it"}
	m.prompt.set(m.filter)
	return nil
}

// inPrompt answers a key while something is asked for.
func (m *Model) inPrompt(key tea.KeyPressMsg) tea.Cmd {
	p, name := m.prompt, key.String()
	switch {
	case p.what == promptPick:
		m.prompt = nil
		if do := p.picks[name]; do != nil {
			return do()
		}
		m.say("nothing was done")
		return nil
	case p.what == promptTick:
		return m.tick(name)
	case name == "esc":
		return m.leave()
	case name == "enter":
		return m.enter()
	case name == "ctrl+e" && p.what == promptText:
		return m.editText()
	case name == "ctrl+o" && p.force:
		return m.perform(m.transition(p, true))
	case p.what == promptAdd && name == "tab":
		return m.indent()
	case p.what == promptAdd && name == "shift+tab":
		return m.outdent()
	}
	before := p.text()
	p.edit(key)
	m.say("")
	if p.what == promptFilter && p.text() != before {
		return m.reload()
	}
	return nil
}

// leave ends the prompt without doing anything. Its text is kept.
func (m *Model) leave() tea.Cmd {
	p := m.prompt
	m.keep(p)
	m.prompt = nil
	switch {
	case p.what == promptFilter:
		m.filter, m.wrong = "", ""
		return m.reload()
	case p.draft != "" && strings.TrimSpace(p.text()) != "":
		m.say("not saved; the same key brings back what you typed")
	}
	return nil
}

// keep keeps the text of a prompt for the next time that the same is asked for.
func (m *Model) keep(p *prompt) {
	if p.draft == "" {
		return
	}
	if delete(m.drafts, p.draft); strings.TrimSpace(p.text()) != "" {
		m.drafts[p.draft] = p.text()
	}
}

// unsaved returns the texts that were typed and not saved.
func (m *Model) unsaved() (all []string) {
	if m.prompt != nil {
		m.keep(m.prompt)
	}
	for _, text := range m.drafts {
		all = append(all, text)
	}
	return all
}

// inputText returns the text of a prompt as one line, as far as it fits into so many columns around the cursor, and the
// column of the cursor in it.
func (m *Model) inputText(p *prompt, room int) (text string, at int) {
	shown := func(r []rune) string {
		return render.Visible(strings.ReplaceAll(string(r), "\n", m.sign("↵", "|")))
	}
	from := 0
	for from < p.at && render.Columns(shown(p.runes[from:p.at])) > max(0, room-1) {
		from++
	}
	return shown(p.runes[from:]), render.Columns(shown(p.runes[from:p.at]))
}

// promptLine draws the prompt in the last line, and returns the column of the text cursor; -1 for none.
func (m *Model) promptLine(p *prompt, width int) (string, int) {
	if p.what == promptPick || p.what == promptTick {
		return m.line(width, "", span{" " + p.label, yellow}, span{"  " + p.help, dim}), -1
	}
	label := " " + render.Truncate(p.label, max(4, width/3), m.style.ASCII) + " "
	lead := render.Columns(label)
	text, at := m.inputText(p, width-lead)
	spans := []span{{label, yellow}, {text, ""}}
	if free := width - lead - render.Columns(text) - 3; free > render.Columns(p.help) {
		spans = append(spans, span{"   " + p.help, dim})
	}
	return m.line(width, "", spans...), min(lead+at, width-1)
}

// inputRow returns the line of the outline in which a title is typed; -1 for none.
func (m *Model) inputRow() int {
	p := m.prompt
	switch {
	case p == nil:
		return -1
	case p.what == promptRename:
		return m.plan.row(p.node)
	case p.what != promptAdd:
		return -1
	}
	for _, id := range []string{p.after, p.above} {
		if i := m.plan.row(id); id != "" && i >= 0 {
			return m.plan.end(i)
		}
	}
	return len(m.plan.rows)
}

// inputLine draws the line of the outline in which a title is typed, and returns the column of the text cursor.
func (m *Model) inputLine(width int) (string, int) {
	p := m.prompt
	depth := 0
	if i := m.plan.row(p.node); p.what == promptRename && i >= 0 {
		depth = m.plan.rows[i].depth
	} else if i := m.plan.row(p.above); i >= 0 {
		depth = m.plan.rows[i].depth + 1
	}
	sign := "> "
	if p.saving {
		sign = m.sign("… ", "..")
	}
	lead := " " + strings.Repeat("  ", min(depth, width/6)) + sign
	used := render.Columns(lead)
	text, at := m.inputText(p, width-used)
	return m.line(width, "", span{lead, yellow}, span{text, bold}), min(used+at, width-1)
}

// inputAt returns where the text cursor is if a title is typed in the outline; row is -1 if none is.
func (m *Model) inputAt() (column, row int) {
	i := m.inputRow()
	if i < 0 {
		return 0, -1
	}
	left := 0
	for _, p := range m.places() {
		if p.pane == outlinePane {
			_, at := m.inputLine(p.width)
			return left + at, headLines + i - m.plan.top
		}
		left += p.width + 1
	}
	return 0, -1
}
