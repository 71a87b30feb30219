package ui

import (
	tea "charm.land/bubbletea/v2"
)

// step moves the cursor by n nodes; in the pane of a node it scrolls by n lines.
func (m *Model) step(n int) tea.Cmd {
	p := &m.plan
	switch m.focus {
	case nodePane:
		m.node.top += n // drawing keeps it within the text
		m.node.top = max(0, min(m.node.top, 1<<20))
	case boardPane:
		x, y := m.boardAt()
		if x < 0 {
			return m.across(1)
		}
		cards := p.columns[x].cards
		p.reveal(cards[max(0, min(y+n, len(cards)-1))].ID)
	default:
		p.at = max(0, min(p.at+n, len(p.rows)-1))
	}
	return nil
}

// across goes right or left: it folds in the outline, and goes to another column on the board.
func (m *Model) across(d int) tea.Cmd {
	p := &m.plan
	if m.focus == boardPane {
		x, y := m.boardAt()
		for i := x + d; i >= 0 && i < len(p.columns); i += d {
			if cards := p.columns[i].cards; len(cards) > 0 {
				p.reveal(cards[max(0, min(y, len(cards)-1))].ID)
				return nil
			}
		}
		return nil
	}
	if m.focus == nodePane || len(p.rows) == 0 {
		return nil
	}
	r := p.rows[p.at]
	open := len(r.Children) > 0 && (!p.folded[r.ID] || p.query != "")
	switch {
	case d > 0 && p.folded[r.ID]:
		delete(p.folded, r.ID)
		p.flatten()
	case d > 0 && open:
		p.at++
	case d < 0 && open && p.query == "" && r.above != nil:
		p.folded[r.ID] = true
		p.flatten()
	case d < 0 && r.above != nil:
		p.goTo(r.above.ID)
	}
	return nil
}

// foldAll collapses every node but the root, or expands all if some are collapsed.
func (m *Model) foldAll() tea.Cmd {
	p := &m.plan
	id := p.selected()
	if len(p.folded) > 0 {
		clear(p.folded)
	} else {
		for _, r := range p.rows {
			if r.above != nil && len(r.Children) > 0 {
				p.folded[r.ID] = true
			}
		}
	}
	p.flatten()
	if !p.goTo(id) {
		p.at = min(p.at, max(0, len(p.rows)-1))
	}
	return nil
}

// turn goes to another pane.
func (m *Model) turn(d int) tea.Cmd {
	m.focus = (m.focus + pane(d) + 3) % 3
	if m.focus != outlinePane {
		m.aside = m.focus
	}
	return nil
}

// openNode shows the node beside the outline, or goes back to what was there.
func (m *Model) openNode() tea.Cmd {
	switch {
	case m.focus == nodePane:
		m.focus, m.aside = outlinePane, boardPane
	case m.w < oneBelow || m.w >= threeAbove:
		m.focus = nodePane
	case m.aside == nodePane:
		m.aside = boardPane
	default:
		m.focus, m.aside = outlinePane, nodePane
	}
	return nil
}

// escape goes back: from the node to the outline, then it drops the selection, then the filter.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.focus != outlinePane && m.w < oneBelow:
		m.focus = outlinePane
	case len(m.refused) > 0:
		clear(m.refused)
	case len(m.selected) > 0:
		clear(m.selected)
	case m.filter != "":
		m.filter = ""
		return m.reload()
	case m.focus != outlinePane:
		m.focus = outlinePane
	}
	return nil
}

// choose selects the node under the cursor, or no longer, and goes to the next one.
func (m *Model) choose() tea.Cmd {
	id := m.plan.selected()
	if id == "" {
		return nil
	}
	if m.selected[id] {
		delete(m.selected, id)
	} else {
		m.selected[id] = true
	}
	if m.focus != nodePane {
		m.step(1)
	}
	return nil
}
