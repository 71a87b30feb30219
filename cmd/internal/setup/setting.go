package setup

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"arbor/engine"
)

// A setting is one thing that set-up writes into a file: the entry of the server, or a hook.
type setting struct {
	what  string   // for errors
	path  []string // keys from the root on: the last one is its own, or for a hook that of the list with groups of hooks
	hook  bool
	value any // what set-up writes, as a struct with tags for every format
	judge func(have map[string]any) verdict
}

// A verdict says whose an entry is.
type verdict uint8

const (
	foreign verdict = iota // not Arbor's
	edited                 // Arbor's, and differs from what set-up writes
	ours                   // what set-up writes, perhaps with other options
	equal                  // what this set-up writes
)

// A config is the content of one configuration file.
type config struct {
	path   string // for errors
	text   string
	exists bool
}

func (c config) bytes() []byte {
	if !c.exists {
		return nil
	}
	return []byte(c.text)
}

// An entry is a value in a config that a setting may be.
type entry struct {
	fields  map[string]any // nil for what is no object or has a key twice
	value   any            // all of it, as add takes it
	where   string         // ":" and its line
	cut     string         // the place of what is removed with it, in the format's own form
	verdict verdict
}

// A format edits the files of one syntax. Each method takes the whole content of a file and leaves it as it is: bytes
// that do not belong to the entry stay the same in what it returns. An error is an INVALID_CONTENT that names the line.
type format interface {
	// find returns the entries at a setting's place: the one with its key, or all hooks of its list.
	find(config, setting) ([]entry, error)
	// add puts a value where find found no entry, together with what is missing of the setting's path.
	add(c config, s setting, value any) (config, error)
	// remove returns the config without an entry, and then without each of the objects and lists around it that are
	// empty then: every config that add may have been given before.
	remove(config, entry) ([]config, error)
}

// find returns the entries of Arbor's, with their verdicts. One with the setting's key is Arbor's whatever it holds.
func (s setting) find(f format, c config) ([]entry, error) {
	all, err := f.find(c, s)
	var found []entry
	for _, e := range all {
		e.verdict = s.judge(e.fields)
		if !s.hook {
			e.verdict = max(e.verdict, edited)
		}
		if e.verdict != foreign {
			found = append(found, e)
		}
	}
	return found, err
}

// put returns the config with the setting in it. An entry that differs is replaced with force, and an error without.
func (s setting) put(f format, c config, force bool) (config, error) {
	found, err := s.find(f, c)
	switch {
	case err != nil || slices.ContainsFunc(found, func(e entry) bool { return e.verdict == equal }):
		return c, err
	case len(found) > 0 && !force:
		return c, s.refuse(c, found[0], "--force replaces it")
	}
	if c, err = s.remove(f, c, force); err != nil {
		return c, err
	}
	return f.add(c, s, s.value)
}

// remove returns the config without the setting. Of the configs that may have been there before, it is the one from
// which put makes this one. An entry that was edited by hand is removed with force, and an error without.
func (s setting) remove(f format, c config, force bool) (config, error) {
	for {
		found, err := s.find(f, c)
		if err != nil || len(found) == 0 {
			return c, err
		}
		e := found[len(found)-1]
		if e.verdict < ours && !force {
			return c, s.refuse(c, e, "--force takes it out all the same")
		}
		before, err := f.remove(c, e)
		if err != nil {
			return c, err
		}
		i := slices.IndexFunc(before, func(b config) bool {
			if e.fields == nil {
				return false
			}
			again, err := f.add(b, s, e.value)
			return err == nil && again == c
		})
		c = before[max(i, 0)]
	}
}

// refuse returns the error for an entry that was edited by hand.
func (s setting) refuse(c config, e entry, help string) error {
	what := strings.Join(unlike(e.fields, fieldsOf(s.value)), ", ")
	if e.fields == nil {
		what = "it is no object, or has a key twice"
	}
	return invalid(c, e.where, "%s differs from what set-up writes (%s); %s", s.what, what, help)
}

// invalid returns the error for content that cannot be edited; where is "" or ":line" or ":line:column".
func invalid(c config, where, message string, args ...any) error {
	e := engine.Fail(engine.InvalidContent, "%s%s: %s%s", c.path, where, fmt.Sprintf(message, args...), unchanged)
	e.Details = &engine.Details{Paths: []string{c.path}}
	return e
}

// unlike returns the keys whose values differ. A server of the type "stdio" and one without a type are the same, and so
// are an empty environment, which Claude Code adds, and none.
func unlike(have, want map[string]any) []string {
	meaning := func(key string, v any) any {
		if env, is := v.(map[string]any); key == "type" && v == "stdio" || key == "env" && is && len(env) == 0 {
			return nil
		}
		return v
	}
	var keys []string
	for _, fields := range []map[string]any{have, want} {
		for key := range fields {
			if !slices.Contains(keys, key) && !reflect.DeepEqual(meaning(key, have[key]), meaning(key, want[key])) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// fieldsOf returns what a format that decodes a written value gets.
func fieldsOf(value any) map[string]any {
	var fields map[string]any
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil {
		panic(fmt.Sprintf("%+v cannot be written: %v", value, err))
	}
	return fields
}
