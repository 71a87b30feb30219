package merge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/diff3"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// rule is what becomes of a key that both sides changed differently. The zero rule is a conflict.
type rule int

const (
	later  rule = iota + 1 // the side that was written later
	noted                  // likewise, and the other's text goes to the log where the file has one: else it is a conflict
	status                 // the status that follows from the other, or else as later
	newest                 // the greater number
	united                 // the list with what both added
	hash                   // the hash of the merged rules
)

// rules are those of the keys. A key that is not here is a conflict: id, type, parentId, createdAt, and what Arbor does not know.
var rules = map[string]rule{
	mdstore.KeyTitle: noted, mdstore.KeyName: noted, mdstore.KeyGoal: noted, mdstore.KeyDescription: noted,
	mdstore.KeyRole: later, mdstore.KeyIsolated: later, mdstore.KeyFocus: later, mdstore.KeyOrder: later, mdstore.KeyAgent: later,
	mdstore.KeyPriority: later, mdstore.KeySlot: later, mdstore.KeyEnded: later,
	mdstore.KeyStatus: status, mdstore.KeyUpdated: newest, mdstore.KeyRulesHash: hash,
	mdstore.KeyTags: united, mdstore.KeyContributors: united, mdstore.KeyAttached: united,
}

// An entry is a key of the front matter with its lines, or a line between keys.
type entry struct{ key, raw string }

// entriesOf cuts the front matter: the line that opens it with all above, the entries, and the line that closes it.
func entriesOf(d *mdoc.Doc) (head string, all []entry, tail string, err error) {
	lines := slices.Collect(strings.Lines(string(d.Front())))
	open := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "---") })
	keys := map[int]string{}
	for _, f := range d.Fields() {
		if _, twice := keys[f.Line]; twice {
			return "", nil, "", asText("two keys stand in line %d", f.Line)
		}
		keys[f.Line] = f.Key
	}
	between, in := "", false
	flush := func() {
		for l := range strings.Lines(between) {
			all = append(all, entry{"", l})
		}
		between = ""
	}
	for i := open + 1; i < len(lines)-1; i++ {
		l := lines[i]
		switch key, is := keys[i+1]; {
		case is:
			flush()
			all, in = append(all, entry{key, l}), true
		case strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#") || !in:
			between += l
		default:
			all[len(all)-1].raw += between + l
			between = ""
		}
	}
	flush()
	return strings.Join(lines[:open+1], ""), all, lines[len(lines)-1], nil
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
			it := diff3.Item{Key: "key " + e.key, Value: m.value(i, e)}
			if e.key == "" {
				it = diff3.Item{Key: "line " + e.raw}
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
			out.WriteString(e[theirs].raw)
		case at.Theirs < 0 || e[ours].key == "":
			out.WriteString(e[ours].raw)
		default:
			out.WriteString(m.field(e))
		}
	}
	out.WriteString(choose(tail))
	return out.String(), nil
}

// choose returns what one side changed, and ours where both did.
func choose(v [3]string) string {
	if v[ours] == v[base] {
		return v[theirs]
	}
	return v[ours]
}

// value returns what an entry says, without the form in which it is written, except where only a person knows what it means.
func (m *merging) value(i int, e entry) string {
	f, ok := m.doc[i].Field(e.key)
	switch {
	case !ok:
		return ""
	case rules[e.key] == united:
		return mdoc.List(m.doc[i].List(e.key)...).String()
	case f.Kind == mdoc.Nested:
		return e.raw
	}
	return strconv.Itoa(int(f.Kind)) + f.Value
}

