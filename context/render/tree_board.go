package render

import (
	"fmt"
	"strconv"
	"strings"

	"arbor/statemachine"
)

// A BoardHead is the text above and below the tree of a workspace at a glance.
type BoardHead struct {
	ID, Name, Goal string
	Archived       bool
	Rules          int
	Verify         []string // the tools that must pass before an execution node is completed
	Progress       statemachine.Outcomes
	ByStatus       map[string]int // of all nodes
	Problem        BoardProblem   // of the workspace itself
	Problems       []BoardProblem // of nodes
	Damaged        []string       // file:line:col: code: text
	MoreProblems   int            // not in Problems
	MoreDamaged    int            // not in Damaged
}

// A BoardProblem is an open problem; the zero value is none. Only the first line of its texts is shown.
type BoardProblem struct{ ID, Title, Problem, NextStep string }

// problems returns the workspace's problem, if there is one, and then those of the nodes.
func (h BoardHead) problems() []BoardProblem {
	if h.Problem == (BoardProblem{}) {
		return h.Problems
	}
	h.Problem.ID, h.Problem.Title = "", "the workspace"
	return append([]BoardProblem{h.Problem}, h.Problems...)
}

const barCells = 20

// Board draws a workspace at a glance: its head, the tree of rows, then problems and diagnostics. Its lines are like
// those of Tree.
func Board(h BoardHead, rows []TreeRow, style Style) string {
	if style.Markdown {
		return markdownBoard(h, rows)
	}
	p := style.pieces()
	var b strings.Builder
	line := func(s string) { b.WriteString(s + "\n") }
	name := Visible(h.Name)
	tail := "  " + Visible(h.ID)
	if h.Archived {
		tail += "  archived"
	}
	if style.Width > 0 {
		name = Truncate(name, max(narrowTitle, style.Width-Columns(tail)), style.ASCII)
	}
	line(style.Paint(bold, name) + style.Paint(dim, tail))
	if goal := Visible(h.Goal); goal != "" {
		if style.Width > 0 {
			goal = Truncate(goal, max(narrowTitle, style.Width), style.ASCII)
		}
		line(goal)
	}
	if len(h.Verify) > 0 {
		line("verify " + Visible(strings.Join(h.Verify, ", ")))
	}
	line("")
	facts := append(h.Progress.Words(), count(h.Rules, "rule"))
	facts[0] = bar(h.Progress.Done, h.Progress.Work(), style) + " " + facts[0]
	problems := h.problems()
	if n := len(problems) + h.MoreProblems; n > 0 {
		facts = append(facts, style.Paint(yellow, count(n, "problem")))
	}
	if n := len(h.Damaged) + h.MoreDamaged; n > 0 {
		facts = append(facts, style.Paint(red, count(n, "diagnostic")))
	}
	line(strings.Join(facts, p.separator))
	if legend := Legend(h.ByStatus, style); legend != "" {
		line(legend)
	}
	line("")
	b.WriteString(Tree(rows, style))
	if len(problems) > 0 {
		line("\n" + style.Paint(bold, "Problems"))
		for _, pr := range problems {
			who := Visible(pr.Title)
			if pr.ID != "" {
				who += " " + style.Paint(dim, Visible(pr.ID))
			}
			line("  " + style.Paint(yellow, "!") + " " + who + ": " + firstLine(pr.Problem, p.more))
			if pr.NextStep != "" {
				line("    next: " + firstLine(pr.NextStep, p.more))
			}
		}
		more(line, h.MoreProblems, p)
	}
	if len(h.Damaged) > 0 {
		line("\n" + style.Paint(bold, "Diagnostics"))
		for _, d := range h.Damaged {
			line("  " + style.Paint(red, "!!") + " " + Visible(d))
		}
		more(line, h.MoreDamaged, p)
	}
	return b.String()
}

func more(line func(string), n int, p pieces) {
	if n > 0 {
		line("  " + p.more + " " + strconv.Itoa(n) + " more")
	}
}

// Legend says how many nodes are in which status, with the signs of a tree; "" for no nodes.
func Legend(byStatus map[string]int, style Style) string {
	var parts []string
	known := 0
	for _, s := range signs {
		if n := byStatus[string(s.status)]; n > 0 {
			parts = append(parts, style.Paint(s.color, SignOf(s.status, style.ASCII))+" "+strconv.Itoa(n)+" "+string(s.status))
			known += n
		}
	}
	total := 0
	for _, n := range byStatus {
		total += n
	}
	if rest := total - known; rest > 0 {
		parts = append(parts, style.Paint(red, SignOf("", style.ASCII))+" "+strconv.Itoa(rest)+" in no known status")
	}
	return strings.Join(parts, style.pieces().separator)
}

// bar draws how much is done. It is full only when everything is done, and empty only when nothing is.
func bar(done, of int, style Style) string {
	p := style.pieces()
	full := 0
	if of > 0 {
		full = min(barCells, barCells*done/of)
	}
	if full == 0 && done > 0 {
		full = 1
	}
	out := style.Paint(green, strings.Repeat(p.full, full)) + style.Paint(dim, strings.Repeat(p.empty, barCells-full))
	if style.ASCII {
		out = "[" + out + "]"
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// firstLine returns the first line of a text, safe to print, with a sign if more lines follow.
func firstLine(s, more string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(VisibleLines(s)), "\n")
	if strings.TrimSpace(rest) != "" {
		first += " " + more
	}
	return Visible(first)
}

func markdownBoard(h BoardHead, rows []TreeRow) string {
	esc := func(s string) string { return EscapeMarkdown(Visible(s)) }
	p := Style{}.pieces()
	var b strings.Builder
	item := func(s string) { b.WriteString("- " + strings.TrimSpace(s) + "\n") }
	fmt.Fprintf(&b, "# %s %s\n\n", esc(h.Name), codeSpan(h.ID))
	if h.Goal != "" {
		b.WriteString("Goal: " + esc(h.Goal) + "\n\n")
	}
	facts := append(h.Progress.Words(), count(h.Rules, "rule"))
	for _, s := range signs {
		if n := h.ByStatus[string(string(s.status))]; n > 0 {
			facts = append(facts, strconv.Itoa(n)+" "+string(s.status))
		}
	}
	if h.Archived {
		facts = append(facts, "archived")
	}
	b.WriteString(strings.Join(facts, ", ") + "\n\n" + markdownTree(rows))
	if problems := h.problems(); len(problems) > 0 {
		b.WriteString("\n## Problems\n\n")
		for _, pr := range problems {
			who := esc(pr.Title)
			if pr.ID != "" {
				who += " " + codeSpan(pr.ID)
			}
			b.WriteString("- " + who + ": " + EscapeMarkdown(firstLine(pr.Problem, p.more)))
			if pr.NextStep != "" {
				b.WriteString(" Next: " + EscapeMarkdown(firstLine(pr.NextStep, p.more)))
			}
			b.WriteByte('\n')
		}
		more(item, h.MoreProblems, Style{ASCII: true}.pieces())
	}
	if len(h.Damaged) > 0 {
		b.WriteString("\n## Diagnostics\n\n")
		for _, d := range h.Damaged {
			item(esc(d))
		}
		more(item, h.MoreDamaged, Style{ASCII: true}.pieces())
	}
	return b.String()
}
