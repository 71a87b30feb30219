package dirstore

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A part is what a file says under a name of its own: a key, a section, an item of a section; of files without sections, and of slots,
// whose entries have no names of Arbor's, a line.
type part struct {
	in   string // the section; "" for a key
	name string // the key, or the item; "" for the text of a section
	item bool
}

// String returns the key or section.
func (x part) String() string { return cmp.Or(x.in, x.name) }

// partsOf returns what a text says, by its parts. Blanks and line ends do not count.
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

// A loss is what a save took out that an operation wrote.
type loss struct {
	op   *mdstore.Operation // nil: a commit of none
	what []string           // the keys and sections
}

// lossesOf returns what a text does not have that commits wrote and the newest version has, where it has what stood there before: the last
// commit first.
func (s *Store) lossesOf(p mdstore.Path, steps []recordedStep, newest, text []byte) (all []loss) {
	is, has := s.partsOf(p, newest), s.partsOf(p, text)
	s.eachChange(p, steps, func(op *mdstore.Operation, x part, was, made string) {
		if is[x] == made && has[x] == was {
			all = addLoss(all, op, x)
		}
	})
	return all
}

// writers returns the operations whose changes of some keys and sections stand in the newest version.
func (s *Store) writers(p mdstore.Path, steps []recordedStep, newest []byte, what []string) (all []loss) {
	is := s.partsOf(p, newest)
	s.eachChange(p, steps, func(op *mdstore.Operation, x part, was, made string) {
		if is[x] == made && slices.Contains(what, x.String()) {
			all = addLoss(all, op, x)
		}
	})
	return all
}

// eachChange calls f with each part that the commits changed, the last commit first; "" is none.
func (s *Store) eachChange(p mdstore.Path, steps []recordedStep, f func(op *mdstore.Operation, x part, was, made string)) {
	var next []byte
	var parts map[part]string // of next
	read := func(data []byte) map[part]string {
		text, err := mdstore.TextOf(p, data)
		if err != nil || data == nil {
			return nil
		}
		return s.partsOf(p, text)
	}
	for _, st := range slices.Backward(steps) {
		made := parts
		if parts == nil || !bytes.Equal(next, st.New) {
			made = read(st.New)
		}
		next, parts = st.Base, read(st.Base)
		if st.Late || st.Stands || made == nil {
			continue
		}
		changed := map[part]bool{}
		for x := range made {
			changed[x] = made[x] != parts[x]
		}
		for x := range parts {
			changed[x] = made[x] != parts[x]
		}
		for x, is := range changed {
			if is && x.name != mdstore.KeyUpdated && x.name != mdstore.KeyRulesHash {
				f(st.op, x, parts[x], made[x])
			}
		}
	}
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

// told says in words what is lost, with the commands that write it again.
func told(all []loss) string {
	var out []string
	for i, l := range all {
		what := strings.Join(l.what, ", ")
		switch {
		case i == lossesMost:
			return strings.Join(append(out, fmt.Sprintf("and of %d more (arbor undo --list)", len(all)-i)), "; ")
		case l.op == nil:
			out = append(out, what)
		default:
			out = append(out, fmt.Sprintf("%s of %q: arbor undo %s --again writes it again", what, l.op.Text, l.op.ID))
		}
	}
	return strings.Join(out, "; ")
}
