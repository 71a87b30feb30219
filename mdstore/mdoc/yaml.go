package mdoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

// decodeYAML returns the root node of the one document in b, nil if b holds only comments. It does not decode nodes
// into values: that is expensive, and loses duplicate keys.
func decodeYAML(b []byte) (root *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("the parser failed: %v", p)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errors.New("it holds more than one document")
		}
		return nil, err
	}
	if len(doc.Content) != 1 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// countNodes returns how many nodes a YAML tree has. An alias is one, whatever it stands for.
func countNodes(n *yaml.Node) int {
	count := 1
	for _, c := range n.Content {
		count += countNodes(c)
	}
	return count
}

// entriesOf returns the entries of the mapping in the lines at s. Those of a mapping in braces are not located.
func entriesOf(text []byte, s Span, root *yaml.Node, pos *positions) []entry {
	out := make([]entry, 0, len(root.Content)/2)
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		e := entry{key: k, val: v, start: pos.offset(k.Line, k.Column)}
		e.Key = k.Value
		e.Line = lineNumber(text, e.start)
		e.Kind, e.Value = scalarOf(v)
		out = append(out, e)
	}
	flow := root.Style&yaml.FlowStyle != 0
	for i := range out {
		next := s.End
		if i+1 < len(out) {
			next = out[i+1].start
		}
		var certain bool
		out[i].Span, certain = pos.value(out[i].val, out[i].key.Column-1, next)
		out[i].located = certain && !flow
	}
	return out
}

// scalarOf returns the kind and text of a value. Dates, binary data and values with a
// tag of their own are text; an alias has the kind and text of its anchor's value.
func scalarOf(n *yaml.Node) (Kind, string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return Nested, ""
	}
	switch n.Tag {
	case "!!null":
		return Null, ""
	case "!!bool":
		return Bool, n.Value
	case "!!int":
		return Int, n.Value
	case "!!float":
		return Float, n.Value
	}
	return String, n.Value
}
