package mdoc

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// List returns the list of these texts, as a value that is written on one line: [a, "b: c"].
func List(items ...string) Scalar {
	out := make([]string, len(items))
	for i, s := range items {
		if out[i] = s; !plainText(s) || strings.ContainsFunc(s, unsureInList) {
			out[i] = quoteDouble(s)
		}
	}
	return Scalar{kind: Nested, text: "[" + strings.Join(out, ", ") + "]"}
}

// unsureInList reports whether List quotes a text that contains r.
func unsureInList(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._/=+-", r)
}

// List returns the texts of a front matter key that holds a list, written in brackets or one item on a line. A single
// value counts as a list of one. List leaves out items that are null, lists or mappings.
func (d *Doc) List(key string) []string {
	texts, _ := d.Texts(key)
	return texts
}

// Texts is List. plain is false if the value is a mapping, or a list that has lists or mappings among its items.
func (d *Doc) Texts(key string) (texts []string, plain bool) {
	return d.texts(key, func(n *yaml.Node) *yaml.Node { return n })
}

// Links is List for a key whose items can be links as Obsidian writes them, [[target|text]] in quotes or without: it
// returns their targets. Without quotes, YAML reads such a link as a list in a list.
func (d *Doc) Links(key string) []string {
	out, _ := d.texts(key, func(n *yaml.Node) *yaml.Node {
		for n.Kind == yaml.SequenceNode && len(n.Content) == 1 {
			n = n.Content[0]
		}
		return n
	})
	for i, item := range out {
		item = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(item), "[["), "]]")
		out[i], _, _ = strings.Cut(item, "|")
	}
	return out
}

// texts is Texts by a function that returns the node of an item's text.
func (d *Doc) texts(key string, inner func(*yaml.Node) *yaml.Node) (texts []string, plain bool) {
	f, ok := d.Field(key)
	if !ok || f.Kind == Null {
		return nil, true
	}
	if f.Kind != Nested {
		return []string{f.Value}, true
	}
	d.parseFront.Do(func() { d.front, _ = parseFront(d.text, d.parts.front) })
	return textsOf(d.front.find(key), inner)
}

func textsOf(e *entry, inner func(*yaml.Node) *yaml.Node) (texts []string, plain bool) {
	if e == nil || e.val == nil {
		return nil, false
	}
	n := e.val
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.SequenceNode {
		return nil, false
	}
	plain = true
	for _, item := range n.Content {
		switch kind, text := scalarOf(inner(item)); kind {
		case Nested:
			plain = false
		case Null:
		default:
			texts = append(texts, text)
		}
	}
	return texts, plain
}

// Source returns the YAML source of a field's value, without the indentation that all its lines share, and with LF line
// ends.
func (d *Doc) Source(f Field) string {
	s := d.clamp(f.Span)
	at := lineStart(d.text, s.Start)
	indent := d.text[at:s.Start]
	if !blank(indent) { // it begins behind the key
		return d.lf(s)
	}
	lines := strings.Split(d.lf(Span{at, s.End}), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, string(indent))
	}
	return strings.Join(lines, "\n")
}

// Holds reports whether a key has this value, however it is written: whether it is absent, for Removed.
func (d *Doc) Holds(key string, v Scalar) bool {
	f, has := d.Field(key)
	switch {
	case v.gone || !has:
		return v.gone && !has
	case v.kind != Nested:
		return v.Equal(f)
	case v.deep:
		d.parseFront.Do(func() { d.front, _ = parseFront(d.text, d.parts.front) })
		e := d.front.find(key)
		return e != nil && v.holdsDeep(e.val)
	}
	texts, plain := d.Texts(key)
	return plain && f.Kind == Nested && slices.Equal(texts, v.items())
}

