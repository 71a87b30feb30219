package ops

import (
	"strconv"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// since reads a point in time in any of the forms that people and programs write. param is the parameter that has it.
func since(param, s string, now time.Time) (time.Time, error) {
	if ms, err := strconv.ParseInt(s, 10, 64); err == nil {
		return time.UnixMilli(ms), nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, mdstore.TimeLayout, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	words := strings.ToLower(strings.TrimSpace(s))
	switch words {
	case "now", "today":
		return now, nil
	case "yesterday":
		return now.AddDate(0, 0, -1), nil
	}
	if m := ago().FindStringSubmatch(words); m != nil {
		n, err := strconv.Atoi(m[1])
		unit := map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour}[m[2]]
		switch {
		case err != nil || n > 1e6:
		case unit > 0:
			return now.Add(-time.Duration(n) * unit), nil
		case m[2] == "day":
			return now.AddDate(0, 0, -n), nil
		case m[2] == "week":
			return now.AddDate(0, 0, -7*n), nil
		case m[2] == "month":
			return now.AddDate(0, -n, 0), nil
		default:
			return now.AddDate(-n, 0, 0), nil
		}
	}
	return time.Time{}, badParam(param, "%s %q: 2026-01-01 10:00:00 (UTC), RFC 3339, Unix milliseconds, a duration such as 2h30m, "+
		"or \"2 days ago\" are expected", param, s)
}

var ago = pattern.Of(`^(\d+) (second|minute|hour|day|week|month|year)s? ago$`)
