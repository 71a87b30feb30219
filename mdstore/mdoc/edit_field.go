package mdoc

import (
	"bytes"
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
		case e == nil:
			missing = append(missing, want)
		case want.Value.Equal(e.Field):
		case e.Kind == Nested:
			return d.refuse(e.Line, "%s holds a list or a mapping, which only a person can change", want.Key)
		case !e.located:
			return d.refuse(e.Line, "the value of %s is written in a form that cannot be edited safely; "+
				"write it on one line as %s: value", want.Key, want.Key)
		default:
			p.editValue(f, e, want.Value)
		}
	}
	if len(missing) > 0 {
		return p.addFields(f, missing)
	}
	return nil
}

// editValue replaces one value.
func (p *plan) editValue(f *front, e *entry, v Scalar) {
	src, style := f.text, yaml.Style(0)
	if e.val != nil && e.val.Kind == yaml.ScalarNode {
		style = e.val.Style
	}
	if style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		p.editBlock(f, e, v, style)
		return
	}
	at := e.Span
	if style&yaml.TaggedStyle != 0 && v.kind != e.Kind {
		at.Start = e.tagStart(src) // the tag would give the new value its type
	}
	lit := v.literal(style, f.flow())
	if e.Span.Len() == 0 && !blank(src[e.Span.Start-1:e.Span.Start]) {
		lit = " " + lit
	}
	p.replaceSpan(at, lit)
}

// tagStart returns the offset of the tag before the entry's value.
func (e *entry) tagStart(src []byte) int {
	line := lineStart(src, e.Span.Start)
	if k := bytes.LastIndex(src[line:e.Span.Start], []byte(" !")); k >= 0 {
		return line + k + 1
	}
	return e.Span.Start
}

// editBlock replaces a block scalar's indicator and lines, and keeps a comment behind
// the indicator. A value that no block can hold is written on one line.
func (p *plan) editBlock(f *front, e *entry, v Scalar, style yaml.Style) {
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
		if indicator, text, ok := blockText(v.text, style, indent, eolAt(src, lineEnd(src, head))); ok {
			p.replaceSpan(Span{e.Span.Start, head}, indicator)
			p.replaceSpan(lines, text)
			return
		}
	}
	p.replaceSpan(Span{e.Span.Start, head}, v.literal(yaml.DoubleQuotedStyle, false))
	p.replaceSpan(lines, "")
}

// flow reports whether the front matter is one mapping in braces.
func (f *front) flow() bool { return f.root != nil && f.root.Style&yaml.FlowStyle != 0 }

// addFields inserts new keys behind the last one.
func (p *plan) addFields(f *front, missing []FieldValue) error {
	src := f.text
	var b strings.Builder
	if f.flow() {
		end := f.span.Start + len(bytes.TrimRight(src[f.span.Start:f.span.End], " \t\r\n")) - 1
		if end < f.span.Start || src[end] != '}' {
			line := lineNumber(src, f.span.Start)
			if len(f.entries) > 0 {
				line = f.entries[0].Line
			}
			return p.doc.refuse(line, "a key cannot be added behind the brace that ends the front matter; "+
				"write one key on a line, without braces")
		}
		at := f.span.Start + len(bytes.TrimRight(src[f.span.Start:end], " \t\r\n"))
		sep := ", "
		switch src[at-1] {
		case ',':
			sep = " "
		case '{':
			sep = ""
		case ':':
			at = end // the blank behind a key without a value belongs to it
		}
		for _, m := range missing {
			b.WriteString(sep + keyText(m.Key) + ": " + m.Value.literal(0, true))
			sep = ", "
		}
		p.edits = append(p.edits, edit{Span{at, at}, b.String()})
		return nil
	}
	at, indent := f.span.End, ""
	if n := len(f.entries); n > 0 {
		last := &f.entries[n-1]
		ls := lineStart(src, last.start)
		if lead := src[max(ls, f.span.Start):last.start]; blank(lead) {
			indent = string(lead)
		}
		if last.located && !f.block(last) {
			// Comments below the last value stay below what is added.
			at = min(lineEnd(src, last.Span.End), f.span.End)
		}
	}
	eol := eolAt(src, at)
	for _, m := range missing {
		b.WriteString(indent + keyText(m.Key) + ": " + m.Value.literal(0, false) + eol)
	}
	p.edits = append(p.edits, edit{Span{at, at}, b.String()})
	return nil
}

// block reports whether the entry's value is a block scalar.
func (f *front) block(e *entry) bool {
	return e.val != nil && e.val.Kind == yaml.ScalarNode && e.val.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// keyText returns a key as it is written.
func keyText(key string) string {
	for i := range len(key) {
		if !wordByte(key[i], i) {
			return quoteDouble(key)
		}
	}
	switch strings.ToLower(key) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return quoteDouble(key)
	}
	return key
}
