package mdstore

import (
	"bytes"
	"slices"
	"strings"

	"arbor/mdstore/mdoc"
)

const (
	// MaxLogged is the size in bytes of a file that grows by itself, beyond which what is older goes to another file beside it. It leaves
	// room below MaxFileSize for one more text.
	MaxLogged = 900_000

	keptLog   = 100_000 // bytes of the newest entries of a log that stay
	splitLogs = 20      // places where a log is tried to be split
)

// SplitLog moves the older entries of a log to a document of their own. Every byte of the log is in one of the two, in its order, and
// every other byte stays. ok is false where the log is short, or cannot be split so that both read back as before.
func SplitLog(d *mdoc.Doc, id ID) (older, rest []byte, ok bool) {
	items := d.Items(SecLog)
	from := slices.IndexFunc(items, func(it mdoc.Item) bool { return it.Span.Start >= items[len(items)-1].Span.End-keptLog })
	for at := from; at > 0 && at < min(len(items), from+splitLogs); at++ {
		src, cut := d.Bytes(), mdoc.Span{Start: items[0].Span.Start, End: items[at].Span.Start}
		rest = slices.Concat(src[:cut.Start], src[cut.End:])
		eol, title := "\n", ""
		if bytes.Contains(d.Front(), []byte("\r\n")) {
			eol = "\r\n"
		}
		for _, s := range d.Sections() {
			if s.Name == SecLog {
				title = s.Title
			}
		}
		head := strings.Join([]string{"---", KeyID + ": " + string(id), "---", "", "## " + title, "", ""}, eol)
		older = append([]byte(head), src[cut.Start:cut.End]...)
		if splitWell(d, items, at, older, rest) {
			return older, rest, true
		}
	}
	return nil, nil, false
}

// splitWell reports whether the two documents read as the one did: the entries before at in the older one, and all else in the rest.
func splitWell(d *mdoc.Doc, items []mdoc.Item, at int, older, rest []byte) bool {
	same := func(a, b mdoc.Item) bool { return a.Text == b.Text && a.Listed == b.Listed }
	o, wrong := mdoc.Parse("", older, SessionForm)
	r, wrongToo := mdoc.Parse("", rest, SessionForm)
	if len(wrong)+len(wrongToo) > 0 || !slices.EqualFunc(o.Items(SecLog), items[:at], same) || !slices.EqualFunc(r.Items(SecLog), items[at:], same) {
		return false
	}
	return slices.EqualFunc(d.Sections(), r.Sections(), func(a, b mdoc.Section) bool {
		return a.Title == b.Title && (a.Name == SecLog || bytes.Equal(d.Bytes()[a.Body.Start:a.Body.End], rest[b.Body.Start:b.Body.End]))
	})
}
