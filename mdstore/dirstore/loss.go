package dirstore

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A part is a named piece of a file: a key, a section, or an item of a section. In slots and in files without sections,
// each line is a part instead.
type part struct {
	in   string // the section; "" for a key
	name string // the key, or the item; "" for the text of a section
	item bool
}

// String returns the key or section.
func (x part) String() string { return cmp.Or(x.in, x.name) }

// partsOf returns the value of each part of a text. Spaces at the ends of lines, and the kind of line ends, do not
// count.
func (s *Store) partsOf(p mdstore.Path, text []byte) map[part]string {
	kind := s.kinds.Of(p)
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	d, _ := mdoc.Parse(string(p), text, kind.Form)
	parts := map[part]string{}
	for _, f := range d.Fields() {
		parts[part{name: f.Key}] = "=" + strings.TrimSpace(cmp.Or(f.Value, d.Slice(f.Span)))
	}
	if kind.Form == nil || kind.Form == mdstore.SlotForm {
		for line := range strings.Lines(string(text[min(len(text), len(d.Front())):])) {
			if line = strings.TrimSpace(line); line != "" {
				parts[part{in: "lines", name: line, item: true}] = "there"
			}
		}
		return parts
	}
	end := len(text)
	for _, h := range d.Headings() {
		if h.Level == 2 {
			end = h.Span.Start
			break
		}
	}
	if above := strings.Join(strings.Fields(string(text[min(end, len(d.Front())):end])), " "); above != "" {
		parts[part{in: "the text above the sections"}] = above
	}
	for _, sec := range d.Sections() {
		items := d.Items(sec.Name)
		for _, it := range items {
			parts[part{sec.Name, it.Text, true}] = "there"
		}
		if text := strings.Join(strings.Fields(d.Text(sec.Name)), " "); len(items) == 0 && text != "" {
			parts[part{in: sec.Name}] = text
		}
	}
	return parts
}

// A loss is what a save removed of the changes of one operation.
type loss struct {
	op   *mdstore.Operation // nil: of a commit outside of any operation
	what []string           // the keys and sections
}

// lossesOf returns the parts written by commits that the newest version has and a text lacks, if the text has the part
// from before instead; the last commit comes first. If a text has the timed log line of a commit, its author had read
// that commit, so none of it counts as lost.
func (s *Store) lossesOf(p mdstore.Path, steps []recordedStep, newest, text []byte) []loss {
	is, has := s.partsOf(p, newest), s.partsOf(p, text)
	return s.writers(p, steps, is, func(x part, w writing) bool {
		at, stood := w.before[has[x]]
		read := slices.ContainsFunc(w.logged, func(line part) bool { return has[line] != "" })
		return has[x] != is[x] && stood && at <= w.step && !read
	})
}

// writersOf returns the operations whose changes of the keys and sections in what stand in the newest version, the last
// one first.
func (s *Store) writersOf(p mdstore.Path, steps []recordedStep, newest []byte, what []string) []loss {
	text, err := mdstore.TextOf(p, newest)
	if err != nil {
		return nil
	}
	return s.writers(p, steps, s.partsOf(p, text), func(x part, _ writing) bool { return slices.Contains(what, x.String()) })
}

// A writing is the last commit that wrote a part.
type writing struct {
	step   int
	value  string         // "" if it took the part out
	logged []part         // the timed log lines that it added
	before map[string]int // other values of the part, each with the step at which it first stood there
}

// writers returns the operations that wrote those parts of the newest version for which lost returns true, the last one
// first. is has the values of that version.
func (s *Store) writers(p mdstore.Path, steps []recordedStep, is map[part]string, lost func(x part, w writing) bool) (all []loss) {
	read := func(data []byte) map[part]string {
		text, err := mdstore.TextOf(p, data)
		if err != nil || data == nil {
			return nil
		}
		return s.partsOf(p, text)
	}
	stood := map[part]map[string]int{}
	note := func(x part, value string, i int) {
		if stood[x] == nil {
			stood[x] = map[string]int{}
		}
		if _, known := stood[x][value]; !known {
			stood[x][value] = i
		}
	}
	wrote := map[part]writing{}
	var last []byte
	var made map[part]string // of last
	for i, st := range steps {
		was := made
		if made == nil || !bytes.Equal(last, st.Base) {
			was = read(st.Base)
		}
		for x, value := range was {
			note(x, value, i)
		}
		last, made = st.New, read(st.New)
		if st.Late || st.Stands || st.New == nil {
			continue
		}
		var logged []part
		for x := range made {
			if x.item && was[x] == "" && mdstore.ParseLog(x.name).Time != "" {
				logged = append(logged, x)
			}
		}
		for x := range made {
			if made[x] != was[x] {
				note(x, was[x], i)
				wrote[x] = writing{step: i, value: made[x], logged: logged}
			}
		}
		for x := range was {
			if made[x] == "" {
				wrote[x] = writing{step: i, logged: logged}
			}
		}
	}
	parts := slices.Collect(maps.Keys(wrote))
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(wrote[b].step-wrote[a].step, cmp.Compare(a.String(), b.String())) })
	for _, x := range parts {
		derived := x.name == mdstore.KeyUpdated || x.name == mdstore.KeyRulesHash
		w := wrote[x]
		w.before = stood[x]
		if !derived && w.value == is[x] && lost(x, w) {
			all = addLoss(all, steps[w.step].op, x)
		}
	}
	return all
}

func addLoss(all []loss, op *mdstore.Operation, x part) []loss {
	i := slices.IndexFunc(all, func(l loss) bool {
		return l.op == nil && op == nil || l.op != nil && op != nil && l.op.ID == op.ID
	})
	if i < 0 {
		i, all = len(all), append(all, loss{op: op})
	}
	if w := x.String(); !slices.Contains(all[i].what, w) {
		all[i].what = append(all[i].what, w)
		slices.Sort(all[i].what)
	}
	return all
}

// lossesMost is how many operations a message names.
const lossesMost = 3

// told describes losses for a message, with the commands that write them again.
func told(all []loss) string {
	var out []string
	for i, l := range all {
		what := strings.Join(l.what, ", ")
		switch {
		case i == lossesMost:
			return strings.Join(append(out, fmt.Sprintf("and what %d more wrote (arbor undo --list)", len(all)-i)), "; ")
		case l.op == nil:
			out = append(out, what)
		default:
			out = append(out, fmt.Sprintf("what %q wrote there: %s (arbor undo %s --again writes it again)", l.op.Text, what, l.op.ID))
		}
	}
	return strings.Join(out, "; ")
}
