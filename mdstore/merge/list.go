package merge

import (
	"cmp"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/diff3"
	"arbor/mdstore/mdoc"
)

// A listed is an item of a section with its source, and the text between it and the next one.
type listed struct {
	mdoc.Item
	raw, gap string
}

// listOf reads a section as a list, and what follows from the first subheading on; ok is false if a text is in
// neither.
func listOf(d *mdoc.Doc, name string) (list []listed, tail string, ok bool) {
	s, _ := d.Section(name)
	src, end := string(d.Bytes()), s.Body.End
	for _, h := range slices.Backward(d.Headings()) {
		if h.Span.Start >= s.Body.Start && h.Span.Start < end {
			end = h.Span.Start
		}
	}
	items, next := d.Items(name), end
	gaps := ""
	for _, it := range slices.Backward(items) {
		l := listed{it, src[it.Span.Start:it.Span.End], src[it.Span.End:next]}
		list, next, gaps = append(list, l), it.Span.Start, gaps+l.gap
	}
	slices.Reverse(list)
	return list, text(src[end:s.Body.End]), strings.TrimSpace(gaps+src[s.Body.Start:next]) == ""
}

// list returns the merged text of a section of documents whose items key tells apart; ok is false if it can only be
// merged as text.
func (m *merging) list(docs [3]*mdoc.Doc, name string, key func(string) string) (merged string, ok bool) {
	var lists [3][]listed
	var tails [3]string
	var items [3][]diff3.Item
	for i, d := range docs {
		if lists[i], tails[i], ok = listOf(d, name); !ok {
			return "", false
		}
		rank := ""
		if m.winner() > 0 && i == theirs || m.winner() < 0 && i == ours {
			rank = "~" // entries without a time come after those of the side that wins
		}
		for _, it := range lists[i] {
			if e := mdstore.ParseLog(it.Text); e.Time != "" {
				rank = e.Time
			}
			of := "- " + key(it.Text)
			if !it.Listed {
				of = it.Text
			}
			items[i] = append(items[i], diff3.Item{Key: of, Rank: rank, Value: it.raw})
		}
	}
	if tails[ours] != tails[theirs] && tails[ours] != tails[base] && tails[theirs] != tails[base] {
		return "", false
	}
	var out strings.Builder
	var want []listed
	was := [2]int{-1, -1} // the side and the number of the item before
	for _, at := range diff3.Keyed(items[base], items[ours], items[theirs]) {
		from := [2]int{ours, at.Ours}
		if at.Ours < 0 {
			from = [2]int{theirs, at.Theirs}
		}
		it := lists[from[0]][from[1]]
		if at.Ours >= 0 && at.Theirs >= 0 {
			var old listed
			if at.Base >= 0 {
				old = lists[base][at.Base]
			}
			it = m.item(name, [3]listed{old, it, lists[theirs][at.Theirs]})
		}
		switch {
		case len(want) == 0:
		case from[0] == was[0] && from[1] == was[1]+1:
			out.WriteString(lists[was[0]][was[1]].gap)
		case it.Listed && want[len(want)-1].Listed:
			out.WriteString("\n")
		default:
			out.WriteString("\n\n")
		}
		out.WriteString(it.raw)
		want, was = append(want, it), from
	}
	if tail := choose(tails); tail != "" {
		out.WriteString("\n\n" + tail)
	}
	merged = text(out.String())
	d, _ := mdoc.Parse("", []byte("---\n---\n\n## "+name+"\n\n"+merged+"\n"), m.kind.Form)
	same := func(a mdoc.Item, b listed) bool { return a.Text == b.Text && a.Listed == b.Listed }
	return merged, d.Text(name) == merged && slices.EqualFunc(d.Items(name), want, same)
}

// item merges an item that both sides have. The expired mark of a reference is merged separately. If both changed the
// text, it notes the one that loses.
func (m *merging) item(name string, v [3]listed) listed {
	if v[ours].Text == v[theirs].Text {
		v[ours].raw = choose([3]string{v[base].raw, v[ours].raw, v[theirs].raw})
		return v[ours]
	}
	texts := [3]string{"- " + v[base].Text, "- " + v[ours].Text, "- " + v[theirs].Text}
	if text, ok := ticks(texts); ok && name == mdstore.SecCriteria {
		v[ours].Text = strings.TrimPrefix(text, "- ")
		v[ours].raw, _ = ticks([3]string{v[base].raw, v[ours].raw, v[theirs].raw})
		return v[ours]
	}
	var rest [3]string
	var expired [3]bool
	for i, it := range v {
		rest[i] = mdstore.Marked(it.Text, false)
		expired[i] = slices.Equal(strings.Fields(it.Text), strings.Fields(mdstore.Marked(it.Text, true)))
	}
	from, is := ours, expired[ours]
	if is == expired[base] {
		is = expired[theirs]
	}
	switch later := cmp.Or(m.later, cmp.Compare(v[ours].Text, v[theirs].Text)); {
	case rest[ours] == rest[base]:
		from = theirs
	case rest[theirs] == rest[base], rest[ours] == rest[theirs]:
	case later < 0:
		from = theirs
		fallthrough
	default:
		m.gaveWay(name, v[ours+theirs-from].Text)
	}
	if is != expired[from] {
		v[from].Text, v[from].raw = mdstore.Marked(v[from].Text, is), mdstore.Marked(v[from].raw, is)
	}
	return v[from]
}
