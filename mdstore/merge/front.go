package merge

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/diff3"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// ruleOf returns the merge rule of a key: that of its row in the table of the kind, or a conflict without one.
func (m *merging) ruleOf(key string) mdstore.MergeRule {
	if k := m.kind.Key(key); k != nil {
		return k.Merge
	}
	return mdstore.MergeConflict
}

// An entry is a key of the front matter with its lines, or a line between keys.
type entry struct {
	key, raw string
	field    mdoc.Field
	at       int // the offset of raw
}

// with returns the lines with another value, written as it stands in front matter; "" if a comment would be lost.
func (e entry) with(value string) string {
	from, to := e.field.Span.Start-e.at, e.field.Span.End-e.at
	switch {
	case value == "" || strings.Contains(value, "\n"):
		return ""
	case from < to && strings.Count(e.raw, "\n") == 1:
		return e.raw[:from] + value + e.raw[to:]
	case strings.Contains(e.raw, "#"):
		return ""
	}
	return e.key + ": " + value + "\n"
}

// entriesOf cuts the front matter: the line that opens it with all above, the entries, and the line that closes it.
func entriesOf(d *mdoc.Doc) (head string, all []entry, tail string, err error) {
	lines := slices.Collect(strings.Lines(string(d.Front())))
	open := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "---") })
	head, tail = strings.Join(lines[:open+1], ""), lines[len(lines)-1]
	fields := map[int]mdoc.Field{}
	for _, f := range d.Fields() {
		if _, twice := fields[f.Line]; twice {
			return "", nil, "", asText("two keys stand in line %d", f.Line)
		}
		fields[f.Line] = f
	}
	at, last := len(head), -1 // the last key
	for i := open + 1; i < len(lines)-1; i++ {
		l := lines[i]
		f, is := fields[i+1]
		switch {
		case is:
			last = len(all)
			all = append(all, entry{f.Key, l, f, at})
		case last < 0 || strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#"):
			all = append(all, entry{raw: l})
		default: // a further line of a value, with blank lines and comments
			for _, e := range all[last+1:] {
				all[last].raw += e.raw
			}
			all[last].raw += l
			all = all[:last+1]
		}
		at += len(l)
	}
	return head, all, tail, nil
}

// front returns the merged front matter.
func (m *merging) front() (string, error) {
	var head, tail [3]string
	var all [3][]entry
	var items [3][]diff3.Item
	for i, d := range m.doc {
		var err error
		if head[i], all[i], tail[i], err = entriesOf(d); err != nil {
			return "", err
		}
		for _, e := range all[i] {
			it := diff3.Item{Key: "line " + e.raw}
			if e.key != "" {
				it = diff3.Item{Key: "key " + e.key, Value: m.says(e, d)}
			}
			items[i] = append(items[i], it)
		}
	}
	var out strings.Builder
	out.WriteString(choose(head))
	for _, at := range diff3.Keyed(items[base], items[ours], items[theirs]) {
		var e [3]entry
		for i, k := range []int{at.Base, at.Ours, at.Theirs} {
			if k >= 0 {
				e[i] = all[i][k]
			}
		}
		switch {
		case at.Ours < 0:
			out.WriteString(m.only(theirs, e))
		case at.Theirs < 0 || e[ours].key == "":
			out.WriteString(m.only(ours, e))
		default:
			out.WriteString(m.field(e))
		}
	}
	out.WriteString(choose(tail))
	return out.String(), nil
}

// only returns the lines of an entry that only one side has. A hash of the rules that this side changed is computed
// anew: the other side may have changed the rules.
func (m *merging) only(side int, e [3]entry) string {
	x := e[side]
	if m.ruleOf(x.key) != mdstore.MergeHash {
		return x.raw
	}
	var v [3]string // the side without the key counts as unchanged
	if e[base].key != "" {
		was := m.says(e[base], m.doc[base])
		v = [3]string{was, was, was}
	}
	if v[side] = m.says(x, m.doc[side]); !m.hashed(v) {
		return x.raw
	}
	return cmp.Or(x.with(strconv.Quote(mdstore.RulesHash(m.rules))), x.raw)
}

// choose returns the side that changed something; ours if both did.
func choose(v [3]string) string {
	if v[ours] == v[base] {
		return v[theirs]
	}
	return v[ours]
}

