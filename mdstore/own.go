package mdstore

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"arbor/mdstore/mdoc"
)

// An Own is a key in the front matter of a node that NodeKind does not know: it is a person's, or another program's.
type Own struct {
	Key  string
	Kind mdoc.Kind // of the value; Nested for a list and for any nested value
	List bool      // it is a list of plain values, or an empty list
	// Items are the value as text: one of a plain value, none of null, those of a list. For a mapping, and a list of
	// lists or mappings, it is the YAML source.
	Items []string
}

// Plain reports whether the value is one plain value, a list of such, or null. Only a person can change any other
// value.
func (o Own) Plain() bool { return o.List || o.Kind != mdoc.Nested }

// Text returns the value as text, without line ends at its end. The items of a list are in one line.
func (o Own) Text() string { return strings.TrimRight(strings.Join(o.Items, ", "), "\n") }

// Value returns the value as JSON has it: a text, a number, true or false, an array of texts, or nil.
func (o Own) Value() any {
	switch {
	case o.List:
		return append([]string{}, o.Items...)
	case len(o.Items) == 0:
		return nil
	case o.Kind == mdoc.Bool:
		return strings.EqualFold(o.Items[0], "true")
	case (o.Kind == mdoc.Int || o.Kind == mdoc.Float) && json.Valid([]byte(o.Items[0])):
		return json.Number(o.Items[0])
	}
	return o.Items[0]
}

// Owns are the own keys of a file in their order. In JSON they are one object.
type Owns []Own

// Key returns the own key of that name.
func (all Owns) Key(name string) (Own, bool) {
	for _, o := range all {
		if o.Key == name {
			return o, true
		}
	}
	return Own{}, false
}

// MarshalJSON writes the keys in the order of the file.
func (all Owns) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, o := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(o.Key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(o.Value()); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Own returns the keys of the node's front matter that NodeKind does not know, in the order of the file. It reads the
// document only if the facts lack them.
func (n *Node) Own() Owns {
	if own, ok := n.facts.Own(); n.doc == nil && ok {
		return own
	}
	return ownOf(n.Doc())
}

// Own returns the own keys of the node; ok is false if the facts lack them.
func (f Facts) Own() (all Owns, ok bool) {
	if !f.Known() || f.has(factOwn) {
		return nil, false
	}
	return ownIn(f.part(partOwn)), true
}

func ownOf(d *mdoc.Doc) (all Owns) {
	for _, f := range d.Fields() {
		_, plain := d.Texts(f.Key)
		foreign := f.Key == KeyVerify && !plain // another program's key of that name
		if !foreign && slices.ContainsFunc(nodeKeys, func(k Key) bool { return k.Name == f.Key }) {
			continue
		}
		o := Own{Key: f.Key, Kind: f.Kind}
		switch f.Kind {
		case mdoc.Null:
		case mdoc.Nested:
			if o.Items, o.List = d.Texts(f.Key); !o.List {
				o.Items = []string{d.Source(f)}
			}
		default:
			o.Items = []string{f.Value}
		}
		all = append(all, o)
	}
	return all
}

// The kinds of own keys, as facts keep them before the key.
const (
	ownKinds = "nbifsm" // by mdoc.Kind
	ownList  = 'l'
)

// packed returns own keys as facts keep them; ownIn undoes it. ok is false if they cannot be kept.
func (all Owns) packed() (text string, ok bool) {
	rows := make([][]string, 0, len(all))
	for _, o := range all {
		kind := ownKinds[o.Kind]
		if o.List {
			kind = ownList
		}
		rows = append(rows, append([]string{string(kind) + o.Key}, o.Items...))
	}
	return packRows(rows)
}

func ownIn(text string) (all Owns) {
	for _, row := range unpackRows(text) {
		o := Own{Key: row[0][1:], Items: row[1:]}
		if o.List = row[0][0] == ownList; o.List {
			o.Kind = mdoc.Nested
		} else {
			o.Kind = mdoc.Kind(strings.IndexByte(ownKinds, row[0][0]))
		}
		all = append(all, o)
	}
	return all
}

// Separators of the rows, and of the texts of a row, that facts hold.
const (
	fieldBetween = "\x1f"
	itemBetween  = "\x1e"
)

// packRows returns rows of texts as one text; ok is false if a text holds a separator. A row is never empty.
func packRows(rows [][]string) (text string, ok bool) {
	all := make([]string, 0, len(rows))
	marks := len(rows) - 1
	for _, row := range rows {
		all = append(all, strings.Join(row, itemBetween))
		marks += len(row) - 1
	}
	text = strings.Join(all, fieldBetween)
	return text, len(rows) == 0 ||
		strings.Count(text, fieldBetween)+strings.Count(text, itemBetween) == marks && !strings.Contains(text, factsBetween)
}

func unpackRows(text string) (rows [][]string) {
	if text == "" {
		return nil
	}
	for row := range strings.SplitSeq(text, fieldBetween) {
		rows = append(rows, strings.Split(row, itemBetween))
	}
	return rows
}
