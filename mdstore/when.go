package mdstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/mdstore/pattern"
)

// When returns the time that a person or a program means with a text at the time now: from and to are its first and
// last moment, the same one unless the text means a day. It reads what ParseTime reads, Unix milliseconds, a duration
// such as 2h30m for the time so long ago, now, 3 days ago, an hour ago, last week (a week ago), and the words for days
// that Day reads, where the day is that of now's location.
func When(text string, now time.Time) (from, to time.Time, err error) {
	whole := func(day time.Time) (time.Time, time.Time, error) {
		return day, day.AddDate(0, 0, 1).Add(-time.Nanosecond), nil
	}
	words := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if ms, err := strconv.ParseInt(words, 10, 64); err == nil {
		return time.UnixMilli(ms), time.UnixMilli(ms), nil
	}
	if d, err := time.ParseDuration(words); err == nil && d >= 0 {
		return now.Add(-d), now.Add(-d), nil
	}
	if at, err := time.Parse(DayLayout, words); err == nil {
		return whole(at)
	}
	if at, ok := ParseTime(words); ok {
		return at, at, nil
	}
	if day, ok := dayNamed(words, now); ok {
		return whole(day)
	}
	if words == "now" {
		return now, now, nil
	}
	if at, ok := before(words, now); ok {
		return at, at, nil
	}
	return from, to, fmt.Errorf("%q is not a time; write it as 2026-12-01, 2026-12-01T10:00:00 (UTC unless it says a "+
		"zone), yesterday, last week, 3 days ago, 2h30m, or Unix milliseconds", text)
}

// ParseTime reads a time or a date in ISO 8601, as files and programs have it, also with a blank instead of the T. One
// without a zone is in UTC.
func ParseTime(s string) (at time.Time, ok bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	if len(s) > len(DayLayout) && s[len(DayLayout)] == ' ' {
		s = s[:len(DayLayout)] + "T" + s[len(DayLayout)+1:]
	}
	for _, clock := range []string{"T15:04:05", "T15:04", ""} {
		for _, zone := range []string{"", "Z07:00", "Z0700"} {
			if clock == "" && zone != "" {
				continue
			}
			if at, err := time.Parse(DayLayout+clock+zone, s); err == nil {
				return at.UTC(), true
			}
		}
	}
	return at, false
}

// dayNamed returns the beginning of the day that a word names on the day of today: see Day.
func dayNamed(word string, today time.Time) (time.Time, bool) {
	plus := func(days int) (time.Time, bool) {
		y, m, d := today.Date()
		return time.Date(y, m, d+days, 0, 0, 0, 0, today.Location()), true
	}
	if days := slices.Index([]string{"yesterday", "today", "tomorrow"}, word); days >= 0 {
		return plus(days - 1)
	}
	name, past := strings.CutPrefix(word, "last ")
	for n := 1; n <= 7; n++ {
		days := n
		if past {
			days = -n
		}
		day := strings.ToLower(today.AddDate(0, 0, days).Weekday().String())
		if name == day || name == day[:3] {
			return plus(days)
		}
	}
	if number, ok := strings.CutPrefix(word, "+"); ok && number != "" {
		factor := map[byte]int{'d': 1, 'w': 7}[number[len(number)-1]]
		n, err := strconv.ParseUint(number[:len(number)-1], 10, 16)
		if err == nil && factor > 0 {
			return plus(int(n) * factor)
		}
	}
	return time.Time{}, false
}

var (
	ago = pattern.Of(`^(?:(\d{1,6}|[a-z]+) (second|minute|hour|day|week|month|year)s? ago|` +
		`last (second|minute|hour|day|week|month|year))$`)
	nth = pattern.Of(`^(?:(\d{1,6})(?:st|nd|rd|th) |([a-z]+) )?` +
		`(?:(latest|newest|last|most recent)|oldest|earliest|first)$`)
)

// numbers are the words for 1, 2, 3 and so on, and the ordinal ones. "a" and "an" are 1, too.
var (
	numbers  = strings.Fields("one two three four five six seven eight nine ten")
	ordinals = strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth")
)

// number returns the number that digits or a word mean, and ok is false for another word.
func number(text string, words []string) (n int, ok bool) {
	if n, err := strconv.Atoi(text); err == nil {
		return n, true
	}
	i := slices.Index(words, text)
	return i + 1, i >= 0
}

// before reads "3 days ago" and "last week".
func before(words string, now time.Time) (time.Time, bool) {
	m := ago().FindStringSubmatch(words)
	if m == nil {
		return now, false
	}
	n, unit := 1, m[2]+m[3]
	if ok := true; m[1] != "" && m[1] != "a" && m[1] != "an" {
		if n, ok = number(m[1], numbers); !ok {
			return now, false
		}
	}
	switch unit {
	case "second":
		return now.Add(-time.Duration(n) * time.Second), true
	case "minute":
		return now.Add(-time.Duration(n) * time.Minute), true
	case "hour":
		return now.Add(-time.Duration(n) * time.Hour), true
	case "day":
		return now.AddDate(0, 0, -n), true
	case "week":
		return now.AddDate(0, 0, -7*n), true
	case "month":
		return now.AddDate(0, -n, 0), true
	}
	return now.AddDate(-n, 0, 0), true
}

// Nth reads latest, oldest, 2nd latest, third oldest and the like: it returns 0, 1, … from the oldest, and -1, -2, …
// from the newest.
func Nth(text string) (index int, ok bool) {
	m := nth().FindStringSubmatch(strings.ToLower(strings.Join(strings.Fields(text), " ")))
	if m == nil {
		return 0, false
	}
	n := 1
	if which := m[1] + m[2]; which != "" {
		if n, ok = number(which, ordinals); !ok || n == 0 {
			return 0, false
		}
	}
	if m[3] != "" {
		return -n, true
	}
	return n - 1, true
}
