package render_test

import (
	"fmt"
	"testing"

	"arbor/context/render"
)

// TestTreesAllocateLittle holds a drawing of a thousand rows to a budget of allocations for each.
func TestTreesAllocateLittle(t *testing.T) {
	const n = 1000
	rows := make([]render.TreeRow, n)
	for i := range rows {
		rows[i] = render.TreeRow{Depth: min(i, i%7), ID: fmt.Sprintf("node-mjv3xk00-%06d", i), Title: fmt.Sprintf("Anmeldung 登录 %d", i), Type: "execution", Status: "pending", Problem: i%50 == 0}
	}
	rows[0].Depth = 0
	for i := 1; i < n; i++ {
		rows[i].Depth = min(rows[i].Depth, rows[i-1].Depth+1)
	}
	for _, c := range []struct {
		style  render.Style
		budget float64 // of allocations for each row
	}{{render.Style{}, 1.5}, {render.Style{Width: 60, ASCII: true}, 1.8}, {render.Style{Markdown: true}, 0.2}} {
		per := testing.AllocsPerRun(5, func() { render.Tree(rows, c.style) }) / n
		t.Logf("%+v: %.2f", c.style, per)
		if per > c.budget {
			t.Errorf("a tree in %+v takes %.2f allocations for each of %d rows; %.1f are the budget", c.style, per, n, c.budget)
		}
	}
}
