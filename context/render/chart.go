package render

import (
	"slices"
	"strconv"
	"strings"
)

// Weeks draws numbers by day, from a Monday on, with one line per week: its first day, a bar for each day, and the sum.
func Weeks(first []string, days []int, style Style) string {
	bars, none := []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "·"
	if style.ASCII {
		bars, none = []string{".", ":", "-", "=", "+", "*", "%", "#"}, " "
	}
	most := max(1, slices.Max(append(days, 0)))
	var b strings.Builder
	for i, week := range first {
		line, sum := "", 0
		for _, n := range days[7*i : min(7*i+7, len(days))] {
			sign := style.Paint(dim, none)
			if n > 0 {
				sign = style.Paint(green, bars[(n*len(bars)-1)/most])
			}
			line += " " + sign
			sum += n
		}
		b.WriteString(week + " " + line + strings.Repeat("  ", max(0, 7*i+7-len(days))) + "  " + strconv.Itoa(sum) + "\n")
	}
	return b.String()
}
