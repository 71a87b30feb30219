// Package merge merges two versions of a file that have a common base: by the structure that the table of kinds
// defines, and by lines where it defines none.
package merge

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/diff3"
	"arbor/mdstore/mdoc"
)

// A Result is a merged file.
type Result struct {
	Bytes     []byte     // the file; with conflicts, it has their marks
	Conflicts []Conflict // in the order of the file; none: the merge is clean
	Notes     []string   // a line for each replaced text, which the file's log has now; with Wins: the keys and sections
}

// A Conflict is a key, section or item that both sides changed differently.
type Conflict struct {
	What               string // a key, or the name of a section, as "Conclusion"; "" for text outside of sections
	Base, Ours, Theirs string // the value or the text; Base is "" if unknown
}

// Options are how conflicts are marked.
type Options struct {
	Ours, Theirs string // the names of the sides, behind the marks; "" for ours and theirs
	Size         int    // the length of a mark; 0 stands for 7

	Wins Winner // the side that wins if both changed the same; with a winner there are no conflicts and no log lines
}

// A Winner is the side whose version is kept if both changed a key, an item or the same lines differently.
type Winner int

// The winners. With Nobody, such changes are conflicts, or follow the rules of the keys.
const (
	Nobody Winner = iota
	OursWin
	TheirsWin
)

// ErrText says that a file has no structure that Merge knows, or is damaged: use git's own merge of lines.
var ErrText = errors.New("the file can only be merged as lines")

func asText(why string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrText, fmt.Sprintf(why, args...))
}

// Merge makes one file of ours and theirs, which were both made of base, at p. base is nil if both sides made the
// file. The formatting of ours stays, and what the result says does not depend on which side is ours. A conflict in
// the front matter has marks around the lines of its key, one in a section around lines of its text; mdoc.Side picks
// one side. The error is ErrText, or wraps it; it names what conflicts in a compressed file, which can have no
// marks.
func Merge(p mdstore.Path, base, ours, theirs []byte, opt Options) (Result, error) {
	switch {
	case bytes.Equal(base, theirs), bytes.Equal(ours, theirs):
		return Result{Bytes: ours}, nil
	case bytes.Equal(base, ours):
		return Result{Bytes: theirs}, nil
	}
	kind := mdstore.AllKinds().Of(p)
	if kind == nil {
		return Result{}, asText("no kind of file lies at %s", p)
	}
	if base == nil {
		base = mdstore.Stored(p, []byte(noFront))
	}
	m := &merging{path: p, kind: kind, wins: opt.Wins, marks: diff3.Marks{Ours: cmp.Or(opt.Ours, "ours"),
		Theirs: cmp.Or(opt.Theirs, "theirs"), Size: max(opt.Size, 7)}}
	var raw [3][]byte
	var bare [3]bool
	for i, data := range [][]byte{base, ours, theirs} {
		text, err := mdstore.TextOf(p, data)
		if err != nil {
			return Result{}, asText("%s cannot be decompressed: %v", p, err)
		}
		raw[i] = text
		if m.doc[i], err = m.parse(lf(text)); err != nil {
			return Result{}, asText("%s is damaged: %v", side(i), err)
		}
		if front := m.doc[i].Front(); !bytes.Contains(front, []byte("---")) {
			bare[i] = true
			m.doc[i], _ = m.parse(slices.Concat(front, []byte(noFront), lf(text)[len(front):]))
		}
	}
	m.bare = !slices.Contains(bare[1:], false)
	if kind.Form == mdstore.SlotForm { // the texts of a slot must keep their bytes
		m.slots = &[3]*mdoc.Doc{}
		for i := range raw {
			m.slots[i], _ = mdoc.Parse(string(p), raw[i], kind.Form)
		}
	}
	m.eol = choose([3]string{eolOf(raw[0]), eolOf(raw[1]), eolOf(raw[2])})
	m.judge()
	text, err := m.file()
	notes := m.notes
	if err == nil && len(notes) > 0 && m.wins == Nobody { // once more, with lines in the logs that name what was replaced
		if err = m.log(); err == nil {
			text, err = m.file()
		}
	}
	if err != nil {
		return Result{}, err
	}
	r := Result{Bytes: []byte(text), Notes: notes}
	if m.wins != Nobody {
		slices.Sort(notes)
		r.Notes = slices.Compact(notes)
	} else if r.Conflicts = m.conflictsIn(r.Bytes); len(r.Conflicts) > 0 && p.IsZipped() {
		return Result{}, asText("both sides changed %s of a compressed file", r.Conflicts[0].What)
	}
	r.Bytes = mdstore.Stored(p, r.Bytes)
	return r, nil
}