// field returns the lines of a key that both sides have.
func (m *merging) field(e [3]entry) string {
	key := e[ours].key
	v := [3]string{m.value(base, e[base]), m.value(ours, e[ours]), m.value(theirs, e[theirs])}
	raw := [3]string{e[base].raw, e[ours].raw, e[theirs].raw}
	if rules[key] == hash {
		return m.hashed(v, raw)
	}
	switch {
	case v[ours] == v[theirs]:
		return choose(raw)
	case v[ours] == v[base]:
		return m.take(key, raw)
	case v[theirs] == v[base]:
		if raw[theirs] != raw[base] && !strings.Contains(raw[ours], "#") { // they changed how it is written
			if f, ok := m.doc[ours].Field(key); ok {
				return m.with(theirs, key, f.Scalar(), raw[ours])
			}
		}
		return raw[ours]
	}
	o, _ := m.doc[ours].Field(key)
	t, _ := m.doc[theirs].Field(key)
	wins := cmp.Or(m.later, cmp.Compare(v[ours], v[theirs]))
	switch r := rules[key]; {
	case r == united:
		list := mdoc.List(m.unite(key)...)
		return m.with(ours, key, list, m.with(theirs, key, list, m.marks.Between(raw[ours], raw[theirs])))
	case r == newest && o.Kind == mdoc.Int && t.Kind == mdoc.Int:
		wins = cmp.Compare(number(m.doc[ours], key), number(m.doc[theirs], key))
	case r == status:
		wins = m.status(o.Value, t.Value)
	case r == noted && m.logged():
		m.gaveWay(key, []string{o.Value, t.Value}[max(wins, 0)])
	case r == later:
	case m.slots != nil && (key == mdstore.KeyID || key == mdstore.KeyCreated): // a slot that was made twice
		made := func(i int) int64 { return cmp.Or(number(m.doc[i], mdstore.KeyCreated), 1<<62) }
		wins = cmp.Or(cmp.Compare(made(theirs), made(ours)), cmp.Compare(v[theirs], v[ours]))
	default:
		return m.marks.Between(raw[ours], raw[theirs])
	}
	if wins > 0 {
		return raw[ours]
	}
	return m.take(key, raw)
}

// gaveWay notes a text that is not in the result, if the file has a log.
func (m *merging) gaveWay(what, text string) {
	if text = strings.Join(strings.Fields(text), " "); text != "" && m.logged() {
		m.notes = append(m.notes, what+" gave way: "+text)
	}
}

// logged reports whether files of the kind have a log.
func (m *merging) logged() bool { return m.keyOf(mdstore.SecLog) != nil }

// take returns their value, in our form where we changed that.
func (m *merging) take(key string, raw [3]string) string {
	f, _ := m.doc[theirs].Field(key)
	if raw[ours] == raw[base] || f.Kind == mdoc.Nested && rules[key] != united {
		return raw[theirs]
	}
	v := f.Scalar()
	if rules[key] == united {
		v = mdoc.List(m.doc[theirs].List(key)...)
	}
	return m.with(ours, key, v, raw[theirs])
}

// with returns the lines of a key as a side writes them, with another value; or else what is given for lines that cannot be edited.
func (m *merging) with(i int, key string, v mdoc.Scalar, otherwise string) string {
	d := m.doc[i]
	p, err := d.SetField(key, v)
	if err == nil {
		d, err = d.Apply(p)
	}
	if err == nil {
		if _, all, _, err := entriesOf(d); err == nil {
			for _, e := range all {
				if e.key == key {
					return e.raw
				}
			}
		}
	}
	return otherwise
}

// hashed returns the lines of the hash of the rules: as they are where neither side changed the rules.
func (m *merging) hashed(v, raw [3]string) string {
	if v[ours] == v[base] && v[theirs] == v[base] {
		return choose(raw)
	}
	return m.with(ours, mdstore.KeyRulesHash, mdoc.Text(mdstore.RulesHash(m.rules)), raw[ours])
}

// unite returns a list of both.
func (m *merging) unite(key string) (out []string) {
	var items [3][]diff3.Item
	var all [3][]string
	for i, d := range m.doc {
		all[i] = d.List(key)
		for _, s := range all[i] {
			items[i] = append(items[i], diff3.Item{Key: s})
		}
	}
	for _, at := range diff3.Keyed(items[base], items[ours], items[theirs]) {
		if at.Ours >= 0 {
			out = append(out, all[ours][at.Ours])
		} else {
			out = append(out, all[theirs][at.Theirs])
		}
	}
	return out
}

// status reports which of two statuses stands: +1 for a. One that follows from the other by one action does, unless either follows
// from the other; else the one that was written later, and then the one that is further on.
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
	progress := func(s string) int {
		switch statemachine.Status(s) {
		case statemachine.InPlanning, statemachine.Implementing:
			return 1
		case statemachine.Monitoring, statemachine.Validating:
			return 2
		case statemachine.Failed, statemachine.Cancelled:
			return 3
		case statemachine.Completed:
			return 4
		}
		return 0
	}
	return cmp.Or(follows(b, a)-follows(a, b), m.later, progress(a)-progress(b), cmp.Compare(a, b))
}

// number returns a key that is a whole number, 0 where it is none.
func number(d *mdoc.Doc, key string) int64 {
	f, _ := d.Field(key)
	n, _ := strconv.ParseInt(f.Value, 10, 64)
	return n
}
