package merge

import (
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/diff3"
	"arbor/mdstore/mdoc"
)

// A listed is the list of a section: its items, and what follows from the section's first subheading on.
type listed struct {
	items []mdoc.Item
	raw   []string // the items as they are written
	gaps  []string // behind the items
	tail  string
}

// listOf reads a section as a list; ok is false where that would leave a text out.
func listOf(d *mdoc.Doc, name string) (l listed, ok bool) {
	s, _ := d.Section(name)
	src, end := string(d.Bytes()), s.Body.End
	for _, h := range d.Headings() {
		if h.Span.Start >= s.Body.Start && h.Span.Start < end {
			end = h.Span.Start
		}
	}
	l = listed{items: d.Items(name), tail: text(src[end:s.Body.End])}
	at := s.Body.Start
	for i, it := range l.items {
		next := end
		if i+1 < len(l.items) {
			next = l.items[i+1].Span.Start
		}
		if i == 0 && strings.TrimSpace(src[at:it.Span.Start]) != "" || strings.TrimSpace(src[it.Span.End:next]) != "" {
			return l, false
		}
		l.raw = append(l.raw, src[it.Span.Start:it.Span.End])
		l.gaps = append(l.gaps, src[it.Span.End:next])
	}
	return l, len(l.items) > 0 || strings.TrimSpace(src[at:end]) == ""
}

// list returns the merged text of a section whose items key tells apart; ok is false where it can only be merged as text.
func (m *merging) list(name string, key func(string) string) (merged string, ok bool) {
	var lists [3]listed
	var items [3][]diff3.Item
	for i, d := range m.doc {
		if lists[i], ok = listOf(d, name); !ok {
			return "", false
		}
		rank := ""
		for k, it := range lists[i].items {
			if e := mdstore.ParseLog(it.Text); e.Time != "" {
				rank = e.Time
			}
			of := "- " + key(it.Text)
			if !it.Listed {
				of = it.Text
			}
			items[i] = append(items[i], diff3.Item{Key: of, Rank: rank, Value: lists[i].raw[k]})
		}
	}
	var out strings.Builder
	var want []mdoc.Item
	was := [2]int{-1, -1} // the side and the number of the item before
	for _, at := range diff3.Keyed(items[base], items[ours], items[theirs]) {
		from := [2]int{ours, at.Ours}
		if at.Ours < 0 {
			from = [2]int{theirs, at.Theirs}
		}
		it, raw := lists[from[0]].items[from[1]], lists[from[0]].raw[from[1]]
		if at.Ours >= 0 && at.Theirs >= 0 {
			it.Text, raw = m.item(name, lists, at)
		}
		switch {
		case len(want) == 0:
		case from[0] == was[0] && from[1] == was[1]+1:
			out.WriteString(lists[was[0]].gaps[was[1]])
		case it.Listed && want[len(want)-1].Listed:
			out.WriteString("\n")
		default:
			out.WriteString("\n\n")
		}
		out.WriteString(raw)
		want, was = append(want, it), from
	}
	if tail := choose([3]string{lists[base].tail, lists[ours].tail, lists[theirs].tail}); tail != "" {
		if lists[ours].tail != lists[theirs].tail && lists[ours].tail != lists[base].tail && lists[theirs].tail != lists[base].tail {
			return "", false
		}
		out.WriteString("\n\n" + tail)
	}
	merged = text(out.String())
	d, _ := mdoc.Parse("", []byte("---\n---\n\n## "+name+"\n\n"+merged+"\n"), m.kind.Form)
	same := func(a, b mdoc.Item) bool { return a.Text == b.Text && a.Listed == b.Listed }
	return merged, d.Text(name) == merged && slices.EqualFunc(d.Items(name), want, same)
}

// item returns the text of an item that both have, and how it is written. That a reference is expired is a change by itself. Where both
// changed the text, the one that gives way is noted.
func (m *merging) item(name string, lists [3]listed, at diff3.Pick) (text, raw string) {
	var was, rest, lines [3]string
	for i, k := range []int{at.Base, at.Ours, at.Theirs} {
		if k >= 0 {
			was[i], lines[i] = lists[i].items[k].Text, lists[i].raw[k]
			rest[i] = mdstore.Marked(was[i], false)
		}
	}
	if was[ours] == was[theirs] {
		return was[ours], choose(lines)
	}
	from := ours
	switch {
	case rest[ours] == rest[base]:
		from = theirs
	case rest[theirs] == rest[base], rest[ours] == rest[theirs]:
	default:
		if m.later < 0 || m.later == 0 && was[ours] < was[theirs] {
			from = theirs
		}
		m.gaveWay(name, was[ours+theirs-from])
		return was[from], lines[from]
	}
	expired := was[ours] != rest[ours]
	if expired == (was[base] != rest[base]) {
		expired = was[theirs] != rest[theirs]
	}
	if expired == (was[from] != rest[from]) {
		return was[from], lines[from]
	}
	return mdstore.Marked(was[from], expired), mdstore.Marked(lines[from], expired)
}
