package view

import (
	"slices"
	"time"

	"arbor/mdstore"
)

// SessionLife is how long a session stays open without a line in its log.
const SessionLife = 24 * time.Hour

// SessionEnded returns when a session ended, in Unix milliseconds: as its file says, or else the time of its last line,
// if that is 24 hours ago. 0 means that it is open.
func SessionEnded(p *mdstore.Page, now time.Time) int64 {
	if p.Field(mdstore.KeyEnded) != "" {
		return max(1, p.Time(mdstore.KeyEnded))
	}
	old := func(ms int64) bool { return ms < now.Add(-SessionLife).UnixMilli() }
	last := p.Time(mdstore.KeyStarted)
	if last == 0 || !old(last) || p.Editable() != nil {
		return 0
	}
	for _, l := range slices.Backward(p.Log()) {
		if at, err := time.Parse(mdstore.TimeLayout, l.Time); err == nil {
			last = max(last, at.UnixMilli())
			break
		}
	}
	if !old(last) {
		return 0
	}
	return last
}
