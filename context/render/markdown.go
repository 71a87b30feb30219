// Package render shows what people and assistants ask for: the context of a
// node as Markdown or JSON, and trees of nodes.
//
// It is pure, as package assemble is: the same values give the same bytes.
package render

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"arbor/context/assemble"
)

// Markdown returns the bundle as a Markdown page.
//
// Everything that comes from a text of the files stands in quotes: each of its lines begins with "> ", or with "> - " and "> " where
// it is an item of a list. So headings, fences and HTML in it stay below the node that they belong to, and nothing that a node
// says can look like a line of Arbor itself. Behind those two bytes the text stands as it is, but that a line break is added after
// characters other than LF that end a line somewhere. What has to fit on one line, such as a title, has each control
// character replaced by spaces.
func Markdown(b *assemble.Bundle) []byte {
	p := &page{buf: make([]byte, 0, 4*b.Tokens)}
	b.Layout(p)
	return p.buf
}

// A page writes Markdown. Its methods take as many bytes as assemble counts for them.
type page struct{ buf []byte }

var _ assemble.Page = (*page)(nil)

func (p *page) Heading(level int, lead, id, title string) {
	b := p.buf
	if level > 1 {
		b = append(b, '\n')
	}
	b = append(b, "######"[:level]...)
	b = append(b, ' ')
	b = append(b, lead...)
	b = appendLine(b, id)
	if id != "" && title != "" {
		b = append(b, ": "...)
	}
	b = appendLine(b, title)
	p.buf = append(b, '\n')
}

func (p *page) Facts(kind, status, extra, at, version string) {
	b := p.buf
	for _, s := range [...]string{kind, status, extra, at} {
		b = p.fact(b, "", s)
	}
	b = p.fact(b, "version ", version)
	if len(b) > len(p.buf) {
		b = append(b, ")\n"...)
	}
	p.buf = b
}

// fact adds to the line of facts that begins at the end of p: in parentheses, because no block begins so, whatever a file gives as its status.
func (p *page) fact(b []byte, lead, s string) []byte {
	if s == "" {
		return b
	}
	if len(b) > len(p.buf) {
		b = append(b, ", "...)
	} else {
		b = append(b, '(')
	}
	b = append(b, lead...)
	return appendLine(b, s)
}

func (p *page) Line(text string) {
	b := append(p.buf, '\n')
	b = appendLine(b, text)
	p.buf = append(b, '\n')
}

func (p *page) Label(name string, lines assemble.Range, extra string) {
	b := append(p.buf, '\n')
	b = append(b, name...)
	if lines[0] > 0 {
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(lines[0]), 10)
		if lines[1] > lines[0] {
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(lines[1]), 10)
		}
	}
	if extra != "" {
		b = append(b, ", "...)
		b = appendLine(b, extra)
	}
	p.buf = append(b, ":\n"...)
}

const (
	quote = "> "
	item  = "> - "
	next  = ">   " // a further line of an item
)

func (p *page) Quote(text string) {
	b := appendText(append(p.buf, quote...), text, quote)
	p.buf = append(b, '\n')
}

func (p *page) Rule(text string) {
	b := appendText(append(p.buf, item...), text, next)
	p.buf = append(b, '\n')
}

func (p *page) Doc(d assemble.Doc) {
	b := appendText(append(p.buf, item...), d.Path, next)
	if d.Description != "" {
		b = append(b, ": "...)
		b = appendText(b, d.Description, next)
	}
	p.buf = append(b, '\n')
}

func (p *page) Entry(e assemble.LogEntry) {
	b := append(p.buf, item...)
	if e.Timestamp != "" {
		b = append(b, '[')
		b = appendLine(b, e.Timestamp)
		b = append(b, "] ["...)
		b = appendLine(b, e.Operator)
		b = append(b, "] "...)
	}
	b = appendText(b, e.Event, next)
	p.buf = append(b, '\n')
}

func (p *page) Omission(o assemble.Omission) {
	b := append(p.buf, "- "...)
	b = appendLine(b, o.String())
	b = append(b, '\n')
	if o.Detail != "" {
		b = append(b, "  > "...)
		b = appendLine(b, o.Detail)
		b = append(b, '\n')
	}
	p.buf = b
}

// appendText appends s with a prefix for each line but the first.
func appendText(b []byte, s, prefix string) []byte {
	if assemble.HasOddBreaks(s) {
		return appendOddText(b, s, prefix)
	}
	for {
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			return append(b, s...)
		}
		b = append(b, s[:i+1]...)
		b = append(b, prefix...)
		s = s[i+1:]
	}
}

func appendOddText(b []byte, s, prefix string) []byte {
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRuneInString(s[i:])
		b = append(b, s[i:i+w]...)
		i += w
		if odd := assemble.OddBreak(r); odd || r == '\n' {
			if odd {
				b = append(b, '\n')
			}
			b = append(b, prefix...)
		}
	}
	return b
}

// appendLine appends s so that it stays on one line and cannot change how the others look: each byte of a character that could is a space.
func appendLine(b []byte, s string) []byte {
	start := len(b)
	b = append(b, s...)
	for i := start; i < len(b); i++ {
		c := b[i]
		if c >= 0x20 && c < 0x7f {
			continue
		}
		r, w := utf8.DecodeRune(b[i:])
		if unruly(r) {
			for k := range w {
				b[i+k] = ' '
			}
		}
		i += w - 1
	}
	return b
}

// unruly reports whether a character is a control character, ends lines or turns the direction of what follows it.
func unruly(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r == '\u2028', r == '\u2029':
		return true
	case r == '\u061c', r == '\u200e', r == '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}
