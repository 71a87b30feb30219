package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// The files are JSON that may hold comments and trailing commas. The functions of this file return their text unchanged
// except for the bytes of one entry; an error begins with ":line: ".

const (
	byteOrderMark = "\ufeff"
	white         = " \t\r\n"
	hooksKey      = "hooks"
	// mostBrackets bounds the parser's stack: 230 MB if all are nested, of the 1,000 at which Go ends a program.
	mostBrackets = 1 << 18
)

// parseJSON returns hujson's tree, which holds every byte of the text; nil if that is nothing but white space.
func parseJSON(text string) (*hujson.Value, error) {
	src := strings.TrimPrefix(text, byteOrderMark)
	if strings.Trim(src, white) == "" {
		return nil, nil
	}
	if strings.Count(src, "[")+strings.Count(src, "{") > mostBrackets {
		return nil, fmt.Errorf(": it has more than %d brackets", mostBrackets)
	}
	root, err := hujson.Parse([]byte(src + "\n")) // a comment may end with the file
	if err != nil {
		_, where, _ := strings.Cut(err.Error(), "line ")
		where, what, _ := strings.Cut(strings.Replace(where, ", column ", ":", 1), ": ")
		return nil, fmt.Errorf(":%s: it is not valid JSON: %s; correct it first", where, what)
	}
	if root.Value.Kind() != '{' {
		return nil, fmt.Errorf(":%d: it is no object", lineOf(text, &root))
	}
	root.BeforeExtra = slices.Concat(hujson.Extra(text[:len(text)-len(src)]), root.BeforeExtra)
	return &root, nil
}

// pack returns the text of the tree.
func pack(root *hujson.Value) string { return strings.TrimSuffix(string(root.Pack()), "\n") }

// lineOf returns the line of a value that was parsed.
func lineOf(text string, v *hujson.Value) int {
	return 1 + strings.Count(strings.TrimPrefix(text, byteOrderMark)[:v.StartOffset], "\n")
}

// descend returns the last value on a path of keys that exists, and the number of keys that lead to it. A key that an
// object has twice is an error, because programs differ in which one counts.
func descend(text string, root *hujson.Value, path []string) (v *hujson.Value, depth int, err error) {
	v = root
	for depth, key := range path {
		object, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, 0, fmt.Errorf(":%d: %s is no object", lineOf(text, v), strings.Join(path[:depth], "."))
		}
		var found *hujson.ObjectMember
		for i := range object.Members {
			m := &object.Members[i]
			switch {
			case m.Name.Value.(hujson.Literal).String() != key:
			case found == nil:
				found = m
			default:
				return nil, 0, fmt.Errorf(":%d: %s is here twice (first in line %d); keep one of them",
					lineOf(text, &m.Name), key, lineOf(text, &found.Name))
			}
		}
		if found == nil {
			return v, depth, nil
		}
		v = &found.Value
	}
	return v, len(path), nil
}

// find returns the entries at a setting's path: one, or the hooks in the list that isHook accepts.
func find(text string, s setting) (found []entry, err error) {
	if s.toml {
		return findTOML(text, s)
	}
	root, err := parseJSON(text)
	if err != nil || root == nil {
		return nil, err
	}
	v, depth, err := descend(text, root, s.path)
	if err != nil || depth < len(s.path) {
		return nil, err
	}
	place := "/" + strings.Join(s.path, "/") // no key of ours needs an escape
	if s.isHook == nil {
		return []entry{entryAt(text, v, place)}, nil
	}
	groups, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf(":%d: %s is no list", lineOf(text, v), strings.Join(s.path, "."))
	}
	for i := range groups.Elements {
		if s.flat {
			if e := entryAt(text, &groups.Elements[i], fmt.Sprintf("%s/%d", place, i)); s.isHook(e.fields) {
				found = append(found, e)
			}
			continue
		}
		hooks := groups.Elements[i].Find("/" + hooksKey)
		if hooks == nil || hooks.Value.Kind() != '[' {
			continue
		}
		list, _ := parts(hooks)
		for j, p := range list {
			cut := fmt.Sprintf("%s/%d", place, i)
			if len(list) > 1 {
				cut += fmt.Sprintf("/%s/%d", hooksKey, j)
			}
			if e := entryAt(text, p.value, cut); s.isHook(e.fields) {
				found = append(found, e)
			}
		}
	}
	return found, nil
}

// entryAt describes a value; place is the JSON pointer of the part that goes when the value is removed.
func entryAt(text string, v *hujson.Value, place string) entry {
	plain := v.Clone()
	plain.Minimize()
	e := entry{line: lineOf(text, v), place: place}
	var fields map[string]any
	if all, _ := parts(v); json.Unmarshal(plain.Pack(), &fields) == nil && len(fields) == len(all) {
		e.fields, e.value = fields, json.RawMessage(plain.Pack())
	}
	return e
}

// add puts a value where find found no entry, together with the part of the path that is missing.
func add(text string, s setting, value any) (string, error) {
	if s.toml {
		return addTOML(text, s, value)
	}
	root, err := parseJSON(text)
	if err != nil {
		return "", err
	}
	path := s.path
	switch {
	case s.flat:
		path = slices.Concat(path, []string{"-"})
	case s.isHook != nil: // in a group of its own
		path = slices.Concat(path, []string{"-", hooksKey, "-"})
	}
	if root == nil {
		made := nest(path, value)
		layout{nl: "\n", unit: plainUnit}.apply(&made)
		if text += string(made.Pack()); text[0] == '{' { // there was no file
			text += "\n"
		}
		return text, nil
	}
	container, depth, err := descend(text, root, s.path)
	if err != nil {
		return "", err
	}
	insert(root, container, path[depth], nest(path[depth+1:], value))
	return pack(root), nil
}

// nest returns the objects on a path with a value in the last of them; "-" is a list.
func nest(path []string, value any) hujson.Value {
	text := encode(value)
	for _, key := range slices.Backward(path) {
		if key == "-" {
			text = "[" + text + "]"
		} else {
			text = "{" + encode(key) + ":" + text + "}"
		}
	}
	v, _ := hujson.Parse([]byte(text))
	return v
}

// removals returns the text without an entry, and then without each of the objects and lists around it that are empty
// then: every text that add may have been given before.
func removals(text string, s setting, e entry) ([]string, error) {
	if s.toml {
		return removalsTOML(text, s)
	}
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	var all []string
	for place := e.place; place != ""; {
		around := place[:strings.LastIndexByte(place, '/')]
		container := root.Find(around)
		cut(container, root.Find(place))
		all = append(all, pack(root))
		if rest, _ := parts(container); len(rest) > 0 {
			return all, nil
		}
		place = around
	}
	return append(all, string(root.BeforeExtra), ""), nil // the file was blank, or there was none
}

// encode returns a value as JSON in one line.
func encode(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // a string, a struct of ours, or JSON
	return strings.TrimSuffix(b.String(), "\n")
}
