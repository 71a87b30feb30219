package mdstore

import (
	"slices"

	"arbor/mdstore/mdoc"
)

const (
	// MaxLogged is the size in bytes beyond which the older entries of a file that grows by itself go to another file
	// beside it. It leaves room below MaxFileSize for one more text.
	MaxLogged = 900_000

	keptLog = 100_000 // bytes of the newest entries of a log that stay
)

// SplitLog moves the older entries of a log to a document of their own. Every byte of the log is in one of the two, in
// its order, and every other byte stays. ok is false if the log is short, or would not read back as before.
func SplitLog(d *mdoc.Doc, id ID) (older, rest []byte, ok bool) {
	items := d.Items(SecLog)
	at := slices.IndexFunc(items, func(it mdoc.Item) bool {
		return it.Span.Start >= items[len(items)-1].Span.End-keptLog
	})
	if at <= 0 {
		return nil, nil, false
	}
	src, cut := d.Bytes(), mdoc.Span{Start: items[0].Span.Start, End: items[at].Span.Start}
	older = slices.Concat([]byte("---\n"+KeyID+": "+string(id)+"\n---\n\n## "+SecLog+"\n\n"), src[cut.Start:cut.End])
	rest = slices.Concat(src[:cut.Start], src[cut.End:])

	same := func(a, b mdoc.Item) bool { return a.Text == b.Text && a.Listed == b.Listed }
	o, wrong := mdoc.Parse("", older, SessionForm)
	r, wrongToo := mdoc.Parse("", rest, SessionForm)
	bytesOf := func(src []byte, s mdoc.Section) string { return string(src[s.Body.Start:s.Body.End]) }
	ok = len(wrong)+len(wrongToo) == 0 &&
		slices.EqualFunc(o.Items(SecLog), items[:at], same) && slices.EqualFunc(r.Items(SecLog), items[at:], same) &&
		slices.EqualFunc(d.Sections(), r.Sections(), func(a, b mdoc.Section) bool {
			return a.Title == b.Title && (a.Name == SecLog || bytesOf(src, a) == bytesOf(rest, b))
		})
	return older, rest, ok
}
