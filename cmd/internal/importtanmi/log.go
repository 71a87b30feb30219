package importtanmi

import (
	"sort"
	"strings"
	"time"

	"arbor/mdstore"
)

// parseLog reads a Log.md: rows of time, operator and event. Times are local, as they stand. Whatever is no such row becomes an entry
// without time and operator, so that it stays where a person put it.
func parseLog(text string) []mdstore.LogEntry {
	var list []mdstore.LogEntry
	loose := false // the entry before is made of lines of another form, and this one may go on
	titled := false
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			loose = false
			continue
		}
		if title, ok := sectionTitle(line); ok && !titled && (title == "日志" || fold(title) == "log") {
			titled = true
			continue
		}
		cells, row := tableRow(line)
		if row && (isHead(cells) || i > 0 && ruler(cells) && headLine(lines[i-1])) {
			loose = false
			continue
		}
		e := mdstore.LogEntry{Event: strings.TrimRight(line, " \t")}
		if row {
			e = rowEntry(cells, line)
			loose = false
		} else if item, ok := strings.CutPrefix(line, "- "); ok {
			e = mdstore.ParseLog(item)
			loose = false
		}
		if loose && e.Time == "" {
			list[len(list)-1].Event += "\n" + e.Event
			continue
		}
		list = append(list, e)
		loose = e.Time == "" && !row
	}
	return list
}

func isHead(cells []string) bool {
	return len(cells) == 3 && (cells[0] == "时间" && cells[1] == "操作者" || fold(cells[0]) == "time" && fold(cells[1]) == "operator")
}

func headLine(line string) bool {
	cells, _ := tableRow(line)
	return isHead(cells)
}

// rowEntry reads a row. A pipe that nobody escaped belongs to the event.
func rowEntry(cells []string, line string) mdstore.LogEntry {
	if len(cells) < 3 || ruler(cells) {
		return mdstore.LogEntry{Event: strings.TrimSpace(line)}
	}
	event := strings.TrimSpace(cellText(strings.Join(cells[2:], " | ")))
	operator := strings.ReplaceAll(cells[1], "]", ")")
	at, ok := logTime(cells[0])
	if !ok || operator == "" {
		return mdstore.LogEntry{Event: strings.TrimSpace(cells[0]+" "+cells[1]) + ": " + event}
	}
	return mdstore.LogEntry{Time: at, Operator: operator, Event: event}
}

// logTime returns a log's time in Arbor's form.
func logTime(s string) (string, bool) {
	for _, layout := range []string{mdstore.TimeLayout, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006/01/02 15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 {
			return t.Format(mdstore.TimeLayout), true
		}
	}
	return "", false
}

// mergeLogs joins two logs by time. An entry without time stays behind the one before it.
func mergeLogs(a, b []mdstore.LogEntry) []mdstore.LogEntry {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	type timed struct {
		at string
		e  mdstore.LogEntry
	}
	var all []timed
	for _, list := range [][]mdstore.LogEntry{a, b} {
		at := ""
		for _, e := range list {
			if e.Time != "" {
				at = e.Time
			}
			all = append(all, timed{at, e})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at < all[j].at })
	merged := make([]mdstore.LogEntry, len(all))
	for i, t := range all {
		merged[i] = t.e
	}
	return merged
}

// parseProblem reads a Problem.md. Text in other sections stays with the problem.
func parseProblem(text string) mdstore.Problem {
	p := parsePage(text, []string{"当前问题", "下一步"})
	var problem, next string
	more := []string{p.before}
	for _, s := range p.sections {
		body := s.body
		if body == "（暂无）" || body == "(暂无)" {
			body = ""
		}
		switch fold(s.title) {
		case "当前问题", "问题", "current problem", "problem":
			problem = paragraphs(problem, body)
		case "下一步", "next step", "next steps":
			next = paragraphs(next, body)
		default:
			more = append(more, "### "+s.title+"\n\n"+body)
		}
	}
	for _, f := range p.fields {
		more = append(more, f.raw)
	}
	return mdstore.Problem{Text: paragraphs(append([]string{problem}, more...)...), NextStep: next}
}