// says returns the value of an entry regardless of how it is written; for a value that Arbor cannot read, its source.
func (m *merging) says(e entry, d *mdoc.Doc) string {
	items, plain := d.Texts(e.key)
	switch {
	case plain && (m.ruleOf(e.key) == mdstore.MergeUnite || e.field.Kind == mdoc.Nested && m.kind.Key(e.key) == nil):
		return mdoc.List(items...).String()
	case e.field.Kind == mdoc.Nested:
		return e.raw
	}
	return strconv.Itoa(int(e.field.Kind)) + e.field.Value
}

// field returns the lines of a key that both sides have.
func (m *merging) field(e [3]entry) string {
	var v, raw, literal [3]string
	for i, x := range e {
		if x.key != "" {
			v[i], raw[i], literal[i] = m.says(x, m.doc[i]), x.raw, m.doc[i].Slice(x.field.Span)
		}
	}
	key, wins := e[ours].key, cmp.Or(m.later, cmp.Compare(v[ours], v[theirs]))
	o, t := e[ours].field, e[theirs].field
	conflict := m.marks.Between(raw[ours], raw[theirs])
	if m.wins != Nobody {
		conflict = raw[m.wins]
	}
	switch r := m.ruleOf(key); {
	case r == mdstore.MergeHash && m.hashed(v):
		return cmp.Or(e[ours].with(strconv.Quote(mdstore.RulesHash(m.rules))), conflict)
	case v[ours] == v[theirs]:
		return m.alike(key, raw, conflict)
	case v[ours] == v[base]:
		wins = -1
	case v[theirs] == v[base]:
		wins = 1
	case r == mdstore.MergeUnite && m.plainLists(key), m.ownSets(key):
		list := mdoc.List(unite(m.doc[base].List(key), m.doc[ours].List(key), m.doc[theirs].List(key))...).String()
		out := united(e, raw, list)
		if out == "" && m.wins != Nobody {
			m.gaveWay(key, "")
		}
		return cmp.Or(out, conflict)
	case r == mdstore.MergeNewest && number(m.doc[ours], key) > 0 && number(m.doc[theirs], key) > 0:
		wins = cmp.Compare(number(m.doc[ours], key), number(m.doc[theirs], key))
	case m.wins != Nobody:
		m.gaveWay(key, "")
	case r == mdstore.MergeStatus:
		wins = m.status(o.Value, t.Value)
	case r == mdstore.MergeNoted && m.keyOf(mdstore.SecLog) != nil:
		m.gaveWay(key, []string{o.Value, t.Value}[max(wins, 0)])
	case r == mdstore.MergeLater:
	case m.slots != nil && (key == mdstore.KeyID || key == mdstore.KeyCreated): // a slot that was made twice
		made := func(i int) int64 { return cmp.Or(number(m.doc[i], mdstore.KeyCreated), 1<<62) }
		wins = cmp.Or(cmp.Compare(made(theirs), made(ours)), cmp.Compare(v[theirs], v[ours]))
	default:
		return conflict
	}
	if wins > 0 {
		return m.rewritten(e, raw, literal, ours, theirs, conflict)
	}
	return m.rewritten(e, raw, literal, theirs, ours, conflict)
}

// united returns the lines of a key with the list of both sides, "" if that would lose somebody's remark.
func united(e [3]entry, raw [3]string, list string) (lines string) {
	o, t, b := remarks(raw[ours]), remarks(raw[theirs]), remarks(raw[base])
	if t == b || t == o {
		lines = e[ours].with(list)
	}
	if lines == "" && (o == b || o == t) {
		lines = e[theirs].with(list)
	}
	return lines
}

// rewritten returns the lines of a key with the value of one side, in the YAML style of the other side if this loses no
// comment. A comment that one side removed and the other changed stays.
func (m *merging) rewritten(e [3]entry, raw, literal [3]string, valid, other int, conflict string) string {
	mine, its, was := remarks(raw[valid]), remarks(raw[other]), remarks(raw[base])
	switch with := e[other].with(literal[valid]); {
	case raw[other] == raw[base]:
		return raw[valid]
	case with != "" && (mine == was || mine == its || mine == ""):
		return with
	case its == was || its == mine || its == "":
		return raw[valid]
	}
	return m.clash(e[ours].key, conflict)
}

// alike returns the lines of a key that means the same on both sides, with the remarks that one of them changed.
func (m *merging) alike(key string, raw [3]string, conflict string) string {
	o, t, b := remarks(raw[ours]), remarks(raw[theirs]), remarks(raw[base])
	switch {
	case o == t, t == b:
		return choose(raw)
	case o == b:
		return raw[theirs]
	}
	return m.clash(key, conflict)
}

