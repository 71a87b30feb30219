package setup

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/config"
)

// In a TOML file an entry is a table of its own. Package config edits it, and refuses edits that would change anything
// else.

// key returns the TOML name of a setting, or of a member of it.
func (s setting) key(names ...string) string { return strings.Join(slices.Concat(s.path, names), ".") }

func findTOML(text string, s setting) ([]entry, error) {
	value, line, err := config.Find([]byte(text), s.key())
	if err != nil {
		return nil, fmt.Errorf(": %w", err)
	}
	if value == nil {
		return nil, nil
	}
	e, c := entry{line: line}, command{}
	data, _ := json.Marshal(value) // strings, lists and numbers, or it is not what set-up writes
	_, _ = json.Unmarshal(data, &e.fields), json.Unmarshal(data, &c)
	e.value = c
	return []entry{e}, nil
}

// addTOML adds a command to a text that lacks it. If the text does not end with a line feed, neither does the result.
func addTOML(text string, s setting, value any) (string, error) {
	c := value.(command)
	out, err := config.Set([]byte(text), s.key("command"), c.Command)
	if err == nil {
		out, err = config.Set(out, s.key("args"), c.Args)
	}
	if err != nil {
		return "", fmt.Errorf(": %w", err)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		return strings.TrimRight(string(out), "\r\n"), nil
	}
	return string(out), nil
}

// removalsTOML returns the text without an entry, and then without the blank line before it: every text that addTOML
// may have been given before.
func removalsTOML(text string, s setting) (all []string, err error) {
	out, err := config.Unset([]byte(text), s.key())
	if err != nil {
		return nil, fmt.Errorf(": %w", err)
	}
	for _, end := range []string{"", "\n", "\r\n", "\n\n", "\r\n\r\n"} {
		if short, ok := strings.CutSuffix(string(out), end); ok {
			all = append(all, short)
		}
	}
	return all, nil
}
