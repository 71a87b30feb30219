// Package diff3 joins two changes of one text line by line, as diff3 does.
package diff3

import (
	"bytes"
	"slices"
)

// maxCells bounds the table that two texts are compared with: about 2,000 changed lines on either side.
const maxCells = 4 << 20

// Add joins the changes that ours and theirs made to base, where theirs is in the file and ours is to be added to it.
// ok is false if both changed the same or neighbouring lines differently. Two additions to the end, as two writers of a
// log make them, are joined: theirs keeps its place and ours follows, unless theirs contains ours already, because an
// earlier Add was interrupted after it had been made.
func Add(base, ours, theirs []byte) (merged []byte, ok bool) {
	switch { // however much the other side changed
	case bytes.Equal(base, ours):
		return theirs, true
	case bytes.Equal(base, theirs):
		return ours, true
	}
	b, o, t := lines(base), lines(ours), lines(theirs)
	mine, ok := hunks(b, o)
	if !ok {
		return nil, false
	}
	other, ok := hunks(b, t)
	if !ok {
		return nil, false
	}
	merged = []byte{}
	at := 0
	for len(mine) > 0 || len(other) > 0 {
		var h hunk
		switch {
		case len(other) == 0 || len(mine) > 0 && mine[0].end < other[0].start:
			h, mine = mine[0], mine[1:]
		case len(mine) == 0 || other[0].end < mine[0].start:
			h, other = other[0], other[1:]
		case mine[0].within(other[0]): // both changed the same, or an earlier Add put it there
			h, mine, other = other[0], mine[1:], other[1:]
		case mine[0].follows(other[0], b):
			h = hunk{len(b), len(b), slices.Concat(other[0].text, mine[0].text)}
			mine, other = nil, nil
		default:
			return nil, false
		}
		merged = append(merged, bytes.Join(b[at:h.start], nil)...)
		merged = append(merged, bytes.Join(h.text, nil)...)
		at = h.end
	}
	return append(merged, bytes.Join(b[at:], nil)...), true
}

// A hunk replaces the lines from start up to end by text.
type hunk struct {
	start, end int
	text       [][]byte
}

// follows reports whether h and g both add to the end of a text, and the lines of h mean the same behind those of g: g
// begins no section, no code and no HTML that would swallow them.
func (h hunk) follows(g hunk, text [][]byte) bool {
	end := len(text)
	if h.start != end || g.start != end || end > 0 && !ended(text[end-1]) || !ended(g.text[len(g.text)-1]) {
		return false
	}
	return !slices.ContainsFunc(g.text, func(line []byte) bool {
		line = bytes.TrimLeft(line, " \t>")
		return len(line) > 0 && bytes.IndexByte([]byte("#`~<="), line[0]) >= 0 || bytes.HasPrefix(line, []byte("--"))
	})
}

// slide moves a hunk that only removes or only adds lines as far down as the same lines follow, as git does: so that two sides which
// removed one of several equal lines removed the same one.
func (h *hunk) slide(a [][]byte, limit int) {
	for h.end < limit {
		switch {
		case len(h.text) == 0 && bytes.Equal(a[h.start], a[h.end]):
		case h.start == h.end && bytes.Equal(h.text[0], a[h.end]):
			h.text = append(slices.Clone(h.text[1:]), h.text[0])
		default:
			return
		}
		h.start, h.end = h.start+1, h.end+1
	}
}

// within reports whether g replaces the same lines as h, and all lines of h are in its text.
func (h hunk) within(g hunk) bool {
	if h.start != g.start || h.end != g.end || len(h.text) == 0 && len(g.text) > 0 {
		return false
	}
	for i := range len(g.text) - len(h.text) + 1 {
		if slices.EqualFunc(h.text, g.text[i:i+len(h.text)], bytes.Equal) {
			return true
		}
	}
	return false
}

func ended(line []byte) bool { return bytes.HasSuffix(line, []byte("\n")) }

// lines cuts data behind each line end.
func lines(data []byte) [][]byte {
	return slices.Collect(bytes.Lines(data))
}

// hunks returns how a became b, in order; ok is false where they differ too much to compare.
func hunks(a, b [][]byte) (out []hunk, ok bool) {
	head := 0
	for head < len(a) && head < len(b) && bytes.Equal(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if (len(x)+1)*(len(y)+1) > maxCells {
		return nil, false
	}
	// common[i*w+j] is the length of the longest common subsequence of x[i:] and y[j:].
	w := len(y) + 1
	common := make([]int32, (len(x)+1)*w)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if bytes.Equal(x[i], y[j]) {
				common[i*w+j] = common[(i+1)*w+j+1] + 1
			} else {
				common[i*w+j] = max(common[(i+1)*w+j], common[i*w+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		if i < len(x) && j < len(y) && bytes.Equal(x[i], y[j]) {
			i, j = i+1, j+1
			continue
		}
		i0, j0 := i, j
		for i < len(x) || j < len(y) {
			if i < len(x) && j < len(y) && bytes.Equal(x[i], y[j]) {
				break
			}
			if j == len(y) || i < len(x) && common[(i+1)*w+j] >= common[i*w+j+1] {
				i++
			} else {
				j++
			}
		}
		out = append(out, hunk{head + i0, head + i, y[j0:j]})
	}
	for k := len(out) - 1; k >= 0; k-- {
		limit := len(a)
		if k+1 < len(out) {
			limit = out[k+1].start - 1
		}
		out[k].slide(a, limit)
	}
	return out, true
}
