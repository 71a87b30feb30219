package setup

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A setting is one thing that set-up writes into a file: the entry of the server, or a hook.
type setting struct {
	what   string                           // for errors
	path   []string                         // keys from the root on: the last is its own, or for a hook that of the list with groups of hooks
	value  any                              // what set-up writes: a struct with tags for every format
	isHook func(fields map[string]any) bool // whether a hook of the list is this one; nil for what is no hook
}

// An entry is a setting as it is found in a file.
type entry struct {
	fields map[string]any // nil for what is no object or has a key twice
	value  any            // all of it, as add takes it
	line   int
	place  string // where it is, in the format's own form
}

// A format edits the files of one syntax. Each method takes the text of a file, and the texts that it returns have the
// same bytes but for those of the entry. An error begins with ":line: ".
type format interface {
	// find returns the entries at a setting's path: one, or the hooks in the list that isHook accepts.
	find(text string, s setting) ([]entry, error)
	// add puts a value where find found no entry, together with the part of the path that is missing.
	add(text string, s setting, value any) (string, error)
	// remove returns the text without an entry, and then without each of the objects and lists around it that are empty
	// then: every text that add may have been given before.
	remove(text string, e entry) ([]string, error)
}

// put returns the text with the setting in it. An entry that differs is replaced with force, and an error without.
func (s setting) put(f format, text string, force bool) (string, error) {
	found, err := f.find(text, s)
	if err != nil || slices.ContainsFunc(found, func(e entry) bool { return len(s.differs(e)) == 0 }) {
		return text, err
	}
	if len(found) > 0 && !force {
		return "", s.refuse(found[0], "--force replaces it")
	}
	if text, err = s.remove(f, text, force); err != nil {
		return "", err
	}
	return f.add(text, s, s.value)
}

// remove returns the text without the setting. Of the texts that may have been there before, it is the one from which
// put makes this one. An entry with anything that set-up does not write is removed with force, and an error without.
func (s setting) remove(f format, text string, force bool) (string, error) {
	for {
		found, err := f.find(text, s)
		if err != nil || len(found) == 0 {
			return text, err
		}
		e := found[len(found)-1]
		if !force && slices.ContainsFunc(s.differs(e), func(key string) bool { return key != "command" && key != "args" }) {
			return "", s.refuse(e, "--force takes it out all the same")
		}
		before, err := f.remove(text, e)
		if err != nil {
			return "", err
		}
		i := slices.IndexFunc(before, func(b string) bool {
			again, err := f.add(b, s, e.value)
			return err == nil && again == text
		})
		text = before[max(i, 0)]
	}
}

// refuse returns the error for an entry that set-up has not written.
func (s setting) refuse(e entry, help string) error {
	return fmt.Errorf(":%d: %s differs from what set-up writes (%s); %s", e.line, s.what, strings.Join(s.differs(e), ", "), help)
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
			same := reflect.DeepEqual(have, want) || key == "type" && (have == "stdio" || have == nil) && want != "command" ||
				key == "env" && reflect.DeepEqual(have, map[string]any{})
			if !same && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}
