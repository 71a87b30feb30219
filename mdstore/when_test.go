package mdstore_test

import (
	"testing"
	"time"

	"arbor/mdstore"
)

// All forms of a time that the documentation names, and those of memcord, are read by one reader.
func TestWhen(t *testing.T) {
	now := time.Date(2026, 11, 27, 14, 30, 0, 0, time.FixedZone("", 3600)) // a Friday
	const form = "2006-01-02T15:04:05Z"
	for text, want := range map[string][2]string{
		"2024-01-05T00:00:00":       {"2024-01-05T00:00:00Z"},
		"2024-01-05 10:00":          {"2024-01-05T10:00:00Z"},
		"2024-01-05T10:00:00.5Z":    {"2024-01-05T10:00:00Z"},
		"2024-01-05t10:00:00+02:00": {"2024-01-05T08:00:00Z"},
		"2024-01-05T10:00:00+0200":  {"2024-01-05T08:00:00Z"},
		"1704412800000":             {"2024-01-05T00:00:00Z"},
		"2024-01-05":                {"2024-01-05T00:00:00Z", "2024-01-05T23:59:59Z"},
		"today":                     {"2026-11-26T23:00:00Z", "2026-11-27T22:59:59Z"},
		"Yesterday":                 {"2026-11-25T23:00:00Z", "2026-11-26T22:59:59Z"},
		"last friday":               {"2026-11-19T23:00:00Z", "2026-11-20T22:59:59Z"},
		"now":                       {"2026-11-27T13:30:00Z"},
		"2h30m":                     {"2026-11-27T11:00:00Z"},
		"an hour ago":               {"2026-11-27T12:30:00Z"},
		"2 hours  ago":              {"2026-11-27T11:30:00Z"},
		"three days ago":            {"2026-11-24T13:30:00Z"},
		"last week":                 {"2026-11-20T13:30:00Z"},
		"a month ago":               {"2026-10-27T13:30:00Z"},
		"last year":                 {"2025-11-27T13:30:00Z"},
		"":                          {}, "soon": {}, "2026-13-01": {}, "days ago": {}, "-2h": {}, "latest": {}, "last": {}, "many days ago": {},
	} {
		from, to, err := mdstore.When(text, now)
		if want[1] == "" {
			want[1] = want[0]
		}
		if want[0] == "" {
			if err == nil {
				t.Errorf("When(%q) = %v, want an error", text, from)
			}
			continue
		}
		if got := [2]string{from.UTC().Format(form), to.UTC().Format(form)}; err != nil || got != want {
			t.Errorf("When(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestNth(t *testing.T) {
	for text, want := range map[string]int{"latest": -1, "Newest": -1, "2nd latest": -2, "third  latest": -3, "most recent": -1,
		"oldest": 0, "first": 0, "2nd oldest": 1, "10th oldest": 9} {
		if got, ok := mdstore.Nth(text); !ok || got != want {
			t.Errorf("Nth(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "1", "late", "0th latest", "eleventh latest", "2 latest", "yesterday"} {
		if got, ok := mdstore.Nth(text); ok {
			t.Errorf("Nth(%q) = %d, want none", text, got)
		}
	}
}
