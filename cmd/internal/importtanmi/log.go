package importtanmi

import (
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// logRow is a row of a Log.md: time, operator and event. A pipe that is not the last belongs to the event.
var logRow = pattern.Of(`^\| (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \| ([^|\]\s](?:[^|\]\n]*[^|\]\s])?) \| (.*?) ?\|$`)

// log reads a Log.md; the original's times are local. If it holds anything but rows, it is attached.
func (w *workspace) log(file string) []mdstore.LogEntry {
	text, _ := w.src.text(file)
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
		m := append(logRow().FindStringSubmatch(line), "", "", "", "")
		local, err := time.ParseInLocation(mdstore.TimeLayout, m[1], zone)
		at := local.UTC().Format(mdstore.TimeLayout)
		if err != nil || len(at) != len(mdstore.TimeLayout) { // the year 10000
			w.src.keep(file, "not all of its lines are rows of time, operator and event")
			continue
		}
		list = append(list, mdstore.LogEntry{Time: at, Operator: m[2], Event: strings.TrimSpace(m[3])})
	}
	return fitList(w, file, list)
}

// problem reads a Problem.md.
func (w *workspace) problem(file string) mdstore.Problem {
	p, _ := w.src.page(file, nil, []string{"当前问题", "下一步"})
	return mdstore.Problem{Text: w.fit(p.sections["当前问题"], file), NextStep: w.fit(p.sections["下一步"], file)}
}
