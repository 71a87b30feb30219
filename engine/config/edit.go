package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"arbor/engine/errs"
)

// Set returns a TOML file in which a key has a value: a text, number, truth, time, or list. Only the value changes,
// or one line comes to the end of the key's table; a table that is missing comes to the end of the file. Unset, with
// a nil value, takes the line of a key out. The error is an *errs.Error where nothing else could stay as it is, such
// as for a key in an inline table.
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
	value, err := parseValue(key, text)
	if err != nil {
		return nil, err
	}
	path, _ := parseKey(key) // parseValue has done so
	if _, why := refused(l, file, path, value); why != "" {
		return nil, errs.New(errs.InvalidParams, "%s %s", key, why)
	}
	if _, hidden := mask(path[len(path)-1], value); hidden && l.tracked() {
		return nil, errs.New(errs.InvalidParams, "%s%s", key, looksSecret)
	}
	return Set(src, key, value)
}

// Unset returns a TOML file without a key. A file that does not have it stays as it is.
func Unset(src []byte, key string) ([]byte, error) { return edit(string(src), key, "") }

// edit gives a key the value that text is, or takes it out where text is empty.
func edit(src, key, text string) ([]byte, error) {
	path, err := parseKey(key)
	if err != nil {
		return nil, err
	}
	want, err := decode(src)
	if err != nil {
		wrong := Layer{Data: []byte(src)}.broken(err)
		return nil, errs.New(errs.InvalidContent, "line %d %s; mend it first", wrong[0].Line, wrong[0].Text)
	}
	at, end, insert := place(src, path, text)
	out := src[:at] + insert + src[end:]
	got, err := decode(out)
	if err != nil || shown(got, nil, "") != shown(want, path, text) {
		return nil, errs.New(errs.InvalidContent, "%s cannot be changed without changing the keys beside it, "+
			"as in an inline table, or where a table has that name; edit the file by hand", key)
	}
	return []byte(out), nil
}

// shown returns all that a tree holds as one text, with the value that text is at a path, or none.
func shown(tree map[string]any, path []string, text string) string {
	all := map[string]any{}
	each(nil, tree, func(p []string, v any) { all[toml.Key(p).String()] = v })
	if path != nil {
		if delete(all, toml.Key(path).String()); text != "" {
			all[toml.Key(path).String()] = valueOf(text)
		}
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

// place says what becomes of which span of a file for a key to have a value. Where it cannot have one, what becomes
// of the file does not parse, or says something else.
func place(src string, path []string, text string) (at, end int, insert string) {
	all, above, newline := scan(src), path[:len(path)-1], "\n"
	if strings.Contains(src, "\r\n") {
		newline = "\r\n"
	}
	after, table, first := -1, 0, -1 // the entry that a new line comes after; the table it stands in; any header
	for i, e := range all {
		header := e.kind != '='
		if header && first < 0 {
			first = i
		}
		switch {
		case e.within:
		case !header && slices.Equal(e.path, path) && text != "":
			return e.val, e.end, text
		case !header && slices.Equal(e.path, path):
			return lineStart(src, e.key), lineEnd(src, e.end), ""
		case e.kind == 'T' && slices.Equal(e.path, above), !header && e.table == len(above) && below(e.path, above):
			after, table = i, len(above)
		case !header && below(path, e.path): // in an inline table, or below a value
			return 0, len(src), src + "\n="
		case !header && max(table, e.table) < len(above) && below(e.path, above): // a dotted key
			after, table = i, e.table
		}
	}
	line := func(table int) string { return toml.Key(path[table:]).String() + " = " + text + newline }
	switch {
	case text == "":
		return 0, 0, ""
	case after >= 0:
		at, insert = lineEnd(src, all[after].end), line(table)
	case len(above) == 0 && first >= 0: // above the first header and the comment on it
		at = lineStart(src, all[first].key)
		for at > 0 && strings.HasPrefix(src[lineStart(src, at-1):at], "#") {
			at = lineStart(src, at-1)
		}
		insert = line(0) + newline
	case len(above) == 0:
		at, insert = len(src), line(0)
	default:
		at, insert = len(src), "["+toml.Key(above).String()+"]"+newline+line(len(above))
		if strings.TrimSpace(src) != "" {
			insert = newline + insert
		}
	}
	if at == len(src) && at > 0 && !strings.HasSuffix(src, "\n") {
		insert = newline + insert
	}
	return at, at, insert
}

func lineStart(src string, at int) int {
	at = strings.LastIndexByte(src[:at], '\n') + 1
	if at == 0 && strings.HasPrefix(src, "\ufeff") {
		return len("\ufeff")
	}
	return at
}

func lineEnd(src string, at int) int {
	if n := strings.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(src)
}
