package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"arbor/context/render"
	"arbor/statemachine"
)

const (
	oneBelow   = 64  // columns below which one pane is shown at a time
	threeAbove = 140 // columns from which outline, board and node stand side by side
	least      = 20  // columns below which nothing is drawn
	headLines  = 1
	mostSaid   = 5 // lines that a message takes at most
)

// A place is a pane with its columns on the screen.
type place struct {
	pane  pane
	width int
}

// places returns the panes that are shown, from left to right. One column between two panes is a line.
func (m *Model) places() []place {
	beside := m.aside
	if m.focus != outlinePane {
		beside = m.focus
	}
	switch {
	case m.w < oneBelow:
		return []place{{m.focus, m.w}}
	case m.w < threeAbove:
		left := (m.w - 1) / 2
		return []place{{outlinePane, left}, {beside, m.w - 1 - left}}
	}
	left, right := m.w*3/10, m.w*3/10
	if m.focus == boardPane {
		return []place{{outlinePane, left}, {boardPane, m.w - 1 - left}} // room for its columns side by side
	}
	return []place{{outlinePane, left}, {boardPane, m.w - 2 - left - right}, {nodePane, right}}
}

// body is how many lines the panes have.
func (m *Model) body() int { return max(1, m.h-headLines-len(m.foot().lines)) }

// View draws the screen.
func (m *Model) View() tea.View {
	lines, cursor := m.draw()
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen, v.Cursor, v.WindowTitle = true, cursor, "arbor: "+render.Visible(m.plan.name)
	return v
}

// draw returns exactly h lines of w columns each, and where the text cursor is; nil for nowhere.
func (m *Model) draw() (lines []string, cursor *tea.Cursor) {
	if m.w < least || m.h < 5 {
		return m.block([]string{m.line(m.w, "", span{"too small", ""})}, m.w, m.h), nil
	}
	lines = append(lines, m.head())
	if m.help {
		lines = append(lines, m.helpLines()...)
	} else {
		lines = append(lines, m.panes()...)
	}
	foot := m.foot()
	if foot.at >= 0 {
		cursor = tea.NewCursor(foot.at, m.h-1)
	}
	if at, row := m.inputAt(); row >= 0 {
		cursor = tea.NewCursor(at, row)
	}
	return append(lines, foot.lines...), cursor
}

// head is the first line: the workspace, its progress, and the filter.
func (m *Model) head() string {
	p := &m.plan
	n := p.progress.Done + p.progress.Open
	all := []span{{" " + p.name, bold}, {fmt.Sprintf("  %d/%d done", p.progress.Done, n), ""}}
	if query := m.query(); query != "" && m.wrong == "" {
		found := m.sign("…", "...") // until the plan follows
		if p.query == query {
			found = fmt.Sprint(p.matches)
		}
		all = append(all, span{"  filter: " + query + " (" + found + ")", yellow})
	}
	if n := len(m.selected); n > 0 {
		all = append(all, span{fmt.Sprintf("  %d chosen", n), yellow})
	}
	if p.lost > 0 {
		all = append(all, span{fmt.Sprintf("  %d not in the tree: arbor check", p.lost), red})
	}
	if m.gone != nil {
		all = append(all, span{"  " + m.gone.Error(), red})
	}
	return m.line(m.w, reversed, all...)
}

// A foot is the end of the screen: the last message, then what is being typed or the most used keys.
type foot struct {
	lines []string
	at    int // the column of the text cursor in the last line; -1 for none
}

func (m *Model) foot() (f foot) {
	f.at = -1
	inLine := m.prompt != nil && m.inputRow() < 0
	said, sgr := m.said, green
	if m.failed {
		sgr = red
	}
	if m.wrong != "" {
		said, sgr = m.wrong, red
	}
	if no := m.refused[m.plan.selected()]; said == "" && m.prompt == nil {
		said, sgr = no.text, red
	}
	if said != "" {
		wrapped := strings.Split(strings.TrimRight(render.Wrap(render.Visible(said), m.w-2), "\n"), "\n")
		for _, l := range wrapped[:min(len(wrapped), mostSaid, max(1, m.h-4))] {
			f.lines = append(f.lines, m.line(m.w, "", span{" " + l, sgr}))
		}
	}
	switch {
	case inLine:
		line, at := m.promptLine(m.prompt, m.w)
		f.lines, f.at = append(f.lines, line), at
	case m.prompt != nil && !m.failed:
		f.lines = []string{m.line(m.w, "", span{" " + m.prompt.help, dim})}
	case said == "":
		f.lines = []string{m.line(m.w, "", span{" " + m.brief(), dim})}
	}
	return f
}

