package mdstore

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// DayLayout is the form of a date in files.
const DayLayout = time.DateOnly

// Day returns the date, in the form of DayLayout, that a person's word for it names on the day of today: the date
// itself, today, tomorrow, a day of the week such as fri or friday (the next one after today), or +3d, +2w.
func Day(word string, today time.Time) (string, error) {
	plus := func(days int) (string, error) { return today.AddDate(0, 0, days).Format(DayLayout), nil }
	lower := strings.ToLower(strings.TrimSpace(word))
	if day, err := time.Parse(DayLayout, lower); err == nil {
		return day.Format(DayLayout), nil
	}
	switch lower {
	case "today":
		return plus(0)
	case "tomorrow":
		return plus(1)
	}
	for days := 1; days <= 7; days++ {
		name := strings.ToLower(today.AddDate(0, 0, days).Weekday().String())
		if lower == name || lower == name[:3] {
			return plus(days)
		}
	}
	if number, ok := strings.CutPrefix(lower, "+"); ok && number != "" {
		factor := map[byte]int{'d': 1, 'w': 7}[number[len(number)-1]]
		n, err := strconv.ParseUint(number[:len(number)-1], 10, 16)
		if err == nil && factor > 0 {
			return plus(int(n) * factor)
		}
	}
	return "", fmt.Errorf("%q is not a date; write it as 2026-12-01, today, tomorrow, fri, +3d or +2w", word)
}
