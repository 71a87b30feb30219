package cli

import (
	"cmp"
	"strconv"
	"strings"

	"arbor/context/render"
	"arbor/engine/ops"
)

func showStats(sh *shell, out *ops.PlanStatsOut) error {
	facts, byStatus := out.Words(), map[string]int{}
	if out.Overdue > 0 {
		facts = append(facts, strconv.Itoa(out.Overdue)+" overdue")
	}
	for _, c := range out.ByStatus {
		byStatus[string(c.Status)] = c.Nodes
	}
	if sh.flags.quiet {
		return sh.print(strings.Join(facts, ", "))
	}
	style := sh.style()
	text := strings.Join(facts, ", ") + "\n"
	if legend := render.Legend(byStatus, style); legend != "" {
		text += legend + "\n"
	}
	for _, part := range []struct {
		name string
		all  []ops.Tally
	}{{"By assignee", out.ByAssignee}, {"By tag", out.ByTag}} {
		var rows [][]cell
		for _, t := range part.all {
			row := []cell{{text: cmp.Or(t.Name, "(none)")}}
			for _, c := range []struct {
				n    int
				what string
			}{{t.Open, "open"}, {t.Done, "done"}, {t.GivenUp, "given up"}, {t.Overdue, "overdue"}} {
				said := cell{}
				if c.n > 0 {
					said.text = strconv.Itoa(c.n) + " " + c.what
				}
				row = append(row, said)
			}
			rows = append(rows, row)
		}
		if len(rows) > 0 {
			text += "\n" + style.Paint("1", part.name) + "\n" + strings.Join(sh.rows(rows), "\n") + "\n"
		}
	}
	var weeks []string
	var days []int
	for i, d := range out.Days {
		if i%7 == 0 {
			weeks = append(weeks, d.Day)
		}
		days = append(days, d.Done)
	}
	text += "\n" + style.Paint("1", "Done by day, Monday to Sunday") + "\n" + render.Weeks(weeks, days, style)
	return sh.print(text)
}
