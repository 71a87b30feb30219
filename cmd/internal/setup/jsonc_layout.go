package setup

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const plainUnit = "  " // one step of indentation in a file that shows none

// A part is a member of an object or an element of a list.
type part struct{ first, value *hujson.Value } // first is its beginning: the name of a member

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

// insert adds a part at the end of a container: a member, or an element if key is "-". If the parts begin on lines of
// their own, the new one does too; otherwise it stays on the line. If there is a comma after the last part, the new
// part gets one too.
func insert(root, container *hujson.Value, key string, value hujson.Value) {
	l := layout{unit: plainUnit}
	if all, _ := parts(root); len(all) > 0 {
		_, indent, _ := lineStart(all[0].first.BeforeExtra)
		l.unit = cmp.Or(indent, plainUnit)
	}
	all, end := parts(container)
	last := part{&hujson.Value{}, &hujson.Value{}}
	if len(all) > 0 {
		last = all[len(all)-1]
	}
	var spread bool
	l.nl, l.indent, spread = lineStart(last.first.BeforeExtra)
	tail := string(*end)
	before := strings.TrimRight(tail, white)
	after := tail[len(before):]
	nl, indent, ownLine := lineStart(*end)
	switch {
	case ownLine && spread: // the closing bracket begins a line, and the part gets the line before it
		before, after = strings.TrimSuffix(tail, indent)+l.indent, nl+indent
	case ownLine:
		before, after = tail+l.unit, nl+indent
	case spread:
		before += l.nl + l.indent
	case len(all) > 0:
		before += " "
	}
	*end = hujson.Extra(after)
	l.apply(&value)
	value.BeforeExtra = hujson.Extra(before)
	value.AfterExtra = last.value.AfterExtra[:0] // nil if there is no comma after the last part
	switch c := container.Value.(type) {
	case *hujson.Object:
		name := hujson.Value{BeforeExtra: value.BeforeExtra, Value: hujson.String(key)}
		value.BeforeExtra = hujson.Extra(" ")
		c.Members = append(c.Members, hujson.ObjectMember{Name: name, Value: value})
	case *hujson.Array:
		c.Elements = append(c.Elements, value)
	}
}

// cut removes a part of a container: the way back from insert. Comments around it stay; hujson's Patch drops some.
func cut(container, value *hujson.Value) {
	all, end := parts(container)
	i := slices.IndexFunc(all, func(p part) bool { return p.value == value })
	first, last := all[i].first, i == len(all)-1
	if !last {
		end = &all[i+1].first.BeforeExtra
	}
	*end = join(first.BeforeExtra, slices.Concat(value.AfterExtra, *end), last)
	if last && i > 0 {
		now := all[i-1].value
		now.AfterExtra = append(hujson.Extra{}, now.AfterExtra...)
		if value.AfterExtra == nil { // there is no comma after the last part
			*end, now.AfterExtra = append(now.AfterExtra, *end...), nil
		}
	}
	switch c := container.Value.(type) {
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
	}
}

// join returns what is left of the comments and white space before and after a part that is removed.
func join(before, after hujson.Extra, last bool) hujson.Extra {
	rest := bytes.TrimLeft(after, " \t")
	line := bytes.TrimPrefix(rest, []byte("\r"))
	if _, indent, begins := lineStart(before); begins && bytes.HasPrefix(line, []byte("\n")) { // its lines
		return slices.Concat(before[:len(before)-len(indent)], line[1:])
	}
	if !last {
		return slices.Concat(before, rest)
	}
	short := bytes.TrimRight(before, white)
	if _, err := hujson.Parse(fmt.Appendf(nil, "{%s}", short)); err != nil {
		short = before // it ends in a comment that needs its line end
	}
	return slices.Concat(short, after)
}

// lineStart returns the line end and the indentation before a token; ok is false if the token does not begin a line.
func lineStart(before hujson.Extra) (nl, indent string, ok bool) {
	i := bytes.LastIndexByte(before, '\n') + 1
	line, indent := before[:i], string(before[i:])
	if i == 0 || strings.Trim(indent, white) != "" {
		return "", "", false
	}
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return "\r\n", indent, true
	}
	return "\n", indent, true
}

// A layout is how a new value is written.
type layout struct {
	nl     string // the line end; "" puts everything on one line
	indent string // of the line on which the value begins
	unit   string // one step of indentation
}

// apply lays out a value that has no white space. Lists of strings stay in one line.
func (l layout) apply(v *hujson.Value) {
	all, end := parts(v)
	inner := layout{l.nl, l.indent + l.unit, l.unit}
	first, next := "", " "
	if l.nl != "" && len(all) > 0 && (all[0].first != all[0].value || all[0].value.Value.Kind() == '{') {
		first, next = l.nl+inner.indent, l.nl+inner.indent
		*end = hujson.Extra(l.nl + l.indent)
	}
	for _, p := range all {
		p.value.BeforeExtra = hujson.Extra(" ")
		p.first.BeforeExtra = hujson.Extra(first)
		first = next
		inner.apply(p.value)
	}
}
