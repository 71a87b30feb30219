package merge

import (
	"fmt"
	"slices"
	"strings"

	"arbor/mdstore/diff3"
	"arbor/mdstore/mdoc"
)

// A part is a piece of the body: a section, or the text above the first one, which has no name and no heading.
type part struct{ name, heading, body string }

// partsOf cuts the body into parts. In a kind without named sections, each heading of level 1 or 2 begins a part whose
// name is its whole text, so that a part is only added or removed. If a section occurs twice (unless several count as
// one), or a heading of level 1 follows a section, the body can only be merged as text, unless one side wins.
func (m *merging) partsOf(i int) ([]part, error) {
	d := m.doc[i]
	src := string(d.Bytes())
	names := map[int]string{} // section names by start offset
	for _, s := range d.Sections() {
		names[s.Heading.Start] = strings.TrimSpace(s.Name)
	}
	out, at := []part{{}}, len(d.Front())
	met := map[string]bool{}
	for _, h := range d.Headings() {
		if h.Level > 2 || m.kind.Form != nil && h.Level == 1 && len(out) == 1 {
			continue
		}
		name, section := names[h.Span.Start]
		if m.kind.Form != nil && m.wins == Nobody {
			switch low := strings.ToLower(name); {
			case !section:
				return nil, asText("%s has a heading of level 1 below a section", side(i))
			case name == "" || met[low] && !m.several(name):
				return nil, asText("%s has the section %q twice, or without a name", side(i), name)
			default:
				met[low] = true
			}
		}
		if name == "" {
			name = strings.TrimSpace(h.Title)
		}
		out[len(out)-1].body = src[at:h.Span.Start]
		out, at = append(out, part{name, src[h.Span.Start:h.Span.End], ""}), h.Span.End
	}
	out[len(out)-1].body = src[at:]
	for k := 1; m.kind.Form == nil && k < len(out); k++ {
		out[k].name = out[k].heading + strings.TrimRight(out[k].body, "\n")
	}
	return out, nil
}

// once reports whether a section occurs only once in each version that has it.
func (m *merging) once(name string) bool {
	for _, d := range m.doc {
		n := 0
		for _, s := range d.Sections() {
			if strings.EqualFold(strings.TrimSpace(s.Name), name) {
				n++
			}
		}
		if n > 1 {
			return false
		}
	}
	return true
}

// alone returns the parts as documents of their own.
func (m *merging) alone(p [3]part) (docs [3]*mdoc.Doc) {
	for i := range p {
		docs[i], _ = mdoc.Parse("", []byte("---\n---\n"+p[i].heading+p[i].body), m.kind.Form)
	}
	return docs
}

// body returns the merged body.
func (m *merging) body() (string, error) {
	var parts [3][]part
	var items [3][]diff3.Item
	for i := range m.doc {
		var err error
		if parts[i], err = m.partsOf(i); err != nil {
			return "", err
		}
		rank := ""
		for _, p := range parts[i] {
			if k := m.index(p.name); k >= 0 {
				rank = fmt.Sprintf("%03d", k)
			}
			key := p.name
			if m.several(p.name) && !m.once(p.name) { // they are told apart by their names
				key = strings.TrimSpace(p.heading)
			}
			items[i] = append(items[i], diff3.Item{Key: strings.ToLower(key), Rank: rank, Value: text(p.body)})
		}
	}
	picks := diff3.Keyed(items[base], items[ours], items[theirs])
	ends := [3]int{ours: len(parts[ours]) - 1, theirs: len(parts[theirs]) - 1}
	for i, side := range []int{theirs, ours} { // an open block must come last
		isEnd := func(p diff3.Pick) bool { return []int{p.Theirs, p.Ours}[i] == ends[side] }
		if k := slices.IndexFunc(picks, isEnd); k >= 0 && m.open(parts[side][ends[side]]) {
			picks = append(slices.Delete(slices.Clone(picks), k, k+1), picks[k])
		}
	}
	var out strings.Builder
	last := -1 // the part of ours that is written as it is
	for _, at := range picks {
		var p [3]part
		for i, k := range []int{at.Base, at.Ours, at.Theirs} {
			if k >= 0 {
				p[i] = parts[i][k]
			}
		}
		now := p[ours]
		switch {
		case at.Ours < 0:
			now = p[theirs]
		case at.Theirs < 0:
		default:
			v := [3]string{text(p[base].body), text(p[ours].body), text(p[theirs].body)}
			now.heading = choose([3]string{p[base].heading, p[ours].heading, p[theirs].heading})
			if merged := m.text(p[ours].name, v, p); merged != v[ours] {
				now.body = filled(p[ours].body, merged)
			}
			if now.heading != "" && now.body != "" && !strings.HasSuffix(now.heading, "\n") {
				now.heading += "\n" // the heading may be the end of its file
			}
		}
		behind := out.Len() > 0 && now.body != "" // the text above the sections, if it has an open block
		if (now.heading != "" || behind) && (now != p[ours] || at.Ours != last+1) {
			for !strings.HasSuffix("\n"+out.String(), "\n\n") { // the front matter ends a line
				out.WriteString("\n")
			}
		}
		if last = -2; now == p[ours] {
			last = at.Ours
		}
		out.WriteString(now.heading + now.body)
	}
	if last != len(parts[ours])-1 {
		return strings.TrimRight(out.String(), "\n") + "\n", nil
	}
	return out.String(), nil
}

