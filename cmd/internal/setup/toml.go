package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// A TOML file is edited by lines: an entry is a table of its own at the end. What comes out is read again, and refused
// unless exactly the entry has changed. So no form of the language can be misread. Paths of settings have two keys.

func parseTOML(text string) (m map[string]any, err error) {
	if _, err := toml.Decode(text, &m); err != nil {
		var where toml.ParseError
		if errors.As(err, &where) {
			return nil, fmt.Errorf(":%d: it is no valid TOML: %s; mend it first", where.Position.Line, where.Message)
		}
		return nil, fmt.Errorf(": it is no valid TOML: %v; mend it first", err)
	}
	return m, nil
}

// without removes an entry from what was read, and returns it.
func without(m map[string]any, path []string) (value any, found bool) {
	tables, _ := m[path[0]].(map[string]any)
	value, found = tables[path[1]]
	if delete(tables, path[1]); len(tables) == 0 {
		delete(m, path[0])
	}
	return value, found
}

// turned returns the new text if it differs from the old one by the entry only.
func turned(old, text string, s setting) (string, error) {
	before, err := parseTOML(old)
	if err != nil {
		return "", err
	}
	after, err := parseTOML(text)
	without(before, s.path)
	if without(after, s.path); err != nil || !reflect.DeepEqual(before, after) {
		return "", fmt.Errorf(": %s cannot be put in or taken out without a change of something else; do it by hand", s.what)
	}
	return text, nil
}

// spans returns where the tables of an entry, and those below it, begin and end in the text. Blank lines and comments
// behind the last key stay.
func spans(text string, s setting) (all [][2]int) {
	header := regexp.MustCompile(`^\s*\[\s*["']?` + s.path[0] + `["']?\s*\.\s*["']?` + s.path[1] + `["']?\s*[.\]]`)
	at, in := len(text)-len(strings.TrimPrefix(text, byteOrderMark)), false
	for line := range strings.Lines(text[at:]) {
		from, rest := at, strings.TrimSpace(line)
		at += len(line)
		switch {
		case header.MatchString(line):
			all, in = append(all, [2]int{from, at}), true
		case strings.HasPrefix(rest, "["):
			in = false
		case in && rest != "" && rest[0] != '#':
			all[len(all)-1][1] = at
		}
	}
	return all
}

func findTOML(text string, s setting) ([]entry, error) {
	m, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	value, found := without(m, s.path)
	if !found {
		return nil, nil
	}
	e := entry{line: 1}
	data, _ := json.Marshal(value) // strings, lists and numbers, or it is not what set-up writes
	_ = json.Unmarshal(data, &e.fields)
	if at := spans(text, s); len(at) > 0 {
		e.line, e.value = 1+strings.Count(text[:at[0][0]], "\n"), written(text[at[0][0]:at[0][1]])
	}
	return []entry{e}, nil
}

// written is an entry as it stands in a TOML file.
type written string

func addTOML(text string, s setting, value any) (string, error) {
	nl, entry := "\n", ""
	if strings.Contains(text, "\r\n") {
		nl = "\r\n"
	}
	switch value := value.(type) {
	case written:
		entry = strings.TrimRight(string(value), "\r\n") + nl
	case command:
		var args []string
		for _, a := range value.Args {
			args = append(args, encode(a))
		}
		entry = "[" + strings.Join(s.path, ".") + "]" + nl + "command = " + encode(value.Command) + nl + "args = [" +
			strings.Join(args, ", ") + "]" + nl
	}
	switch inline := regexp.MustCompile(`(?m)^\s*["']?` + s.path[0] + `["']?\s*=`); {
	case inline.MatchString(text): // nothing may be added to it from outside, though not every program minds
		return "", fmt.Errorf(": %s is written in one value; put %s in by hand", s.path[0], s.what)
	case strings.Trim(text, white+byteOrderMark) == "":
	case strings.HasSuffix(text, "\n"):
		entry = nl + entry
	default: // it goes on without an end of the last line
		entry = nl + nl + strings.TrimSuffix(entry, nl)
	}
	return turned(text, text+entry, s)
}

// removalsTOML returns the text without an entry, and then without the blank line before it: every text that addTOML
// may have been given before.
func removalsTOML(text string, s setting) ([]string, error) {
	cut, last := "", 0
	for _, at := range spans(text, s) {
		cut, last = cut+text[last:at[0]], at[1]
	}
	cut, err := turned(text, cut+text[last:], s)
	if err != nil {
		return nil, err
	}
	if m, _ := parseTOML(cut); m != nil {
		if _, still := without(m, s.path); still {
			return nil, fmt.Errorf(": %s is no table of its own; take it out by hand", s.what)
		}
	}
	all := []string{cut}
	for _, end := range []string{"\n", "\r\n", "\n\n", "\r\n\r\n"} {
		if short, ok := strings.CutSuffix(cut, end); ok {
			all = append(all, short)
		}
	}
	return all, nil
}
