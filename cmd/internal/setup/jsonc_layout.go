package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const plainUnit = "  " // one step of indentation in a file that shows none

// A part is a member of an object or an element of a list.
type part struct{ first, value *hujson.Value } // first is what it begins with: the name of a member

// parts returns the parts of an object or list, and the comments and white space before its closing bracket.
func parts(v *hujson.Value) (all []part, end *hujson.Extra) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			all = append(all, part{&c.Members[i].Name, &c.Members[i].Value})
		}
		return all, &c.AfterExtra
	case *hujson.Array:
		for i := range c.Elements {
			all = append(all, part{&c.Elements[i], &c.Elements[i]})
		}
		return all, &c.AfterExtra
	}
	return nil, nil
}

// insert adds a part at the end of a container. Beside a part that begins a line it gets lines of its own, and otherwise
// it is written in one line. A comma after the last part is followed by another.
func insert(root, container *hujson.Value, at, text string) error {
	l := layout{unit: plainUnit, gap: " "} // of the file
	if all, _ := parts(root); len(all) > 0 {
		if _, indent, _ := lineStart(all[0].first.BeforeExtra); indent != "" {
			l.unit = indent
		}
		if len(all[0].value.BeforeExtra) == 0 {
			l.gap = ""
		}
	}
	all, end := parts(container)
	n, tail := len(all), string(*end)
	before := strings.TrimRight(tail, white)
	after := tail[len(before):]
	spread := false
	if n > 0 {
		l.nl, l.indent, spread = lineStart(all[n-1].first.BeforeExtra)
	}
	nl, indent, ownLine := lineStart(*end)
	switch {
	case ownLine: // the closing bracket begins a line, and the part gets the line before it
		if before = strings.TrimSuffix(tail, indent); !spread {
			before += indent + l.unit
		}
		before, after = before+l.indent, nl+indent
	case spread:
		before += l.nl + l.indent
	case n > 0:
		before += l.gap
	case before != "": // a comment
		before += " "
	default: // as much white space before it as after it
		before = tail
	}
	if spread {
		l.gap = " "
	}
	err := root.Patch(fmt.Appendf(nil, `[{"op":"add","path":%s,"value":%s}]`, encode(at), l.write(text)))
	if err != nil {
		return err
	}
	all, end = parts(container)
	added := all[n]
	added.value.BeforeExtra = hujson.Extra(l.gap)
	added.first.BeforeExtra = hujson.Extra(before)
	if n > 0 && all[n-1].value.AfterExtra != nil { // the last part has a comma after it
		added.value.AfterExtra = hujson.Extra{}
	}
	*end = hujson.Extra(after)
	return nil
}

// cutPart removes the part of a container at a place: the way back from insert. Comments around it stay.
func cutPart(root, container *hujson.Value, at string) error {
	all, end := parts(container)
	i := 0
	for root.Find(at) != all[i].value {
		i++
	}
	p, last := all[i], i == len(all)-1
	next := end
	if !last {
		next = &all[i+1].first.BeforeExtra
	}
	left := join(p.first.BeforeExtra, slices.Concat(p.value.AfterExtra, *next), last)
	if last && i > 0 {
		switch now := all[i-1].value; {
		case p.value.AfterExtra == nil: // there is no comma after the last part
			left = slices.Concat(now.AfterExtra, left)
			now.AfterExtra = nil
		case now.AfterExtra == nil:
			now.AfterExtra = hujson.Extra{}
		}
	}
	p.first.BeforeExtra, *next = nil, nil // Patch would move the comments, and drop some
	if err := root.Patch(fmt.Appendf(nil, `[{"op":"remove","path":%s}]`, encode(at))); err != nil {
		return err
	}
	if all, end = parts(container); !last {
		end = &all[i].first.BeforeExtra
	}
	*end = left
	return nil
}

// join returns what is left of the comments and white space before and after a part that is removed.
func join(before, after hujson.Extra, last bool) hujson.Extra {
	rest := bytes.TrimLeft(after, " \t\r")
	ends := bytes.HasPrefix(rest, []byte("\n"))
	_, indent, begins := lineStart(before)
	switch {
	case begins && ends: // its lines
		return slices.Concat(bytes.TrimSuffix(before, []byte(indent)), rest[1:])
	case last:
		short := bytes.TrimRight(before, white)
		if _, err := hujson.Parse(fmt.Appendf(nil, "{%s}", short)); err != nil {
			short = before // it ends in a comment that needs its line end
		}
		return slices.Concat(short, after)
	case ends:
		return slices.Concat(before, after)
	}
	return slices.Concat(before, rest)
}

// lineStart returns the line end and the indentation before a token; ok is false if the token does not begin a line.
func lineStart(before hujson.Extra) (nl, indent string, ok bool) {
	i := bytes.LastIndexByte(before, '\n')
	indent = string(before[i+1:])
	switch {
	case i < 0 || strings.Trim(indent, white) != "":
		return "", "", false
	case i > 0 && before[i-1] == '\r':
		return "\r\n", indent, true
	}
	return "\n", indent, true
}

// A layout is how a new value is written.
type layout struct {
	nl     string // the line end; "" writes everything in one line
	indent string // of the line on which the value begins
	unit   string // one step of indentation
	gap    string // after a colon, and after a comma within a line
}

// write returns JSON in this layout. Lists of plain values stay in one line.
func (l layout) write(text string) string {
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", text, err))
	}
	l.apply(&v)
	return string(v.Pack())
}

func (l layout) apply(v *hujson.Value) {
	all, end := parts(v)
	inner := l
	inner.indent += l.unit
	spread := l.nl != "" && slices.ContainsFunc(all, func(p part) bool {
		_, plain := p.value.Value.(hujson.Literal)
		return p.first != p.value || !plain
	})
	for i, p := range all {
		p.value.BeforeExtra = hujson.Extra(l.gap)
		switch {
		case spread:
			p.first.BeforeExtra = hujson.Extra(l.nl + inner.indent)
		case i > 0:
			p.first.BeforeExtra = hujson.Extra(l.gap)
		default:
			p.first.BeforeExtra = nil
		}
		inner.apply(p.value)
	}
	if spread {
		*end = hujson.Extra(l.nl + l.indent)
	}
}
