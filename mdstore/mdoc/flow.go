package mdoc

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Of returns the scalar of a value as JSON has it: nil, a text, a number, a bool, or a list or an object of such
// values. A list or an object is written on one line. ok is false for other types and for numbers that are not finite.
func Of(value any) (v Scalar, ok bool) {
	switch value := value.(type) {
	case nil:
		return NullValue(), true
	case string:
		return Text(value), true
	case bool:
		return Boolean(value), true
	case float64:
		return Number(value), !math.IsNaN(value) && !math.IsInf(value, 0)
	case []string:
		return List(value...), true
	case []any:
		texts, all := make([]string, len(value)), true
		for i, item := range value {
			text, is := item.(string)
			texts[i], all = text, all && is
		}
		if all {
			return List(texts...), true
		}
		for i, item := range value {
			if texts[i], ok = flow(item); !ok {
				return Scalar{}, false
			}
		}
		return Scalar{kind: Nested, text: "[" + strings.Join(texts, ", ") + "]", deep: true}, true
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		members := make([]string, len(keys))
		for i, key := range keys {
			text, ok := flow(value[key])
			if !ok {
				return Scalar{}, false
			}
			members[i] = quoteDouble(key) + ": " + text
		}
		return Scalar{kind: Nested, text: "{" + strings.Join(members, ", ") + "}", deep: true}, true
	}
	return Scalar{}, false
}

// flow returns a value as it is written within a list or an object.
func flow(value any) (string, bool) {
	v, ok := Of(value)
	if v.kind == String {
		return quoteDouble(v.text), ok
	}
	return v.literal(0), ok
}

// Value returns the value of a front matter key in the form of JSON; see Of. Dates and keys of mappings are texts. ok
// is false if the key is missing, or if its value has more nodes than front matter may have, as aliases of aliases can.
func (d *Doc) Value(key string) (value any, ok bool) {
	f, has := d.Field(key)
	if !has {
		return nil, false
	}
	if f.Kind != Nested {
		return scalarValue(f.Kind, f.Value), true
	}
	d.parseFront.Do(func() { d.front, _ = parseFront(d.text, d.parts.front) })
	e := d.front.find(key)
	if e == nil || e.val == nil {
		return nil, false
	}
	room := maxFrontMatterNodes
	value = valueOf(e.val, &room)
	return value, room >= 0
}

func scalarValue(kind Kind, text string) any {
	switch kind {
	case Null:
		return nil
	case Bool:
		return strings.EqualFold(text, "true")
	case Int, Float:
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n
		}
	}
	return text
}

// valueOf returns the value of a node. It stops where there is no room for more nodes.
func valueOf(n *yaml.Node, room *int) any {
	if *room--; *room < 0 {
		return nil
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, valueOf(item, room))
		}
		return list
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			object[n.Content[i].Value] = valueOf(n.Content[i+1], room)
		}
		return object
	}
	return scalarValue(scalarOf(n))
}

// holdsDeep reports whether a node has the value of a scalar made by Of, however it is written.
func (v Scalar) holdsDeep(n *yaml.Node) bool {
	root, err := decodeYAML([]byte(v.text))
	return err == nil && root != nil && n != nil && sameMeaning(root, n)
}

// sameMeaning reports whether two nodes say the same. An alias is never the same as what it stands for.
func sameMeaning(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, sameMeaning)
}