// panes draws the panes side by side.
func (m *Model) panes() []string {
	all := make([]string, m.body())
	for i, p := range m.places() {
		var lines []string
		switch p.pane {
		case outlinePane:
			lines = m.outline(p.width)
		case boardPane:
			lines = m.boardLines(p.width)
		case nodePane:
			lines = m.nodeLines(p.width)
		}
		border := m.style.Paint(dim, m.sign("│", "|"))
		if p.pane == m.focus {
			border = m.sign("┃", "#")
		}
		for y := range all {
			if i > 0 {
				all[y] += border
			}
			all[y] += lines[y]
		}
	}
	return all
}

// outline draws the rows around the cursor, and no others.
func (m *Model) outline(width int) []string {
	p, height := &m.plan, m.body()
	n, at := len(p.rows), p.at
	input := m.inputRow()
	if input >= 0 {
		n, at = n+1, input
		if m.prompt.what == promptRename {
			n--
		}
	}
	p.top = window(p.top, at, height, n)
	var lines []string
	for y := p.top; y < min(n, p.top+height); y++ {
		switch i := y; {
		case y == input:
			line, _ := m.inputLine(width)
			lines = append(lines, line)
		default:
			if input >= 0 && y > input && m.prompt.what == promptAdd {
				i--
			}
			lines = append(lines, m.rowLine(p.rows[i], width, i == p.at && input < 0))
		}
	}
	if n == 0 {
		lines = append(lines, m.line(width, "", span{" nothing matches; / changes the filter", dim}))
	}
	return m.block(lines, width, height)
}

// rowLine draws a node of the outline. Its marks stand at the right edge, if there is room for them.
func (m *Model) rowLine(r row, width int, at bool) string {
	over := ""
	if at {
		if over = reversed; m.focus != outlinePane {
			over = bold
		}
	}
	fold := "  "
	switch {
	case len(r.Children) > 0 && m.plan.query == "" && m.plan.folded[r.ID]:
		fold = m.sign("▸ ", "+ ")
	case len(r.Children) > 0:
		fold = m.sign("▾ ", "- ")
	}
	lead := m.mark(r.ID, at, outlinePane) + strings.Repeat("  ", min(r.depth, width/6)) + fold
	sign := render.SignOf(r.Status, m.style.ASCII) + " "
	var marks []span
	used := render.Columns(lead) + render.Columns(sign)
	room := width - used - min(render.Columns(r.Title), max(12, (width-used)*2/3))
	for _, mark := range m.marks(r) {
		if w := render.Columns(mark.Text) + 2; w <= room {
			marks, room = append(marks, span{"  " + mark.Text, mark.SGR}), room-w
		}
	}
	taken := 0
	for _, s := range marks {
		taken += render.Columns(s.text)
	}
	title := span{r.Title, m.titleColor(r)}
	return m.line(width-taken, over, span{lead, ""}, span{sign, render.ColorOf(r.Status)}, title) +
		m.line(taken, over, marks...)
}

// marks are what stands behind the title of a node: first a change that is under way, or one that failed.
func (m *Model) marks(r row) []render.Mark {
	all := render.MarksOf(r.treeRow(), m.style.ASCII)
	if word := m.underWay(r.ID, ""); word != "" {
		return slices.Insert(all, 0, render.Mark{Text: m.sign("… ", "... ") + word, SGR: yellow})
	}
	if no, failed := m.refused[r.ID]; failed {
		return slices.Insert(all, 0, render.Mark{Text: "! " + no.word, SGR: red})
	}
	return all
}

// mark is the first column of a node: the cursor also without colours, and whether the node is selected.
func (m *Model) mark(id string, at bool, in pane) string {
	switch {
	case m.selected[id]:
		return "*"
	case at && !m.style.Color && m.focus == in:
		return ">"
	case at && !m.style.Color:
		return "."
	}
	return " "
}

// titleColor tells nodes of the filter from those that only lead to them.
func (m *Model) titleColor(r row) string {
	if r.Passed || statemachine.Terminal(r.Status) {
		return dim
	}
	return ""
}