// clash returns the lines of a key of which both sides changed the comment. If one side wins, the other's lines are not
// in the result, which is noted.
func (m *merging) clash(key, conflict string) string {
	if m.wins != Nobody && !slices.Contains(m.notes, key) {
		m.gaveWay(key, "")
	}
	return conflict
}

// remarks returns the comments in the lines of a key.
func remarks(raw string) string {
	var all []string
	for line := range strings.Lines(raw) {
		if at := remark.FindStringIndex(line); at != nil {
			all = append(all, strings.TrimSpace(line[at[0]:]))
		}
	}
	return strings.Join(all, "\n")
}

// remark finds a comment of YAML in a line: also a text in quotes or of several lines that has what looks like one.
var remark = regexp.MustCompile(`(^|[ \t])#`)

// plainLists reports whether the items of a list are plain values on all sides, so that it can be written anew.
func (m *merging) plainLists(key string) bool {
	return !slices.ContainsFunc(m.doc[:], func(d *mdoc.Doc) bool {
		_, plain := d.Texts(key)
		return !plain
	})
}

// ownSets reports whether a key that the kind does not know holds a list of texts on each side that has it, without any
// twice, and both sides only added and removed some: their order means something only to the person whose key it is.
func (m *merging) ownSets(key string) bool {
	if m.kind.Key(key) != nil || !m.plainLists(key) {
		return false
	}
	was := m.doc[base].List(key)
	for _, d := range m.doc {
		f, ok := d.Field(key)
		is, literal := d.List(key), d.Slice(f.Span)
		once := slices.Sorted(slices.Values(is))
		left := slices.DeleteFunc(slices.Clone(was), func(s string) bool { return !slices.Contains(is, s) })
		kept := slices.DeleteFunc(slices.Clone(is), func(s string) bool { return !slices.Contains(was, s) })
		text := func(s string) bool {
			return mdoc.List(s).String() == "["+s+"]" || strings.Contains(literal, `"`+s) || strings.Contains(literal, "'"+s)
		}
		if ok && (f.Kind != mdoc.Nested || len(slices.Compact(once)) < len(is) || !slices.Equal(left, kept) ||
			slices.ContainsFunc(is, func(s string) bool { return !text(s) })) {
			return false
		}
	}
	return true
}

// hashed reports whether the merge computes the hash of the rules anew: a side other than the winner changed it. A
// winner keeps the hash that it has, as after an edit by hand.
func (m *merging) hashed(v [3]string) bool {
	return v[ours] != v[base] && m.wins != OursWin || v[theirs] != v[base] && m.wins != TheirsWin
}

// gaveWay notes a text that is not in the result, if the file has a log. If one side wins, it notes the key or section
// instead.
func (m *merging) gaveWay(what, text string) {
	if m.wins != Nobody {
		m.notes = append(m.notes, cmp.Or(what, "the text above the sections"))
		return
	}
	if text = strings.Join(strings.Fields(text), " "); text != "" && m.keyOf(mdstore.SecLog) != nil {
		m.notes = append(m.notes, "replaced "+what+": "+text)
	}
}

// unite returns the items that neither side removed, and then the added ones in alphabetical order.
func unite(base, ours, theirs []string) (out []string) {
	added := slices.Concat(ours, theirs)
	slices.Sort(added)
	for _, s := range slices.Concat(base, slices.Compact(added)) {
		gone := slices.Contains(base, s) && !(slices.Contains(ours, s) && slices.Contains(theirs, s))
		if !gone && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// status reports which of two statuses stands: +1 for a, -1 for b. A status that follows from the other by one action
// stands, unless each follows from the other. Otherwise the one that was written later stands, and last the one that
// is further on.
func (m *merging) status(a, b string) int {
	of, _ := m.doc[ours].Field(mdstore.KeyType)
	follows := func(from, to string) int {
		for _, r := range statemachine.Rules() {
			if r.Type == statemachine.Type(of.Value) && string(r.From) == from && string(r.To) == to {
				return 1
			}
		}
		return 0
	}
	progress := func(s string) int { return statemachine.Progress(statemachine.Type(of.Value), statemachine.Status(s)) }
	return cmp.Or(follows(b, a)-follows(a, b), m.later, progress(a)-progress(b), cmp.Compare(a, b))
}

// number returns a key that is a whole number, or a time in milliseconds; 0 if it is none.
func number(d *mdoc.Doc, key string) int64 {
	f, _ := d.Field(key)
	n, _ := mdstore.Milliseconds(f.Value)
	return n
}
