package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"arbor/engine/errs"
)

// Set returns a TOML file in which a key has a value: a text, number, truth, time, or list. Only the value changes, or
// one line comes to the end of the key's table; a table that is missing comes to the end of the file. The error is an
// *errs.Error if other parts of the file would have to change, as for a key in an inline table.
func Set(src []byte, key string, value any) ([]byte, error) {
	text, err := encode(value)
	if err != nil {
		return nil, err
	}
	return edit(string(src), key, text)
}

// Put is Set for a value as a command line gives it, in the file of a level. It refuses what would not count there,
// and a secret in a file that a clone brings.
func Put(l Level, file string, src []byte, key, text string) ([]byte, error) {
	path, err := parseKey(key)
	if err != nil {
		return nil, err
	}
	value := parseValue(path, text)
	if _, why := refused(l, file, path, value); why != "" {
		return nil, errs.New(errs.InvalidParams, "%s %s", key, why)
	}
	if _, hidden := mask(path[len(path)-1], value); hidden && l.tracked() {
		return nil, errs.New(errs.InvalidParams, "%s%s", key, looksSecret)
	}
	return Set(src, key, value)
}

// Unset returns a TOML file without a key, or without a table and all that is in it. A file that does not have it
// stays as it is.
func Unset(src []byte, key string) ([]byte, error) { return edit(string(src), key, "") }

// Find returns the value or table that a key has in a TOML file, and its line; nil and 0 if it has none.
func Find(src []byte, key string) (value any, line int, err error) {
	path, err := parseKey(key)
	if err != nil {
		return nil, 0, err
	}
	tree, err := parsed(string(src))
	if value = dig(tree, path); err != nil || value == nil {
		return nil, 0, err
	}
	for _, e := range slices.Backward(scan(string(src))) {
		if below(e.path, path) || !e.header && below(path, e.path) {
			line = e.line
		}
	}
	return value, line, nil
}

// parsed reads a TOML file before an edit.
func parsed(src string) (map[string]any, error) {
	tree, err := decode(src)
	if err != nil {
		wrong := Layer{Data: []byte(src)}.broken(err)
		return nil, errs.New(errs.InvalidContent, "line %d %s; mend it first", wrong[0].Line, wrong[0].Text)
	}
	return tree, nil
}

// edit sets a key to the TOML value text, or removes it if text is empty. It reads the result again, and refuses it
// unless only the key has changed.
func edit(src, key, text string) ([]byte, error) {
	path, err := parseKey(key)
	if err != nil {
		return nil, err
	}
	want, err := parsed(src)
	if err != nil {
		return nil, err
	}
	bare := strings.TrimPrefix(src, byteOrderMark)
	out := src[:len(src)-len(bare)] + replaced(bare, path, text)
	got, err := decode(out)
	if err != nil || shown(got, nil, "") != shown(want, path, text) {
		return nil, errs.New(errs.InvalidContent, "%s cannot be changed without changing the keys beside it, "+
			"as in an inline table, or where a table has that name; edit the file by hand", key)
	}
	return []byte(out), nil
}

// shown returns all values of a tree as one text, with the TOML value text at a path; if text is empty, without that
// path and everything below it.
func shown(tree map[string]any, path []string, text string) string {
	all := map[string]any{}
	each(nil, tree, func(p []string, v any) {
		if path == nil || !below(p, path) || text != "" && len(p) > len(path) {
			all[toml.Key(p).String()] = v
		}
	})
	if text != "" {
		value, _ := decode("v = " + text)
		all[toml.Key(path).String()] = value["v"]
	}
	return fmt.Sprintf("%#v", all)
}

// encode returns a value as TOML.
func encode(value any) (string, error) {
	out, err := toml.Marshal(map[string]any{"v": value})
	text, ok := strings.CutPrefix(strings.TrimSuffix(string(out), "\n"), "v = ")
	if err != nil || !ok {
		return "", errs.New(errs.InvalidParams, "a table or nothing at all is no value of a key; set the keys in the table")
	}
	return text, nil
}

// replaced returns a file in which a key has the TOML value text or, if text is empty, without the lines of the key and
// of those below it. If that is impossible, the result does not parse or means something else.
func replaced(src string, path []string, text string) string {
	all, table := scan(src), len(path)-1 // number of elements in the header above a new line
	for _, e := range slices.Backward(all) {
		switch {
		case text == "" && below(e.path, path):
			src = src[:e.from] + src[e.to:]
		case e.header && text != "" && below(e.path, path): // a table already, even if nothing is in it
			return src
		case text == "" || e.header || e.within:
		case slices.Equal(e.path, path):
			return src[:e.val] + text + src[e.end:]
		case below(path, e.path), below(e.path, path): // it is in an inline table, below a value, or a table itself
			return src
		case e.table < table && below(e.path, path[:len(path)-1]): // beside a dotted key
			table = e.table
		}
	}
	if text == "" {
		return src
	}
	at, newline := -1, "\n"
	if strings.Contains(src, "\r\n") {
		newline = "\r\n"
	}
	for _, e := range all {
		if !e.within && e.table == table && below(e.path, path[:table]) {
			at = e.to
		}
	}
	line := toml.Key(path[table:]).String() + " = " + text + newline
	switch {
	case at >= 0:
	case table > 0: // a table that is missing
		at, line = len(src), "["+toml.Key(path[:table]).String()+"]"+newline+line
		if strings.TrimSpace(src) != "" {
			line = newline + line
		}
	case len(all) == 0:
		at = len(src)
	default: // above the first header and the comment on it
		at, line = 0, line+newline
		if blank := strings.LastIndex(src[:all[0].from], newline+newline); blank >= 0 {
			at = blank + 2*len(newline)
		}
	}
	if at > 0 && src[at-1] != '\n' {
		line = newline + line
	}
	return src[:at] + line + src[at:]
}
