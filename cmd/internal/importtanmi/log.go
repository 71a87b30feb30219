package importtanmi

import (
	"regexp"
	"strings"
	"time"

	"arbor/mdstore"
)

// logRow is a row of a Log.md: time, operator and event. A pipe that is not the last belongs to the event.
var logRow = regexp.MustCompile(`^\| (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \| ([^|\]\n]*[^|\]\s]) \| (.*?) ?\|$`)

// log reads a Log.md; the original's times are local. Where it holds anything but rows, it is attached.
func (w *workspace) log(file string) []mdstore.LogEntry {
	text, ok := w.src.text(file)
	if !ok {
		return nil
	}
	w.src.used[file] = true
	zone := w.opt.Zone
	if zone == nil {
		zone = time.UTC
	}
	var list []mdstore.LogEntry
	for _, line := range strings.Split(text, "\n") {
		switch line = strings.TrimSpace(line); line {
		case "", "## 日志", "| 时间 | 操作者 | 事件 |", "|------|--------|------|":
			continue
		}
		m := logRow.FindStringSubmatch(line)
		if m == nil {
			w.src.keep(file, "not all of its lines are rows of time, operator and event")
			continue
		}
		at, err := time.ParseInLocation(mdstore.TimeLayout, m[1], zone)
		if err != nil || at.UTC().Year() < 1 || at.UTC().Year() > 9999 {
			w.src.keep(file, "%s is no time", m[1])
			continue
		}
		list = append(list, mdstore.LogEntry{
			Time: at.UTC().Format(mdstore.TimeLayout), Operator: strings.TrimSpace(m[2]), Event: strings.TrimSpace(m[3]),
		})
	}
	return fitList(w, file, list, logSize)
}

// problem reads a Problem.md.
func (w *workspace) problem(file string) mdstore.Problem {
	text, ok := w.src.text(file)
	if !ok {
		return mdstore.Problem{}
	}
	w.src.used[file] = true
	p := parsePage(text, nil, []string{"当前问题", "下一步"})
	if p.odd != "" {
		w.src.keep(file, "%s", p.odd)
	}
	return mdstore.Problem{Text: w.fit(p.sections["当前问题"], file), NextStep: w.fit(p.sections["下一步"], file)}
}