// follower is the title of a section that open looks for.
const follower = "what follows"

// open reports whether a part has a block that is never closed and would swallow a section that follows.
func (m *merging) open(p part) bool {
	d, _ := mdoc.Parse("", []byte("---\n---\n"+p.heading+p.body+"\n\n## "+follower), m.kind.Form)
	h := d.Headings()
	return len(h) == 0 || h[len(h)-1].Title != follower
}

// text returns a body without outer blank lines.
func text(body string) string { return strings.Trim(body, "\n") }

// filled replaces the text of a body and keeps the blank lines around it.
func filled(body, now string) string {
	was := text(body)
	if was == "" || now == "" {
		return strings.Repeat("\n", min(1, len(now))) + now + "\n"
	}
	before, behind, _ := strings.Cut(body, was)
	return before + now + behind
}

// index returns the number of a section in the form, -1 for one that is not there.
func (m *merging) index(name string) int {
	if m.kind.Form == nil {
		return -1
	}
	return slices.IndexFunc(m.kind.Form.Sections, func(s mdoc.SectionForm) bool { return s.Name == name })
}

// several reports whether several sections of that name count as one.
func (m *merging) several(name string) bool {
	i := m.index(name)
	return i >= 0 && m.kind.Form.Sections[i].Several
}

// keyOf returns the key function for the items of a section; nil if it is text.
func (m *merging) keyOf(name string) func(string) string {
	if i := m.index(name); i >= 0 {
		return m.kind.Form.Sections[i].Key
	}
	return nil
}

// text returns the merged text of a section that both sides have. If they conflict it has marks.
func (m *merging) text(name string, v [3]string, p [3]part) string {
	if v[ours] == v[base] || v[theirs] == v[base] || v[ours] == v[theirs] {
		return choose(v)
	}
	if merged, ok := ticks(v); ok {
		return merged
	}
	if key := m.keyOf(name); key != nil {
		docs, ok := m.doc, m.once(name)
		if !ok && m.several(name) {
			docs, ok = m.alone(p), true
		}
		if ok {
			if merged, ok := m.list(docs, name, key); ok {
				return merged
			}
		}
	}
	lines := func(s string) []byte {
		if s != "" {
			s += "\n"
		}
		return []byte(s)
	}
	return text(m.lines(name, lines(v[base]), lines(v[ours]), lines(v[theirs])))
}

// lines merges texts by lines. Conflicts have marks, or the text of the side that wins.
func (m *merging) lines(name string, old, one, other []byte) string {
	chunks := diff3.Merge(old, one, other)
	if m.wins == Nobody {
		return m.marks.Text(chunks)
	}
	var b strings.Builder
	for _, c := range chunks {
		b.Write(c.Text)
		if c.Conflict {
			b.Write([][]byte{nil, c.Ours, c.Theirs}[m.wins])
			m.gaveWay(name, "")
		}
	}
	return b.String()
}
