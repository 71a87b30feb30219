package mdstore

import (
	"strings"
	"time"

	"arbor/mdstore/mdoc"
)

// TimeIn returns a time in Unix milliseconds as the value of a key of a document, in the form in which a time stands
// there already, with milliseconds and in its zone: 2026-12-01T10:00:00.000+01:00. A date alone gets a time in UTC.
// What is no date is Unix milliseconds.
func TimeIn(d *mdoc.Doc, key string, ms int64) mdoc.Scalar {
	f, ok := d.Field(key)
	was := strings.TrimSpace(f.Value)
	at, layout := time.UnixMilli(ms).UTC(), timeLayout(was)
	if !ok || layout == "" {
		return mdoc.Integer(ms)
	}
	if stood, err := time.Parse(layout, was); err == nil {
		at = at.In(stood.Location())
	}
	if layout == DayLayout {
		layout += "T15:04:05Z07:00"
	}
	hour, zone := layout[:len(DayLayout)+len("T15:04")], strings.TrimPrefix(layout[len(DayLayout)+len("T15:04"):], ":05")
	text := at.Format(hour + ":05.000" + zone)
	if src := d.Readable()[f.Span.Start:f.Span.End]; len(src) > 0 && (src[0] == '"' || src[0] == '\'') {
		return mdoc.Text(text)
	}
	return mdoc.Date(text)
}

// timeLayout returns the layout, for the package time, of a time that ParseTime reads; "" for another text.
func timeLayout(s string) string {
	for _, clock := range []string{"T15:04:05", "T15:04", ""} {
		for _, zone := range []string{"", "Z07:00", "Z0700"} {
			for _, between := range []string{"T", " ", "t"} {
				layout := DayLayout + strings.Replace(clock, "T", between, 1) + zone
				if _, err := time.Parse(layout, s); err == nil && (clock != "" || zone == "") {
					return layout
				}
			}
		}
	}
	return ""
}
