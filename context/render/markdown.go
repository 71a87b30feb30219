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

func (p *page) put(parts ...string) {
	for _, s := range parts {
		p.buf = append(p.buf, s...)
	}
}

func (p *page) Heading(level int, lead, id, title string) {
	if level > 1 {
		p.put("\n")
	}
	p.put("######"[:level], " ", lead)
	p.line(id)
	if id != "" && title != "" {
		p.put(": ")
	}
	p.line(title)
	p.put("\n")
}

func (p *page) Facts(kind, status, extra, at, version string) {
	start := len(p.buf)
	fact := func(lead, s string) {
		if s == "" {
			return
		}
		if len(p.buf) > start {
			p.put(", ")
		} else {
			p.put("(") // whatever a file gives as its status, no block begins so
		}
		p.put(lead)
		p.line(s)
	}
	fact("", kind)
	fact("", status)
	fact("", extra)
	fact("", at)
	fact("version ", version)
	if len(p.buf) > start {
		p.put(")\n")
	}
}

func (p *page) Line(text string) {
	p.put("\n")
	p.line(text)
	p.put("\n")
}

func (p *page) Label(name string, lines assemble.Range, extra string) {
	p.put("\n", name)
	if lines[0] > 0 {
		p.put(" ")
		p.buf = strconv.AppendInt(p.buf, int64(lines[0]), 10)
		if lines[1] > lines[0] {
			p.put("-")
			p.buf = strconv.AppendInt(p.buf, int64(lines[1]), 10)
		}
	}
	if extra != "" {
		p.put(", ")
		p.line(extra)
	}
	p.put(":\n")
}

func (p *page) Quote(text string) {
	p.put("> ")
	p.text(text, "> ")
	p.put("\n")
}

const (
	item = "> - "
	next = ">   " // a further line of an item
)

func (p *page) Rule(text string) {
	p.put(item)
	p.text(text, next)
	p.put("\n")
}

func (p *page) Doc(d assemble.Doc) {
	p.put(item)
	p.text(d.Path, next)
	if d.Description != "" {
		p.put(": ")
		p.text(d.Description, next)
	}
	p.put("\n")
}

func (p *page) Entry(e assemble.LogEntry) {
	p.put(item)
	if e.Timestamp != "" {
		p.put("[")
		p.line(e.Timestamp)
		p.put("] [")
		p.line(e.Operator)
		p.put("] ")
	}
	p.text(e.Event, next)
	p.put("\n")
}

func (p *page) Omission(o assemble.Omission) {
	p.put("- ")
	p.line(o.String())
	p.put("\n")
	if o.Detail != "" {
		p.put("  > ")
		p.line(o.Detail)
		p.put("\n")
	}
}

// text writes s with a prefix for each line but the first.
func (p *page) text(s, prefix string) {
	if assemble.HasOddBreaks(s) {
		p.oddText(s, prefix)
		return
	}
	for {
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			p.buf = append(p.buf, s...)
			return
		}
		p.buf = append(p.buf, s[:i+1]...)
		p.buf = append(p.buf, prefix...)
		s = s[i+1:]
	}
}

func (p *page) oddText(s, prefix string) {
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRuneInString(s[i:])
		p.buf = append(p.buf, s[i:i+w]...)
		i += w
		if odd := assemble.OddBreak(r); odd || r == '\n' {
			if odd {
				p.put("\n")
			}
			p.put(prefix)
		}
	}
}

// line writes s so that it stays on one line and cannot change how the others look: each byte of a character that could is a space.
func (p *page) line(s string) {
	start := len(p.buf)
	p.buf = append(p.buf, s...)
	for i := start; i < len(p.buf); i++ {
		c := p.buf[i]
		if c >= 0x20 && c != 0x7f && c < utf8.RuneSelf {
			continue
		}
		r, w := utf8.DecodeRune(p.buf[i:])
		if unruly(r) {
			for k := range w {
				p.buf[i+k] = ' '
			}
		}
		i += w - 1
	}
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