// editList replaces a list of plain values by another. If it only removes items and adds others at the end, the
// remaining items keep their bytes; otherwise it writes the list anew. It refuses if anything else, such as a comment,
// would be lost.
func (p *plan) editList(f *front, e *entry, v Scalar) error {
	n := e.val
	plain := n != nil && n.Kind == yaml.SequenceNode && n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 && !f.lenient
	hashes := 0
	for i := 0; plain && i < len(n.Content); i++ {
		item := n.Content[i]
		plain = item.Kind == yaml.ScalarNode && item.Anchor == "" && item.Style&(yaml.TaggedStyle|blockStyle) == 0
		hashes += strings.Count(item.Value, "#")
	}
	if plain && !v.deep && p.editItemsOf(f, e, v.items()) {
		return nil
	}
	if !plain || bytes.Count(f.text[e.Span.Start:e.Span.End], []byte("#")) != hashes {
		return p.doc.refuse(e.Line, "%s is no plain list of texts on lines without comments; only a person can change it", e.Key)
	}
	lit := v.text
	if e.key.Line != n.Line { // the items stand on lines of their own: the new list goes behind the colon
		e.Span.Start = len(bytes.TrimRight(f.text[:e.Span.Start], " \t\r\n-"))
		lit = " " + lit
	}
	p.replaceSpan(e.Span, lit)
	return nil
}

// editItemsOf edits a plain list item by item, and reports whether it can: some items go, others come behind the last.
func (p *plan) editItemsOf(f *front, e *entry, items []string) bool {
	n, src := e.val, f.text
	inBrackets := n.Style&yaml.FlowStyle != 0
	pos := newPositions(src, f.span)
	kept, gone := 0, []Span(nil) // the lines of those that go
	var last Span                // the last item
	for _, item := range n.Content {
		at, sure := pos.value(item, 0, e.Span.End)
		if inBrackets && item.Style == 0 { // a comma ends it
			at.End = min(at.Start+len(item.Value), len(src))
			sure = string(src[at.Start:at.End]) == item.Value
		}
		if last = at; !sure || item.Tag == "!!null" {
			return false
		}
		if kept < len(items) && items[kept] == item.Value {
			kept++
		} else {
			gone = append(gone, Span{lineStart(src, at.Start), lineEnd(src, at.End)})
		}
	}
	more := items[kept:]
	if inBrackets {
		if len(gone)+len(more) > 0 && (len(gone) > 0 || kept == 0) {
			return false
		}
		for _, item := range more {
			p.edits = append(p.edits, edit{Span{last.End, last.End}, ", " + List(item).one()})
		}
		return true
	}
	if kept == 0 || e.key.Line == n.Line {
		return false
	}
	for _, line := range gone {
		text := src[line.Start:line.End]
		if bytes.ContainsRune(text, '#') || !bytes.HasPrefix(bytes.TrimLeft(text, " "), []byte{'-'}) {
			return false
		}
	}
	for _, line := range gone {
		p.edits = append(p.edits, edit{line, ""})
	}
	start, at := lineStart(src, last.Start), lineEnd(src, last.End)
	lead := string(src[start : start+bytes.IndexByte(src[start:], '-')])
	for _, item := range more {
		p.edits = append(p.edits, edit{Span{at, at}, lead + "- " + List(item).one() + eolAt(src, at)})
	}
	return true
}

// items returns the items of a list.
func (v Scalar) items() (all []string) {
	root, err := decodeYAML([]byte(v.text))
	if err != nil || root == nil {
		return nil // List has made it
	}
	for _, item := range root.Content {
		all = append(all, item.Value)
	}
	return all
}

// one returns the only item of a list in its written form.
func (v Scalar) one() string { return strings.TrimSuffix(strings.TrimPrefix(v.text, "["), "]") }

// holds reports whether an entry has this value.
func (f *front) holds(e *entry, v Scalar) bool {
	if v.kind != Nested {
		return v.Equal(e.Field)
	}
	if v.deep {
		return v.holdsDeep(e.val)
	}
	texts, plain := textsOf(e, func(n *yaml.Node) *yaml.Node { return n })
	return e.Kind == Nested && plain && slices.Equal(texts, v.items())
}
