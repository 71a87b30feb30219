package mdoc

import (
	"bytes"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// editFields computes the edits of the front matter.
func (p *plan) editFields() error {
	d := p.doc
	d.parseFront.Do(func() { d.front, _ = parseFront(d.text, d.parts.front) })
	f := d.front
	p.front = f
	var missing []FieldValue
	for _, want := range p.fields {
		e := f.find(want.Key)
		switch {
		case want.Value.gone && e == nil:
		case want.Value.gone:
			if err := p.removeField(f, e); err != nil {
				return err
			}
		case e == nil:
			missing = append(missing, want)
		case f.holds(e, want.Value):
		case e.Kind == Nested && want.Value.kind == Nested:
			if err := p.editList(f, e, want.Value); err != nil {
				return err
			}
		case e.Kind == Nested:
			return d.refuse(e.Line, "%s holds a list or a mapping, which only a person can change", want.Key)
		case !e.located:
			return d.refuse(e.Line, "the value of %s is written in a form that cannot be edited safely; "+
				"write it on one line as %s: value", want.Key, want.Key)
		default:
			p.editValue(f, e, want.Value)
		}
	}
	for to, key := range p.renames {
		e := f.find(key)
		if e == nil || !bytes.HasPrefix(f.text[e.start:], []byte(key)) || f.find(to) != nil {
			return d.refuse(0, "%s is written in a form that cannot be edited safely", key)
		}
		p.replaceSpan(Span{e.start, e.start + len(key)}, keyText(to))
	}
	if len(missing) > 0 {
		return p.addFields(f, missing)
	}
	return nil
}

// removeField takes the lines of a key out. Comments behind its value, or within it, stay as lines of their own.
func (p *plan) removeField(f *front, e *entry) error {
	start := lineStart(f.text, e.start)
	inBraces := f.root != nil && f.root.Style&yaml.FlowStyle != 0
	alone := blank(f.text[max(start, f.span.Start):e.start])
	if !e.located && e.Kind != Nested || inBraces || !alone {
		return p.doc.refuse(e.Line, "%s stands among other keys, where only a person can take it out", e.Key)
	}
	last := e.start
	if e.Span.Len() > 0 {
		last = e.Span.End - 1
	}
	gone := Span{start, min(f.span.End, lineEnd(f.text, last))}
	comments, ok := commentsIn(f.text[gone.Start:gone.End])
	if !ok && !f.lenient {
		return p.doc.refuse(e.Line, "%s is written in a form that cannot be told from the comments in it; "+
			"only a person can take it out", e.Key)
	}
	kept := ""
	for _, c := range comments {
		kept += string(f.text[start:e.start]) + c + eolAt(f.text, start)
	}
	p.edits = append(p.edits, edit{gone, kept})
	return nil
}

// commentsIn returns the comments in the lines of a key, each from its # on. ok is false if the lines may have comments
// but are not valid YAML by themselves.
func commentsIn(lines []byte) (comments []string, ok bool) {
	if !bytes.ContainsRune(lines, '#') {
		return nil, true
	}
	was, err := decodeYAML(lines)
	if err != nil || was == nil {
		return nil, false
	}
	for at := 0; at < len(lines); at = lineEnd(lines, at) {
		line := lines[at:cutEOL(lines, lineEnd(lines, at))]
		for i, c := range line {
			if c != '#' || i > 0 && line[i-1] != ' ' && line[i-1] != '\t' {
				continue
			}
			without := slices.Concat(lines[:at+i], lines[at+len(line):])
			if now, err := decodeYAML(without); err == nil && now != nil && sameNode(was, now) {
				comments = append(comments, string(bytes.TrimRight(line[i:], " \t")))
				break
			}
		}
	}
	return comments, true
}

func (p *plan) editValue(f *front, e *entry, v Scalar) {
	if e.style()&blockStyle != 0 {
		p.editBlock(f, e, v)
		return
	}
	lit := v.literal(e.style())
	if e.Span.Len() == 0 && !blank(f.text[e.Span.Start-1:e.Span.Start]) {
		lit = " " + lit
	}
	p.replaceSpan(e.Span, lit)
}

// editBlock replaces a block scalar's indicator and lines, and keeps a comment behind
// the indicator. A value that no block can hold is written on one line.
func (p *plan) editBlock(f *front, e *entry, v Scalar) {
	src := f.text
	head := e.Span.Start + 1
	for head < e.Span.End && strings.IndexByte("+-123456789", src[head]) >= 0 {
		head++
	}
	lines := Span{e.Span.End, e.Span.End}
	if end := cutEOL(src, lineEnd(src, head)); end < e.Span.End {
		lines.Start = end
	}
	indent := strings.Repeat(" ", e.key.Column+1)
	if lines.Len() > 0 {
		c := core(src, Span{lineEnd(src, lines.Start), lines.End})
		first := src[c.Start:c.End]
		indent = string(first[:len(first)-len(bytes.TrimLeft(first, " "))])
	}
	if v.kind == String && !f.lenient {
		if indicator, text, ok := blockText(v.text, e.style(), indent, eolAt(src, lineEnd(src, head))); ok {
			p.replaceSpan(Span{e.Span.Start, head}, indicator)
			p.replaceSpan(lines, text)
			return
		}
	}
	p.replaceSpan(Span{e.Span.Start, head}, v.literal(yaml.DoubleQuotedStyle))
	p.replaceSpan(lines, "")
}

// addFields inserts new keys behind the last one.
func (p *plan) addFields(f *front, missing []FieldValue) error {
	src := f.text
	if f.root != nil && f.root.Style&yaml.FlowStyle != 0 {
		return p.doc.refuse(lineNumber(src, f.span.Start), "a key cannot be added to front matter in braces; "+
			"write one key on a line, without braces")
	}
	at, indent := f.span.End, ""
	if p.doc.parts.open < 0 {
		at = p.doc.parts.body
	}
	if n := len(f.entries); n > 0 {
		last := &f.entries[n-1]
		ls := lineStart(src, last.start)
		if lead := src[max(ls, f.span.Start):last.start]; blank(lead) {
			indent = string(lead)
		}
		if last.located && last.style()&blockStyle == 0 {
			// Comments below the last value stay below what is added.
			at = min(lineEnd(src, last.Span.End), f.span.End)
		}
	}
	var b strings.Builder
	eol := eolAt(src, at)
	for _, m := range missing {
		b.WriteString(indent + keyText(m.Key) + ": " + m.Value.literal(0) + eol)
	}
	added := b.String()
	if p.doc.parts.open < 0 {
		added = "---" + eol + added + "---" + eol
	}
	p.edits = append(p.edits, edit{Span{at, at}, added})
	return nil
}

const blockStyle = yaml.LiteralStyle | yaml.FoldedStyle

// style returns the YAML style of the entry's value: 0 if it is plain or no scalar, or if its line is not YAML.
func (e *entry) style() yaml.Style {
	if e.val == nil || e.val.Kind != yaml.ScalarNode {
		return 0
	}
	return e.val.Style
}

// keyText returns a key as YAML, quoted if necessary.
func keyText(key string) string {
	for i := range len(key) {
		if !wordByte(key[i], i) {
			return quoteDouble(key)
		}
	}
	if slices.Contains(otherThanText, strings.ToLower(key)) {
		return quoteDouble(key)
	}
	return key
}