// merging is one merge of three documents: base, ours and theirs.
type merging struct {
	path   mdstore.Path
	kind   *mdstore.Kind
	marks  diff3.Marks
	wins   Winner
	doc    [3]*mdoc.Doc  // with line feeds as line ends, and front matter, which may be empty
	bare   bool          // neither of the two sides has front matter
	slots  *[3]*mdoc.Doc // unchanged; only for slots
	eol    string        // of the result
	later  int           // +1: ours was written later than theirs; -1: earlier; 0: unknown
	newest string        // the newest time in the files
	notes  []string      // the events of log lines
	rules  []string      // of the result
}

const base, ours, theirs = 0, 1, 2

func side(i int) string { return []string{"the common ancestor", "our version", "their version"}[i] }

func (m *merging) parse(text []byte) (*mdoc.Doc, error) {
	d, _ := mdoc.Parse(string(m.path), text, m.kind.Form)
	return d, d.Editable()
}

// noFront is front matter without keys. A file of a kind that needs none is merged as if it had this.
const noFront = "---\n---\n"

func lf(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// eolOf returns how the first line of a text ends.
func eolOf(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// file returns the merged file.
func (m *merging) file() (string, error) {
	m.notes = nil
	var body string
	var err error
	if m.slots != nil {
		if body, err = mdstore.JoinSlotBodies(m.slots[base], m.slots[ours], m.slots[theirs], m.eol); err != nil {
			return "", asText("%v", err)
		}
	} else if body, err = m.body(); err != nil {
		return "", err
	}
	d, _ := m.parse([]byte(noFront + body))
	m.rules = (&mdstore.Workspace{Doc: d}).Rules()
	front, err := m.front()
	if err != nil {
		return "", err
	}
	if m.bare {
		front = strings.TrimSuffix(front, noFront)
	}
	if m.slots == nil {
		body = strings.ReplaceAll(body, "\n", m.eol)
	}
	text := strings.ReplaceAll(front, "\n", m.eol) + body
	sides := []mdoc.Side{mdoc.Ours, mdoc.Theirs}
	if m.wins != Nobody {
		sides = []mdoc.Side{mdoc.Undecided} // the only marks are those in the texts themselves
	}
	for _, s := range sides {
		if _, err := m.parse(s.Of([]byte(text))); err != nil {
			return "", asText("the result would be damaged: %v", err)
		}
	}
	return text, nil
}

// judge finds out which side was written later: by updatedAt, and then by the newest line that it added to the log.
func (m *merging) judge() {
	var line [3]string
	var updated [3]int64
	was := linesOf(m.doc[base])
	for i, d := range m.doc {
		updated[i] = number(d, mdstore.KeyUpdated)
		if updated[i] > 0 {
			m.newest = max(m.newest, mdstore.LogTime(updated[i]))
		}
		for _, it := range d.Items(mdstore.SecLog) {
			if e := mdstore.ParseLog(it.Text); e.Time != "" {
				m.newest = max(m.newest, e.Time)
				if !was[it.Text] {
					line[i] = max(line[i], it.Text)
				}
			}
		}
	}
	m.later = cmp.Or(m.winner(), cmp.Compare(updated[ours], updated[theirs]), cmp.Compare(line[ours], line[theirs]))
}

// winner returns +1 if ours wins, -1 if theirs does, and 0 without a winner.
func (m *merging) winner() int { return []int{0, 1, -1}[m.wins] }

// log adds a line to the logs of both sides for each replaced text.
func (m *merging) log() error {
	for _, event := range m.notes {
		line := mdstore.FormatLog(cmp.Or(m.newest, mdstore.LogTime(0)), "merge", event)
		for _, i := range []int{ours, theirs} {
			d := m.doc[i]
			if linesOf(d)[line] {
				continue
			}
			p, err := d.AppendItem(mdstore.SecLog, line)
			if err == nil {
				d, err = d.Apply(p)
			}
			if err != nil {
				return asText("the log cannot take the replaced text: %v", err)
			}
			m.doc[i] = d
		}
	}
	return nil
}

func linesOf(d *mdoc.Doc) map[string]bool {
	out := map[string]bool{}
	for _, it := range d.Items(mdstore.SecLog) {
		out[it.Text] = true
	}
	return out
}
