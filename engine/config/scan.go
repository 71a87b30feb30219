package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"arbor/engine/errs"
	"arbor/mdstore/pattern"
)

// An entry is a key with its value, or the header of a table, in a TOML file that parses.
type entry struct {
	path      []string // from the root of the file
	table     int      // how many of its elements come from the header above it; for a header all
	header    bool
	list      bool // the header of an element of a list of tables
	within    bool // it is in an element of an array of tables
	value     any  // nil of a header
	line, col int  // the position of its key or header, from 1; columns count bytes
	from, to  int  // the span of its lines
	val, end  int  // the span of its value
}

// token matches the tokens that decide where values end: texts and comments, which hide other tokens, and signs.
var token = pattern.Of(`(?s)"""(?:\\.|[^\\])*?"{3,5}|'''.*?'{3,5}|` +
	`"(?:\\.|[^"\\])*"|'[^']*'|#[^\n]*|[\[\]{}=\n]`)

const byteOrderMark = "\ufeff"

// scan returns the entries of a TOML file that parses, in their order. The decoder reports paths and values, but not
// their places. So scan cuts the file at line ends outside of brackets and texts, and decodes each piece.
func scan(src string) (all []entry) {
	var under []string   // the header that counts
	var lists [][]string // the headers of lists of tables
	depth, e := 0, entry{line: 1, from: len(src) - len(strings.TrimPrefix(src, byteOrderMark))}
	for _, at := range append(token().FindAllStringIndex(src, -1), []int{len(src), len(src)}) {
		sign := byte('\n') // the end of the file ends a line
		if at[0] < len(src) {
			sign = src[at[0]]
		}
		switch {
		case sign == '[' || sign == '{':
			depth++
		case sign == ']' || sign == '}':
			depth--
		case depth > 0 || sign == '"' || sign == '\'':
		case sign == '=':
			e.val = at[1]
		case sign == '#':
			e.end = at[0]
		default: // a line ends
			e.to = at[1]
			text, tree := src[e.from:e.to], map[string]any{}
			meta, _ := toml.Decode(text, &tree)
			if keys := meta.Keys(); len(keys) > 0 {
				path := []string(keys[0])
				e.col = 1 + len(text) - len(strings.TrimLeft(text, " \t"))
				if e.header = e.val == 0; e.header {
					under, e.path = path, path
				} else {
					e.path, e.value = slices.Concat(under, path), dig(tree, path)
					value := src[e.val:cmp.Or(e.end, e.to)]
					e.val += len(value) - len(strings.TrimLeft(value, " \t"))
					e.end = e.val + len(strings.TrimSpace(value))
				}
				e.table = len(under)
				e.within = slices.ContainsFunc(lists, func(l []string) bool { return below(e.path, l) })
				if e.list = e.header && text[e.col] == '['; e.list {
					lists = append(lists, path)
				}
				all = append(all, e)
			}
			e = entry{line: e.line + strings.Count(text, "\n"), from: e.to}
		}
	}
	return all
}

// decode reads a TOML file.
func decode(src string) (map[string]any, error) {
	tree := map[string]any{}
	_, err := toml.Decode(src, &tree)
	return tree, err
}

// dig returns the value at a path in a tree, or nil.
func dig(tree any, path []string) any {
	for _, name := range path {
		table, _ := tree.(map[string]any)
		tree = table[name]
	}
	return tree
}

// below reports whether path equals above or lies below it.
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
	if _, err := decode(src); err == nil {
		if all := scan(src); len(all) == 1 && all[0].val == len(src)-1 {
			return all[0].path, nil
		}
	}
	return nil, errs.New(errs.InvalidParams, "%q is no key; words with dots between them are expected, as a.b.c", name)
}
