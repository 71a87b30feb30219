package assemble

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// A measure says how many bytes a bundle takes where it is rendered, and how
// many at least are saved where a piece of it is taken away.
type measure interface {
	whole(b *Bundle) int
	comma() int                         // what parts the items of a list, counted with each item and saved with all but the last
	head(name string) int               // a heading of level 2, there only while something is below it
	label(name string, lines Range) int // of a list, there only while it has items
	text(name string, lines Range, s string) int
	doc(d Doc) int
	entry(e LogEntry) int
	node(c *ChainPart) int // an ancestor without its texts
	child(c *ChildPart) int
	ref(r *RefPart) int
	omission(o Omission) int
}

// Size returns the number of bytes that the bundle has where package render renders it in that form.
func (b *Bundle) Size(f Form) int { return measureOf(f).whole(b) }

func measureOf(f Form) measure {
	if f == JSON {
		return inJSON{}
	}
	return onPage{}
}

// weigh states the size of the bundle in it, its own digits included.
func weigh(b *Bundle, m measure) {
	b.Tokens = 0
	state(b, m, m.whole(b))
}

// state is weigh of a bundle that takes so many bytes while it states no tokens.
func state(b *Bundle, m measure, whole int) {
	rest := whole - digits(0)
	if _, page := m.(onPage); page && b.Budget == 0 { // the page does not state it
		b.Tokens = Tokens(rest + digits(0))
		return
	}
	for n := -1; n != b.Tokens; {
		n = b.Tokens
		b.Tokens = Tokens(rest + digits(n))
	}
}

func digits(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}

// onPage measures by counting a Page.
type onPage struct{}

func counted(layout func(Page)) int {
	c := &counter{}
	layout(c)
	return c.n
}

func (onPage) whole(b *Bundle) int     { return counted(b.Layout) }
func (onPage) comma() int              { return 0 }
func (onPage) head(name string) int    { return counted(func(p Page) { p.Heading(2, name, "", "") }) }
func (onPage) doc(d Doc) int           { return counted(func(p Page) { p.Doc(d) }) }
func (onPage) entry(e LogEntry) int    { return counted(func(p Page) { p.Entry(e) }) }
func (onPage) node(c *ChainPart) int   { return counted(func(p Page) { c.bare(p, false) }) }
func (onPage) child(c *ChildPart) int  { return counted(c.layout) }
func (onPage) ref(r *RefPart) int      { return counted(r.layout) }
func (onPage) omission(o Omission) int { return counted(func(p Page) { p.Omission(o) }) }

func (onPage) label(name string, lines Range) int {
	return counted(func(p Page) { p.Label(name, lines, "") })
}

func (onPage) text(name string, lines Range, s string) int {
	return counted(func(p Page) { layoutText(p, name, lines, s) })
}

// A counter is a Page that only counts.
type counter struct{ n int }

func (c *counter) Heading(level int, lead, id, title string) {
	c.n += level + len(" ") + len(lead) + len(id) + len(title) + len("\n")
	if id != "" && title != "" {
		c.n += len(": ")
	}
	if level > 1 {
		c.n += len("\n")
	}
}

func (c *counter) Facts(kind, status, extra, at, version string) {
	n := 0
	for _, s := range [...]string{kind, status, extra, at} {
		if s != "" {
			n += len(s) + len(", ")
		}
	}
	if version != "" {
		n += len("version ") + len(version) + len(", ")
	}
	if n > 0 {
		c.n += n - len(", ") + len("()\n")
	}
}

func (c *counter) Line(text string) { c.n += len("\n") + len(text) + len("\n") }

func (c *counter) Label(name string, lines Range, extra string) {
	c.n += len("\n") + len(name) + len(":\n")
	if lines[0] > 0 {
		c.n += len(" ") + digits(lines[0])
		if lines[1] > lines[0] {
			c.n += len("-") + digits(lines[1])
		}
	}
	if extra != "" {
		c.n += len(", ") + len(extra)
	}
}

func (c *counter) Quote(text string) { c.lines(text, len("> ")) }
func (c *counter) Rule(text string)  { c.lines(text, len("> - ")) }

func (c *counter) Doc(d Doc) {
	c.lines(d.Path, len("> - "))
	if d.Description != "" {
		c.n += len(": ") - len("> - ") - len("\n")
		c.lines(d.Description, len("> - "))
	}
}

func (c *counter) Entry(e LogEntry) {
	if e.Timestamp != "" {
		c.n += len("[") + len(e.Timestamp) + len("] [") + len(e.Operator) + len("] ")
	}
	c.lines(e.Event, len("> - "))
}

func (c *counter) Omission(o Omission) {
	c.n += len("- ") + len(o.String()) + len("\n")
	if o.Detail != "" {
		c.n += len("  > ") + len(o.Detail) + len("\n")
	}
}

// lines counts a text each line of which has a prefix.
func (c *counter) lines(s string, prefix int) {
	n, odd := strings.Count(s, "\n"), 0
	if HasOddBreaks(s) {
		for _, r := range s {
			if OddBreak(r) {
				odd++
			}
		}
	}
	c.n += len(s) + (n+odd+1)*prefix + odd + len("\n")
}

// OddBreak reports whether a character other than LF may end a line where a text is shown.
// A page begins a new line after it, so that no text can get out of its quotes.
func OddBreak(r rune) bool {
	switch r {
	case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// HasOddBreaks reports whether there is an OddBreak in s.
func HasOddBreaks(s string) bool {
	has := func(c byte) bool { return strings.IndexByte(s, c) >= 0 }
	return has('\r') || has('\v') || has('\f') ||
		has("\u0085"[0]) && strings.Contains(s, "\u0085") ||
		has("\u2028"[0]) && (strings.Contains(s, "\u2028") || strings.Contains(s, "\u2029"))
}

// inJSON measures by encoding.
type inJSON struct{}

func encoded(v any) int {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("a bundle cannot be encoded: " + err.Error()) // it holds strings and numbers only
	}
	return b.Len() - len("\n")
}

func (inJSON) whole(b *Bundle) int                  { return encoded(b) }
func (inJSON) comma() int                           { return len(",") }
func (inJSON) head(string) int                      { return 0 }
func (inJSON) label(string, Range) int              { return 0 }
func (inJSON) text(_ string, _ Range, s string) int { return encodedText(s) }
func (inJSON) doc(d Doc) int                        { return encoded(d) + len(",") }
func (inJSON) entry(e LogEntry) int                 { return encoded(e) + len(",") }
func (inJSON) node(c *ChainPart) int                { return encoded(c) + len(",") }
func (inJSON) child(c *ChildPart) int               { return encoded(c) + len(",") }
func (inJSON) ref(r *RefPart) int                   { return encoded(r) + len(",") }
func (inJSON) omission(o Omission) int              { return encoded(o) + len(",") }

// encodedText returns the length of a text as JSON, without its quotation marks.
func encodedText(s string) int {
	n := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
			n += 2
		case c < 0x20:
			n += 6
		case c < utf8.RuneSelf:
			n++
		default:
			r, w := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && w == 1 || r == '\u2028' || r == '\u2029' {
				n += 6
			} else {
				n += w
			}
			i += w
			continue
		}
		i++
	}
	return n
}
