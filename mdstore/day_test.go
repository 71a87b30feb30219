package mdstore_test

import (
	"testing"
	"time"

	"arbor/mdstore"
)

func TestDay(t *testing.T) {
	today := time.Date(2026, 11, 27, 23, 59, 0, 0, time.FixedZone("", 3600)) // a Friday
	for word, want := range map[string]string{
		"2026-12-01": "2026-12-01", "today": "2026-11-27", "Tomorrow": "2026-11-28", "sat": "2026-11-28",
		"Thursday": "2026-12-03", "yesterday": "2026-11-26", "last fri": "2026-11-20", "last week": "", "2 days ago": "", "1767225600000": "",
		"fri": "2026-12-04", "+0d": "2026-11-27", "+3d": "2026-11-30", "+2W": "2026-12-11", " +10d ": "2026-12-07",
		"": "", "2026-13-01": "", "2026-2-1": "", "frid": "", "+": "", "+d": "", "+3": "", "+-3d": "", "+3m": "",
		"+99999d": "", "3d": "",
	} {
		if got, err := mdstore.Day(word, today); got != want || (err != nil) != (want == "") {
			t.Errorf("Day(%q) = %q, %v; want %q", word, got, err, want)
		}
	}
}
