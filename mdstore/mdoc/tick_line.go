package mdoc

import (
	"bytes"
	"slices"
)

// TickLine computes the edit that ticks or unticks the task box at the beginning of a list item, wherever that stands
// in the body, also in a quote: one character between the brackets. The line is 1-based.
func (d *Doc) TickLine(line int, done bool) (Patch, error) {
	at := 0
	for range line - 1 {
		at = lineEnd(d.text, at)
	}
	mark := at + boxIn(d.text[at:lineEnd(d.text, at)])
	inside := func(k *block) bool { return k.span.Start <= mark && mark < k.span.End }
	i := slices.IndexFunc(d.body().blocks, func(k block) bool { return inside(&k) })
	if line < 1 || mark <= at || at < d.parts.body || i < 0 || d.body().blocks[i].kind != listBlock &&
		d.body().blocks[i].kind != otherBlock {
		return Patch{}, d.refuse(line, "there is no task box in this line")
	}
	o := op{do: tickLine, index: mark, text: " "}
	if was := d.text[mark] != ' '; was == done {
		return Patch{doc: d}, nil
	}
	if done {
		o.text = "x"
	}
	return d.patch(o, nil)
}

// boxIn returns the offset in a line of the character between the brackets of a task box; -1 if it begins with none.
func boxIn(line []byte) int {
	rest, items := bytes.TrimLeft(line, " \t>"), 0
	for {
		n := 0
		for n < len(rest) && n < 9 && '0' <= rest[n] && rest[n] <= '9' {
			n++
		}
		marks := "-*+"
		if n > 0 {
			marks = ".)"
		}
		if n+1 >= len(rest) || !bytes.ContainsRune([]byte(marks), rune(rest[n])) || rest[n+1] != ' ' && rest[n+1] != '\t' {
			break
		}
		rest, items = bytes.TrimLeft(rest[n+1:], " \t>"), items+1
	}
	if items == 0 || len(rest) < 4 || rest[0] != '[' || !bytes.ContainsRune([]byte(" xX"), rune(rest[1])) ||
		rest[2] != ']' || !bytes.ContainsRune([]byte(" \t\r\n"), rune(rest[3])) {
		return -1
	}
	return len(line) - len(rest) + 1
}

// checkLines compares both documents: only characters in boxes differ, and the body has the same blocks.
func (p *plan) checkLines(after *Doc) error {
	was := bytes.Clone(p.doc.text[p.doc.parts.body:])
	for mark, c := range p.lines {
		was[mark-p.doc.parts.body] = c
	}
	same := func(a, b block) bool {
		return a.kind == b.kind && a.span.Len() == b.span.Len() && a.title == b.title && len(a.items) == len(b.items)
	}
	if !bytes.Equal(was, after.text[after.parts.body:]) ||
		!slices.EqualFunc(p.doc.body().blocks, after.body().blocks, same) {
		return p.doc.refuse(0, "a tick would change more than its box")
	}
	return nil
}
