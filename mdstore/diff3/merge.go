package diff3

import (
	"bytes"
	"slices"
	"strings"
)

// A Chunk is a part of a merged text: lines that are settled, or what both sides changed differently.
type Chunk struct {
	Text         []byte // settled; nil in a conflict
	Ours, Theirs []byte // of a conflict
	Conflict     bool

	at int // the line of base that the chunk begins at
}

// Merge joins the changes that ours and theirs made to base. Changes of the same or of neighbouring lines are one
// chunk, which is a conflict unless both sides made the same change. Texts that differ too much to compare are one
// conflict.
func Merge(base, ours, theirs []byte) (out []Chunk) {
	switch { // however much the other side changed
	case bytes.Equal(base, ours), bytes.Equal(ours, theirs):
		return []Chunk{{Text: theirs}}
	case bytes.Equal(base, theirs):
		return []Chunk{{Text: ours}}
	}
	b := lines(base)
	mine, ok := hunks(b, lines(ours))
	other, ok2 := hunks(b, lines(theirs))
	if !ok || !ok2 {
		return []Chunk{{Ours: ours, Theirs: theirs, Conflict: true}}
	}
	at := 0
	for len(mine) > 0 || len(other) > 0 {
		lo := len(b)
		for _, h := range slices.Concat(mine[:min(1, len(mine))], other[:min(1, len(other))]) {
			lo = min(lo, h.start)
		}
		hi, m, o := lo, 0, 0 // all hunks that touch one another
		for grown := true; grown; {
			grown = false
			if m < len(mine) && mine[m].start <= hi {
				hi, m, grown = max(hi, mine[m].end), m+1, true
			}
			if o < len(other) && other[o].start <= hi {
				hi, o, grown = max(hi, other[o].end), o+1, true
			}
		}
		out = append(out, Chunk{Text: bytes.Join(b[at:lo], nil)})
		c := Chunk{Ours: replaced(b, lo, hi, mine[:m]), Theirs: replaced(b, lo, hi, other[:o]), Conflict: true, at: lo}
		if m == 0 || bytes.Equal(c.Ours, c.Theirs) {
			c = Chunk{Text: c.Theirs}
		} else if o == 0 {
			c = Chunk{Text: c.Ours}
		}
		out = append(out, c)
		mine, other, at = mine[m:], other[o:], hi
	}
	return append(out, Chunk{Text: bytes.Join(b[at:], nil)})
}

// replaced returns the lines from lo up to hi with the hunks made.
func replaced(b [][]byte, lo, hi int, hs []hunk) []byte {
	var out [][]byte
	for _, h := range hs {
		out = append(append(out, b[lo:h.start]...), h.text...)
		lo = h.end
	}
	return bytes.Join(append(out, b[lo:hi]...), nil)
}

// Marks are the lines around the two sides of a conflict.
type Marks struct {
	Ours, Theirs string // the names behind the marks
	Size         int    // the length of a mark
}

// Between returns the lines of a conflict: both sides with marks around them.
func (m Marks) Between(ours, theirs string) string {
	mark := func(sign, name string) string { return strings.Repeat(sign, m.Size) + name + "\n" }
	for _, side := range []*string{&ours, &theirs} {
		if *side != "" && !strings.HasSuffix(*side, "\n") {
			*side += "\n"
		}
	}
	return mark("<", " "+m.Ours) + ours + mark("=", "") + theirs + mark(">", " "+m.Theirs)
}

// Text returns chunks as one text. Lines that both sides of a conflict begin or end with stand outside of its marks.
func (m Marks) Text(chunks []Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		o, t := lines(c.Ours), lines(c.Theirs)
		head, tail := ends(o, t)
		b.Write(append(c.Text, bytes.Join(o[:head], nil)...))
		if c.Conflict {
			side := func(ls [][]byte) string { return string(bytes.Join(ls[head:len(ls)-tail], nil)) }
			b.WriteString(m.Between(side(o), side(t)))
		}
		b.Write(bytes.Join(o[len(o)-tail:], nil))
	}
	return b.String()
}
