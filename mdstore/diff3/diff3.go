// Package diff3 joins two changes of one text line by line, as diff3 does.
package diff3

import (
	"bytes"
	"slices"
)

// maxCells bounds the table that two texts are compared with: about 2,000 changed lines on either side.
const maxCells = 4 << 20

// Add joins the changes that ours and theirs made to base, where theirs is in the file and ours is to be added to
// it. ok is false if both changed the same or neighbouring lines differently. Two additions to the end, as two
// writers of a log make them, are joined: theirs keeps its place and ours follows, unless theirs contains ours
// already, because an earlier Add was interrupted after it had been made.
func Add(base, ours, theirs []byte) (merged []byte, ok bool) {
	end := len(lines(base))
	for _, c := range Merge(base, ours, theirs) {
		switch o, t := lines(c.Ours), lines(c.Theirs); {
		case !c.Conflict:
			merged = append(merged, c.Text...)
		case within(o, t): // an earlier Add put it there
			merged = append(merged, c.Theirs...)
		case c.at == end && follows(t, lines(base)):
			merged = append(append(merged, c.Theirs...), c.Ours...)
		default:
			return nil, false
		}
	}
	return merged, true
}

// A hunk replaces the lines from start up to end by text.
type hunk struct {
	start, end int
	text       [][]byte
}

// follows reports whether lines that are added to the end of a text mean the same behind others that are: those
// begin no section, no code and no HTML that would swallow them.
func follows(others, text [][]byte) bool {
	if end := len(text); end > 0 && !ended(text[end-1]) || len(others) == 0 || !ended(others[len(others)-1]) {
		return false
	}
	return !slices.ContainsFunc(others, func(line []byte) bool {
		line = bytes.TrimLeft(line, " \t>")
		return len(line) > 0 && bytes.IndexByte([]byte("#`~<="), line[0]) >= 0 || bytes.HasPrefix(line, []byte("--"))
	})
}

// slide moves a hunk that only removes or only adds lines as far down as the same lines follow, as git does: so that
// two sides which removed one of several equal lines removed the same one.
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

// within reports whether some lines stand together in others.
func within(some, others [][]byte) bool {
	for i := range len(others) - len(some) + 1 {
		if len(some) > 0 && slices.EqualFunc(some, others[i:i+len(some)], bytes.Equal) {
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

// ends returns the numbers of equal lines at the beginning and at the end of two texts.
func ends(a, b [][]byte) (head, tail int) {
	for head < len(a) && head < len(b) && bytes.Equal(a[head], b[head]) {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	return head, tail
}

// hunks returns how a became b, in order; ok is false if they differ too much to compare.
func hunks(a, b [][]byte) (out []hunk, ok bool) {
	head, tail := ends(a, b)
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
