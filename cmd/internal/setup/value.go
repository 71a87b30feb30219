package setup

import (
	"strings"

	"github.com/tailscale/hujson"
)

// A value is JSON to be written: fields, list, or the literal of a string, number, true, false or null.
type value interface{}

// fields are an object whose keys keep their order.
type fields []field

type field struct {
	key   string
	value value
}

type list []value

type literal string

func quoted(s string) literal { return literal(hujson.String(s)) }

func quotedAll(words []string) list {
	l := list{}
	for _, w := range words {
		l = append(l, quoted(w))
	}
	return l
}

// A layout is how a value is written.
type layout struct {
	spread bool   // objects, and lists of them, take a line for each of their parts
	indent string // of the line on which the value begins
	unit   string // one step of indentation
	nl     string
	gap    string // after a colon, and after a comma within a line
}

func (l layout) deeper() layout {
	l.indent += l.unit
	return l
}

// write returns a value as JSON.
func (l layout) write(v value) string {
	switch v := v.(type) {
	case fields:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = l.deeper().member(f.key, f.value)
		}
		return l.join("{", parts, "}", l.spread)
	case list:
		parts, flat := make([]string, len(v)), true
		for i, e := range v {
			parts[i] = l.deeper().write(e)
			_, word := e.(literal)
			flat = flat && word
		}
		return l.join("[", parts, "]", l.spread && !flat)
	}
	return string(v.(literal))
}

// member returns one field of an object as JSON, the value alone where the key is "".
func (l layout) member(key string, v value) string {
	if key == "" {
		return l.write(v)
	}
	return string(quoted(key)) + ":" + l.gap + l.write(v)
}

func (l layout) join(open string, parts []string, end string, spread bool) string {
	if !spread || len(parts) == 0 {
		return open + strings.Join(parts, ","+l.gap) + end
	}
	inner := l.nl + l.indent + l.unit
	return open + inner + strings.Join(parts, ","+inner) + l.nl + l.indent + end
}

// valueOf returns a parsed value as one to be written. Comments in it are lost.
func valueOf(v *hujson.Value) value {
	switch v := v.Value.(type) {
	case *hujson.Object:
		out := fields{}
		for i := range v.Members {
			out = append(out, field{keyOf(&v.Members[i]), valueOf(&v.Members[i].Value)})
		}
		return out
	case *hujson.Array:
		out := list{}
		for i := range v.Elements {
			out = append(out, valueOf(&v.Elements[i]))
		}
		return out
	}
	return literal(v.Value.(hujson.Literal))
}

func keyOf(m *hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// word returns the text of a string; ok is false for any other value.
func word(v value) (s string, ok bool) {
	l, ok := v.(literal)
	if !ok || !strings.HasPrefix(string(l), `"`) {
		return "", false
	}
	return hujson.Literal(l).String(), true
}

// words returns the texts of a list of strings; ok is false for any other value.
func words(v value) (all []string, ok bool) {
	l, ok := v.(list)
	for _, e := range l {
		s, is := word(e)
		all, ok = append(all, s), ok && is
	}
	return all, ok
}

// get returns the value of a key, nil where there is none or several.
func (f fields) get(key string) value {
	var out value
	for _, m := range f {
		if m.key != key {
			continue
		}
		if out != nil {
			return nil
		}
		out = m.value
	}
	return out
}

// turned returns the fields from the n-th on, and then those before.
func (f fields) turned(n int) fields {
	return append(append(fields{}, f[n:]...), f[:n]...)
}

// compact returns a value as JSON without white space, "" for none.
func compact(v value) string {
	if v == nil {
		return ""
	}
	return layout{}.write(v)
}
