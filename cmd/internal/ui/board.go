package ui

import (
	"fmt"
	"strings"

	"arbor/context/render"
)

// leastColumn is how wide a column of the board is at least; if they do not fit side by side, one stands below the
// other.
const leastColumn = 22

// A boardPlace is the cursor on the board.
type boardPlace struct {
	top    int   // the first line that is shown, where columns stand below one another
	scroll []int // the first card that is shown, by column
}

// boardAt returns the column and card of the node under the cursor; -1 if it is on none.
func (m *Model) boardAt() (x, y int) {
	id := m.plan.selected()
	for x, c := range m.plan.columns {
		for y, card := range c.cards {
			if card.ID == id {
				return x, y
			}
		}
	}
	return -1, -1
}

// boardLines draws the board: its columns side by side, or below one another.
func (m *Model) boardLines(width int) []string {
	n, height := len(m.plan.columns), m.body()
	if n == 0 {
		return m.block(nil, width, height)
	}
	atX, atY := m.boardAt()
	if width < n*leastColumn {
		return m.stacked(width, height, atX, atY)
	}
	for len(m.board.scroll) < n {
		m.board.scroll = append(m.board.scroll, 0)
	}
	all := make([]string, height)
	for x, c := range m.plan.columns {
		w := width / n
		if x == n-1 {
			w = width - w*(n-1)
		}
		at := -1
		if x == atX {
			at = atY
		}
		top := window(m.board.scroll[x], max(at, 0), height-1, len(c.cards))
		if at < 0 {
			top = max(0, min(m.board.scroll[x], len(c.cards)-height+1))
		}
		m.board.scroll[x] = top
		lines := []string{m.columnHead(c, w)}
		for y := top; y < min(len(c.cards), top+height-1); y++ {
			lines = append(lines, m.cardLine(c.cards[y], w, y == at))
		}
		for y, l := range m.block(lines, w, height) {
			all[y] += l
		}
	}
	return all
}

// stacked draws the columns of the board below one another, as far as they are on the screen.
func (m *Model) stacked(width, height, atX, atY int) []string {
	n, at := 0, 0
	for x, c := range m.plan.columns {
		if x == atX {
			at = n + 1 + atY
		}
		n += 1 + len(c.cards)
	}
	m.board.top = window(m.board.top, at, height, n)
	var lines []string
	line := 0
	for x, c := range m.plan.columns {
		if line >= m.board.top && len(lines) < height {
			lines = append(lines, m.columnHead(c, width))
		}
		line++
		first := min(max(m.board.top-line, 0), len(c.cards))
		for y := first; y < len(c.cards) && len(lines) < height; y++ {
			lines = append(lines, m.cardLine(c.cards[y], width, x == atX && y == atY))
		}
		line += len(c.cards)
	}
	return m.block(lines, width, height)
}

func (m *Model) columnHead(c *column, width int) string {
	head := span{fmt.Sprintf(" %s %s %d", render.SignOf(c.status, m.style.ASCII), c.status, len(c.cards)), bold}
	line := strings.Repeat(m.sign("─", "-"), max(0, width-1-render.Columns(head.text)))
	return m.line(width, "", head, span{" " + line, dim})
}

// cardLine draws a node of the board, with the title of the node above it.
func (m *Model) cardLine(r row, width int, at bool) string {
	over := ""
	if at {
		if over = reversed; m.focus != boardPane {
			over = bold
		}
	}
	all := []span{{m.mark(r.ID, at, boardPane) + r.Title, render.ColorOf(r.Status)}}
	for _, mark := range m.marks(r) {
		all = append(all, span{"  " + mark.Text, mark.SGR})
	}
	if r.above != nil && r.depth > 1 {
		all = append(all, span{"  " + m.sign("‹ ", "< ") + r.above.Title, dim})
	}
	return m.line(width, over, all...)
}
