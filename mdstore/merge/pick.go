package merge

import "bytes"

// A Side is a version of what stands between a conflict's marks.
type Side int

// The sides. Marks stands for all of them, with the marks.
const (
	Marks Side = iota
	Ours
	Base // nothing, where the marks do not show it
	Theirs
)

// Pick returns a text with one side of each conflict that has marks in it. side is asked for each, counted from 0; a mark
// without its others is text.
func Pick(data []byte, side func(i int) Side) []byte {
	var out []byte
	var parts [4][]byte // by side
	at, n := Marks, 0   // Marks: outside of marks
	size := 0
	for line := range bytes.Lines(data) {
		next := at
		switch word, long := markOf(line); {
		case at == Marks && word == '<':
			next, size, parts = Ours, long, [4][]byte{}
		case at == Marks || long != size:
		case word == '|' && at == Ours:
			next = Base
		case word == '=' && at != Theirs:
			next = Theirs
		case word == '>' && at == Theirs:
			next = Marks
		}
		switch {
		case next == at && at == Marks:
			out = append(out, line...)
			continue
		case next == at:
			parts[at] = append(parts[at], line...)
		case next == Marks:
			parts[Marks] = append(parts[Marks], line...)
			out = append(out, parts[side(n)]...)
			at = Marks
			n++
			continue
		}
		at = next
		parts[Marks] = append(parts[Marks], line...)
	}
	if at != Marks { // what has no end is text
		out = append(out, parts[Marks]...)
	}
	return out
}

// Hunks returns how many conflicts have marks in a text.
func Hunks(data []byte) (n int) {
	Pick(data, func(int) Side { n++; return Marks })
	return n
}

// All is the side of every conflict.
func All(s Side) func(int) Side { return func(int) Side { return s } }

// markOf returns the sign of a line that is a conflict's mark and how long the mark is; 0 for any other line.
func markOf(line []byte) (sign byte, long int) {
	text := bytes.TrimRight(line, "\r\n")
	if len(text) < 7 || !bytes.ContainsRune([]byte("<|=>"), rune(text[0])) {
		return 0, 0
	}
	for long < len(text) && text[long] == text[0] {
		long++
	}
	rest := text[long:]
	if long < 7 || len(rest) > 0 && (rest[0] != ' ' || text[0] == '=') {
		return 0, 0
	}
	return text[0], long
}
