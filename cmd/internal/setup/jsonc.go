package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonc is JSON that may hold comments and trailing commas. Places in it are JSON pointers (RFC 6901).
type jsonc struct{}

var _ format = jsonc{}

const (
	byteOrderMark = "\ufeff"
	white         = " \t\r\n"
	hooksKey      = "hooks"
	mostBrackets  = 1 << 18 // of a file; were all of them nested, the parser would need a stack of 230 MB of the 1,000 that Go allows
)

// parseJSON returns hujson's tree, which holds every byte of the text; nil if that is nothing but white space.
func parseJSON(c config) (*hujson.Value, error) {
	src := strings.TrimPrefix(c.text, byteOrderMark)
	if strings.Trim(src, white) == "" {
		return nil, nil
	}
	if strings.Count(src, "[")+strings.Count(src, "{") > mostBrackets {
		return nil, invalid(c, "", "it has more than %d brackets", mostBrackets)
	}
	root, err := hujson.Parse([]byte(src + "\n")) // a comment may end with the file
	if err != nil {
		what, line, column := err.Error(), 0, 0
		if n, _ := fmt.Sscanf(what, "hujson: line %d, column %d:", &line, &column); n == 2 {
			what = strings.SplitN(what, ": ", 3)[2]
		}
		return nil, invalid(c, fmt.Sprintf(":%d:%d", line, column), "it is no valid JSON: %s; mend it first", what)
	}
	if root.Value.Kind() != '{' {
		return nil, invalid(c, lineOf(c, root.StartOffset), "it is no object")
	}
	root.BeforeExtra = append(hujson.Extra(c.text[:len(c.text)-len(src)]), root.BeforeExtra...)
	return &root, nil
}

// pack returns the config with what the tree is now.
func pack(c config, root *hujson.Value) config {
	return config{c.path, strings.TrimSuffix(string(root.Pack()), "\n"), true}
}

// lineOf returns ":" and the line of an offset that the parser gave.
func lineOf(c config, at int) string {
	return fmt.Sprint(":", 1+strings.Count(strings.TrimPrefix(c.text, byteOrderMark)[:at], "\n"))
}

// descend returns the last value on a path of keys that exists, and the number of keys that lead to it. A key that an
// object has twice is an error, because programs differ in which one counts.
func descend(c config, root *hujson.Value, path []string) (v *hujson.Value, depth int, err error) {
	v = root
	for depth, key := range path {
		object, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, 0, invalid(c, lineOf(c, v.StartOffset), "%s is no object", strings.Join(path[:depth], "."))
		}
		var found *hujson.ObjectMember
		for i := range object.Members {
			m := &object.Members[i]
			if m.Name.Value.(hujson.Literal).String() != key {
				continue
			}
			if found != nil {
				return nil, 0, invalid(c, lineOf(c, m.Name.StartOffset), "%s stands here for the second time (first in line %s); keep one of them",
					key, lineOf(c, found.Name.StartOffset)[1:])
			}
			found = m
		}
		if found == nil {
			return v, depth, nil
		}
		v = &found.Value
	}
	return v, len(path), nil
}

func (jsonc) find(c config, s setting) (found []entry, err error) {
	root, err := parseJSON(c)
	if err != nil || root == nil {
		return nil, err
	}
	v, depth, err := descend(c, root, s.path)
	if err != nil || depth < len(s.path) {
		return nil, err
	}
	at := pointer(s.path)
	if !s.hook {
		return []entry{entryAt(c, v, at)}, nil
	}
	groups, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, invalid(c, lineOf(c, v.StartOffset), "%s is no list", strings.Join(s.path, "."))
	}
	for i := range groups.Elements {
		group := at + "/" + strconv.Itoa(i)
		hooks := groups.Elements[i].Find("/" + hooksKey)
		if hooks == nil || hooks.Value.Kind() != '[' {
			continue
		}
		list := hooks.Value.(*hujson.Array).Elements
		for j := range list {
			cut := group
			if len(list) > 1 {
				cut = fmt.Sprintf("%s/%s/%d", group, hooksKey, j)
			}
			found = append(found, entryAt(c, &list[j], cut))
		}
	}
	return found, nil
}

// entryAt describes a value; cut is the place of what is removed with it.
func entryAt(c config, v *hujson.Value, cut string) entry {
	plain := v.Clone()
	plain.Minimize()
	e := entry{where: lineOf(c, v.StartOffset), cut: cut, value: json.RawMessage(plain.Pack())}
	all, _ := parts(v)
	if json.Unmarshal(plain.Pack(), &e.fields) != nil || len(e.fields) != len(all) {
		e.fields = nil
	}
	return e
}

func pointer(path []string) string { return "/" + strings.Join(path, "/") } // none of our keys has a character to escape

func (jsonc) add(c config, s setting, value any) (config, error) {
	root, err := parseJSON(c)
	if err != nil {
		return c, err
	}
	text, path := encode(value), s.path
	if s.hook {
		text, path = wrap(hooksKey, wrap("-", text)), append(slices.Clone(path), "-")
	}
	container, depth := (*hujson.Value)(nil), 0
	if root != nil {
		if container, depth, err = descend(c, root, s.path); err != nil {
			return c, err
		}
		depth = min(depth, len(path)-1)
	}
	for _, key := range slices.Backward(path[depth+1:]) {
		text = wrap(key, text)
	}
	if root == nil {
		c.text += layout{nl: "\n", unit: plainUnit, gap: " "}.write(wrap(path[0], text))
		if !c.exists {
			c.text, c.exists = c.text+"\n", true
		}
		return c, nil
	}
	err = insert(root, container, pointer(path[:depth+1]), text)
	return pack(c, root), err
}

// wrap returns a list of text if key is "-", and otherwise an object with it.
func wrap(key, text string) string {
	if key == "-" {
		return "[" + text + "]"
	}
	return "{" + encode(key) + ":" + text + "}"
}

func (jsonc) remove(c config, e entry) ([]config, error) {
	root, err := parseJSON(c)
	if err != nil {
		return nil, err
	}
	var all []config
	for at := e.cut; at != ""; {
		around := at[:strings.LastIndexByte(at, '/')]
		container := root.Find(around)
		if err := cutPart(root, container, at); err != nil {
			return nil, err
		}
		all = append(all, pack(c, root))
		if rest, _ := parts(container); len(rest) > 0 {
			return all, nil
		}
		at = around
	}
	// Set-up may have made all of the text, or the file.
	blank := string(root.BeforeExtra)
	return append(all, config{c.path, blank, true}, config{path: c.path}), nil
}

// encode returns a value as JSON in one line.
func encode(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(fmt.Sprintf("%+v cannot be written: %v", value, err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
