package setup

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A setting is one entry that set-up writes into a file: the server, or a hook.
type setting struct {
	what  string   // for errors
	path  []string // keys from the root on: the last is its own, or for a hook that of the list with groups of hooks
	value any      // the value that set-up writes: a struct with JSON tags
	toml  bool     // the file is TOML, not JSON
	flat  bool     // for a hook: the list has hooks, not groups of them
	// isHook reports whether a hook of the list is this one; nil for the server.
	isHook func(fields map[string]any) bool
}

// An entry is a setting that a file has.
type entry struct {
	fields map[string]any // nil if it is not an object or has a key twice
	value  any            // the whole value, in the form for add
	line   int
	place  string // its JSON pointer
}

// put returns the text with the setting in it, or without it if remove. Without force, an entry that differs from what
// set-up writes is an error; one to be removed may differ in how arbor is started. Removing the entry restores the text
// from before put added it.
func (s setting) put(text string, remove, force bool) (string, error) {
	found, err := find(text, s)
	var refused error
	for _, e := range found {
		differs := s.differs(e)
		if !remove && len(differs) == 0 {
			return text, nil
		}
		started := func(key string) bool { return key == "command" || key == "args" }
		if !remove || len(slices.DeleteFunc(slices.Clone(differs), started)) > 0 {
			refused = fmt.Errorf(":%d: %s differs from what setup writes (%s); --force replaces or removes it",
				e.line, s.what, strings.Join(differs, ", "))
		}
	}
	if refused != nil && !force {
		return "", refused
	}
	for err == nil && len(found) > 0 {
		e := found[len(found)-1]
		before, failed := removals(text, s, e)
		if failed != nil {
			return "", failed
		}
		i := slices.IndexFunc(before, func(b string) bool {
			again, err := add(b, s, e.value)
			return err == nil && again == text
		})
		text = before[max(i, 0)]
		found, err = find(text, s)
	}
	if err != nil || remove {
		return text, err
	}
	return add(text, s, s.value)
}

// differs returns the keys whose values are not what set-up writes. A server of the type "stdio" and one without a type
// are the same, and so are an empty environment, which Claude Code adds, and none.
func (s setting) differs(e entry) (keys []string) {
	if e.fields == nil {
		return []string{"it is no object, or has a key twice"}
	}
	var want map[string]any
	data, _ := json.Marshal(s.value)
	_ = json.Unmarshal(data, &want)
	for _, fields := range []map[string]any{e.fields, want} {
		for key := range fields {
			have, want := e.fields[key], want[key]
			same := reflect.DeepEqual(have, want) || key == "env" && reflect.DeepEqual(have, map[string]any{}) ||
				key == "type" && (have == "stdio" || have == nil) && (want == "stdio" || want == nil)
			if !same && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}
