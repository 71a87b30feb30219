package setup

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"arbor/engine"
)

// A text is the content of a configuration file: JSON that may hold comments and trailing commas, or nothing but white space. It never changes.
type text struct {
	name string // for errors
	bom  bool
	src  string        // without the byte order mark
	root *hujson.Value // an object; nil where src holds none
}

const (
	byteOrderMark = "\ufeff"
	white         = " \t\r\n"
	deepest       = 500 // nesting, beyond which no configuration is
)

// parse reads the content of a configuration file. What it cannot read is INVALID_CONTENT, with the line.
func parse(name, content string) (*text, error) {
	t := &text{name: name}
	t.src, t.bom = strings.CutPrefix(content, byteOrderMark)
	if strings.Trim(t.src, white) == "" {
		return t, nil
	}
	if at := tooDeep(t.src); at >= 0 {
		return nil, t.fail(at, "it is nested more than %d deep", deepest)
	}
	root, err := hujson.Parse([]byte(t.src + "\n")) // a comment may end with the file
	if err != nil {
		return nil, t.unreadable(err)
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, t.fail(root.StartOffset, "it is %s; an object is expected", kind(&root))
	}
	t.root = &root
	return t, nil
}

// content returns the whole file.
func (t *text) content() string {
	if t.bom {
		return byteOrderMark + t.src
	}
	return t.src
}

// tooDeep returns the offset at which the text is nested too deep to be parsed, or -1.
func tooDeep(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '{', '[':
			if depth++; depth > deepest {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '/':
			end := "\n"
			if strings.HasPrefix(s[i:], "/*") {
				end = "*/"
			}
			n := strings.Index(s[min(i+2, len(s)):], end)
			if n < 0 {
				return -1
			}
			i += 1 + n + len(end)
		}
	}
	return -1
}

// unreadable says in this program's words what the parser says in its own.
func (t *text) unreadable(err error) error {
	what, line, column := err.Error(), 0, 0
	if n, _ := fmt.Sscanf(what, "hujson: line %d, column %d:", &line, &column); n == 2 {
		_, what, _ = strings.Cut(what, ": ")
		_, what, _ = strings.Cut(what, ": ")
	}
	return broken(t.name, fmt.Sprintf("%s:%d:%d", t.name, line, column), "it is no valid JSON: "+what+"; mend it first")
}

// fail is the error of something at an offset.
func (t *text) fail(at int, format string, args ...any) error {
	line := 1 + strings.Count(t.src[:at], "\n")
	return broken(t.name, fmt.Sprintf("%s:%d", t.name, line), fmt.Sprintf(format, args...))
}

func broken(name, where, what string) error {
	e := engine.Fail(engine.InvalidContent, "%s: %s%s", where, what, unchanged)
	e.Details = &engine.Details{Paths: []string{name}}
	return e
}

func kind(v *hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	}
	return string(v.Value.(hujson.Literal))
}

// descend returns the containers on a path, from the root on, as far as they are there: objects, but for the last of a whole path to a list.
func (t *text) descend(path []string, toList bool) ([]*hujson.Value, error) {
	if t.root == nil {
		return nil, nil
	}
	chain := []*hujson.Value{t.root}
	for i, key := range path {
		m, err := t.member(chain[i], key)
		if err != nil {
			return nil, err
		}
		if m == nil {
			return chain, nil
		}
		want, what := hujson.Kind('{'), "an object"
		if toList && i == len(path)-1 {
			want, what = '[', "a list"
		}
		if m.Value.Value.Kind() != want {
			return nil, t.fail(m.Value.StartOffset, "%s is %s; %s is expected", strings.Join(path[:i+1], "."), kind(&m.Value), what)
		}
		chain = append(chain, &m.Value)
	}
	return chain, nil
}

// member returns the member of an object that has a key, nil where none has it. A key that stands there twice is an error: programs differ in which one counts.
func (t *text) member(object *hujson.Value, key string) (*hujson.ObjectMember, error) {
	var found *hujson.ObjectMember
	members := object.Value.(*hujson.Object).Members
	for i := range members {
		if keyOf(&members[i]) != key {
			continue
		}
		if found != nil {
			first := 1 + strings.Count(t.src[:found.Name.StartOffset], "\n")
			return nil, t.fail(members[i].Name.StartOffset, "%s stands here for the second time (first in line %d); keep one of them", key, first)
		}
		found = &members[i]
	}
	return found, nil
}

// A slot is where one member or element of a container stands.
type slot struct {
	start, end int // of the member, its name among it
	comma      int // the offset of the comma after it; -1 for none
}

// slots returns the offsets of a container's brackets and of what is between them.
func slots(c *hujson.Value) (open, end int, all []slot) {
	put := func(first, last *hujson.Value, isLast bool) {
		s := slot{first.StartOffset, last.EndOffset, -1}
		if !isLast || last.AfterExtra != nil { // the last one has extra of its own only before a trailing comma
			s.comma = last.EndOffset + len(last.AfterExtra)
		}
		all = append(all, s)
	}
	switch v := c.Value.(type) {
	case *hujson.Object:
		for i := range v.Members {
			put(&v.Members[i].Name, &v.Members[i].Value, i == len(v.Members)-1)
		}
	case *hujson.Array:
		for i := range v.Elements {
			put(&v.Elements[i], &v.Elements[i], i == len(v.Elements)-1)
		}
	}
	return c.StartOffset, c.EndOffset - 1, all
}

// commented reports whether there is a comment within a container.
func commented(c *hujson.Value) bool {
	for v := range c.All() {
		if v != c && (comment(v.BeforeExtra) || comment(v.AfterExtra)) {
			return true
		}
		switch v := v.Value.(type) {
		case *hujson.Object:
			if comment(v.AfterExtra) {
				return true
			}
		case *hujson.Array:
			if comment(v.AfterExtra) {
				return true
			}
		}
	}
	return false
}

// comment reports whether there is a comment among white space.
func comment(e hujson.Extra) bool { return bytes.IndexByte(e, '/') >= 0 }
