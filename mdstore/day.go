package mdstore

import (
	"fmt"
	"strings"
	"time"
)

// DayLayout is the form of a date in files.
const DayLayout = time.DateOnly

// Day returns the date, in the form of DayLayout, that a person's word for it names on the day of today: the date
// itself, today, tomorrow, yesterday, a day of the week such as fri or friday (the next one after today), last fri, or
// +3d, +2w.
func Day(word string, today time.Time) (string, error) {
	lower := strings.ToLower(strings.TrimSpace(word))
	if day, err := time.Parse(DayLayout, lower); err == nil {
		return day.Format(DayLayout), nil
	}
	if day, ok := dayNamed(lower, today); ok {
		return day.Format(DayLayout), nil
	}
	return "", fmt.Errorf("%q is not a date; write it as 2026-12-01, today, tomorrow, fri, +3d or +2w", word)
}
