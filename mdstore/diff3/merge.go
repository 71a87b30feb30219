package diff3

import (
	"bytes"
	"slices"
	"strings"
)

// A Chunk is a part of a merged text: lines that are settled, or what both sides changed differently.
type Chunk struct {
	Text               []byte // settled; nil in a conflict
	Base, Ours, Theirs []byte // of a conflict
	Conflict           bool
}

// Merge joins the changes that ours and theirs made to base. Changes of the same or of neighbouring lines are one chunk, a
// conflict unless both sides made the same of it. Texts that differ too much to compare are one conflict.
func Merge(base, ours, theirs []byte) (out []Chunk) {
	b := lines(base)
	mine, ok := hunks(b, lines(ours))
	other, ok2 := hunks(b, lines(theirs))
	switch {
	case bytes.Equal(base, ours), bytes.Equal(ours, theirs):
		return []Chunk{{Text: theirs}}
	case bytes.Equal(base, theirs):
		return []Chunk{{Text: ours}}
	case !ok || !ok2:
		return []Chunk{{Base: base, Ours: ours, Theirs: theirs, Conflict: true}}
	}
	at := 0
	settled := func(text ...[]byte) { out = append(out, Chunk{Text: bytes.Join(text, nil)}) }
	for len(mine) > 0 || len(other) > 0 {
		lo := len(b)
		for _, hs := range [][]hunk{mine, other} {
			if len(hs) > 0 {
				lo = min(lo, hs[0].start)
			}
		}
		hi, m, o := lo, 0, 0
		for grown := true; grown; {
			grown = false
			if m < len(mine) && mine[m].start <= hi {
				hi, m, grown = max(hi, mine[m].end), m+1, true
			}
			if o < len(other) && other[o].start <= hi {
				hi, o, grown = max(hi, other[o].end), o+1, true
			}
		}
		settled(b[at:lo]...)
		x, y := replaced(b, lo, hi, mine[:m]), replaced(b, lo, hi, other[:o])
		switch {
		case o == 0 || slices.EqualFunc(x, y, bytes.Equal):
			settled(x...)
		case m == 0:
			settled(y...)
		default:
			head := 0
			for head < len(x) && head < len(y) && bytes.Equal(x[head], y[head]) {
				head++
			}
			tail := 0
			for tail < len(x)-head && tail < len(y)-head && bytes.Equal(x[len(x)-1-tail], y[len(y)-1-tail]) {
				tail++
			}
			settled(x[:head]...)
			out = append(out, Chunk{Base: bytes.Join(b[lo:hi], nil), Ours: bytes.Join(x[head:len(x)-tail], nil),
				Theirs: bytes.Join(y[head:len(y)-tail], nil), Conflict: true})
			settled(x[len(x)-tail:]...)
		}
		mine, other, at = mine[m:], other[o:], hi
	}
	settled(b[at:]...)
	return out
}

// replaced returns the lines from lo up to hi with the hunks made.
func replaced(b [][]byte, lo, hi int, hs []hunk) (out [][]byte) {
	for _, h := range hs {
		out = append(append(out, b[lo:h.start]...), h.text...)
		lo = h.end
	}
	return append(out, b[lo:hi]...)
}

// Marks are how the two sides of a conflict are told apart.
type Marks struct {
	Ours, Theirs string // the names behind the marks
	Size         int    // the length of a mark
}

// Between returns the lines of a conflict: both sides with marks around them.
func (m Marks) Between(ours, theirs string) string {
	line := func(sign, name string) string {
		return strings.TrimRight(strings.Repeat(sign, m.Size)+" "+name, " ") + "\n"
	}
	whole := func(text string) string {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text
	}
	return line("<", m.Ours) + whole(ours) + line("=", "") + whole(theirs) + line(">", m.Theirs)
}

// Text returns the chunks as one text, and whether no conflict is in it.
func (m Marks) Text(chunks []Chunk) (text string, clean bool) {
	var b strings.Builder
	clean = true
	for _, c := range chunks {
		if c.Conflict {
			clean = false
			b.WriteString(m.Between(string(c.Ours), string(c.Theirs)))
			continue
		}
		b.Write(c.Text)
	}
	return b.String(), clean
}
