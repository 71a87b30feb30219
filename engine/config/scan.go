package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"arbor/engine/errs"
)

// An entry is a key with its value, or the header of a table, in a TOML file that parses.
type entry struct {
	path     []string // from the root of the file
	table    int      // how many of its elements the header says under which it stands
	kind     byte     // '=' a value, 'T' the header of a table, 'A' that of an element of a list of tables
	within   bool     // it stands in an element of a list of tables
	key      int      // where its key begins, or its header
	val, end int      // the span of its value; of a header, of its name
}

// decode reads a TOML file.
func decode(src string) (map[string]any, error) {
	tree := map[string]any{}
	_, err := toml.Decode(src, &tree)
	return tree, err
}

// valueOf reads one value of a TOML file that parses.
func valueOf(text string) any {
	tree, _ := decode("v = " + text)
	return tree["v"]
}

// scan returns the entries of a TOML file that parses, in their order. The decoder tells the values, and not where
// they stand.
func scan(src string) (all []entry) {
	s := &scanner{src: src, i: len(src) - len(strings.TrimPrefix(src, "\ufeff"))}
	var under []string
	var lists [][]string
	within := func(path []string) bool {
		return slices.ContainsFunc(lists, func(l []string) bool { return below(path, l) })
	}
	for s.blank(); s.i < len(s.src); s.blank() {
		e := entry{kind: '=', key: s.i}
		if s.skip('[') {
			e.kind = 'T'
			if s.skip('[') {
				e.kind = 'A'
			}
			e.val, under = s.i, s.name()
			e.path, e.end = under, s.i
			e.within = within(e.path)
			if e.kind == 'A' {
				lists = append(lists, under)
			}
			s.until("\n#")
		} else {
			e.path = slices.Concat(under, s.name())
			e.within = within(e.path)
			s.i++ // the equals sign
			s.space()
			e.val = s.i
			s.value()
			e.end = s.i
		}
		e.table = len(under)
		all = append(all, e)
	}
	return all
}

// A scanner walks over a TOML file that parses.
type scanner struct {
	src string
	i   int
}

func (s *scanner) peek() byte {
	if s.i < len(s.src) {
		return s.src[s.i]
	}
	return 0
}

func (s *scanner) skip(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.i++
	return true
}

// space skips blanks, and blank skips lines and comments too.
func (s *scanner) space() { s.i = len(s.src) - len(strings.TrimLeft(s.src[s.i:], " \t")) }

func (s *scanner) blank() {
	for {
		s.i = len(s.src) - len(strings.TrimLeft(s.src[s.i:], " \t\r\n"))
		if s.peek() != '#' {
			return
		}
		s.until("\n")
	}
}

// until goes to the next of these characters, or to the end.
func (s *scanner) until(chars string) {
	if n := strings.IndexAny(s.src[s.i:], chars); n >= 0 {
		s.i += n
	} else {
		s.i = len(s.src)
	}
}

// name reads a key, which may be dotted and quoted.
func (s *scanner) name() (path []string) {
	for {
		s.space()
		at := s.i
		if c := s.peek(); c == '"' || c == '\'' {
			s.value()
			text, _ := valueOf(s.src[at:s.i]).(string)
			path = append(path, text)
		} else {
			s.until(" \t.=]\n")
			path = append(path, s.src[at:s.i])
		}
		if s.space(); !s.skip('.') {
			return path
		}
	}
}

// value skips a value. In lists and inline tables it skips keys as if they were values.
func (s *scanner) value() {
	for _, quote := range []string{`"""`, `'''`, `"`, `'`} {
		if !strings.HasPrefix(s.src[s.i:], quote) {
			continue
		}
		for s.i += len(quote); s.i < len(s.src) && !strings.HasPrefix(s.src[s.i:], quote); s.i++ {
			if quote[0] == '"' && s.peek() == '\\' {
				s.i++
			}
		}
		for s.i += len(quote); len(quote) == 3 && s.skip(quote[0]); { // such a text may end with quotes
		}
		return
	}
	if s.skip('[') || s.skip('{') {
		for s.blank(); s.i < len(s.src) && !s.skip(']') && !s.skip('}'); s.blank() {
			if !s.skip(',') && !s.skip('=') && !s.skip('.') {
				s.value()
			}
		}
		return
	}
	s.until(",]}#=\"'\r\n")
	s.i = len(strings.TrimRight(s.src[:s.i], " \t"))
}

// below reports whether path is at or below another one.
func below(path, above []string) bool {
	return len(path) >= len(above) && slices.Equal(path[:len(above)], above)
}

// each calls f with every value at or below a path, in the order of keys. A list is one value.
func each(path []string, value any, f func(path []string, value any)) {
	table, ok := value.(map[string]any)
	if !ok {
		f(path, value)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		each(append(slices.Clip(path), name), table[name], f)
	}
}

// parseKey returns the elements of a dotted key: providers."a.b".model has three.
func parseKey(name string) ([]string, error) {
	src := name + " = 0"
	if _, err := decode(src); err == nil && !strings.ContainsAny(name, "\r\n") {
		if all := scan(src); len(all) == 1 && all[0].val == len(src)-1 {
			return all[0].path, nil
		}
	}
	return nil, errs.New(errs.InvalidParams, "%q is no key; words with dots between them are expected, as a.b.c", name)
}

// position returns the line and column of a place in a text, from 1; columns count bytes.
func position(src string, at int) (line, col int) {
	return 1 + strings.Count(src[:at], "\n"), at - strings.LastIndex(src[:at], "\n")
}
