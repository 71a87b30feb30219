package ops

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/internal/search"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A sortKey is a key that nodes are ordered by. Nodes without a value come last, in either direction.
type sortKey struct {
	value func(*mdstore.Node) sortValue
	down  bool
}

// A sortValue is a number or a text; numbers come before texts. The zero sortValue is none.
type sortValue struct {
	isNumber bool
	number   float64
	text     string
}

func numberValue(n float64) sortValue { return sortValue{isNumber: true, number: n} }

func textValue(s string) sortValue { return sortValue{text: string(search.Fold(nil, []byte(s)))} }

// plainValue returns the value of a text that may be a number.
func plainValue(s string) sortValue {
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return numberValue(n)
	}
	return textValue(s)
}

func timeValue(ms int64) sortValue {
	if ms == 0 {
		return sortValue{}
	}
	return numberValue(float64(ms))
}

// rankOf returns the value by which a field orders nodes. For a field with fixed words it is the place of the word. A
// node without a priority has the place of medium.
func rankOf(f *mdstore.Field, text string) sortValue {
	if f.Rule.Enum != nil && (text != "" || f == mdstore.PriorityField()) {
		return numberValue(float64(f.Rank(text)))
	}
	return plainValue(text)
}

// sortKeys are the keys that every node has.
var sortKeys = map[string]func(*mdstore.Node) sortValue{
	"title": func(n *mdstore.Node) sortValue { return textValue(n.Title) },
	"type":  func(n *mdstore.Node) sortValue { return textValue(string(n.Type)) },
	"status": func(n *mdstore.Node) sortValue {
		return numberValue(float64(slices.Index(statemachine.AllStatuses(), n.Status)))
	},
	mdstore.KeyCreated: func(n *mdstore.Node) sortValue { return timeValue(n.CreatedAt) },
	mdstore.KeyUpdated: func(n *mdstore.Node) sortValue { return timeValue(n.UpdatedAt) },
}

// order returns the keys by which to sort nodes. "-" before a key reverses its order.
func (env *Env) order(ctx context.Context, v *view.View, keys []string) (all []sortKey, err error) {
	for _, word := range keys {
		name, down := strings.CutPrefix(word, "-")
		value, ok := sortKeys[name]
		switch f := mdstore.FieldOf(name); {
		case ok:
		case f != nil:
			value = func(n *mdstore.Node) sortValue { return rankOf(f, n.Text(f)) }
		case env.language(ctx, v.All()).Own(name):
			value = func(n *mdstore.Node) sortValue {
				o, _ := env.own(ctx, n).Key(name)
				return plainValue(o.Text())
			}
		default:
			return nil, unknownKey("sort", word, Keys())
		}
		all = append(all, sortKey{value, down})
	}
	return all, nil
}

// Keys returns the keys that a list can be ordered by in every plan.
func Keys() []string {
	all := []string{"title", "type", "status", mdstore.KeyCreated, mdstore.KeyUpdated}
	for _, f := range mdstore.AllFields() {
		all = append(all, f.Key)
	}
	return all
}

// ListFields returns the names of the fields that a list can have for every node.
func ListFields() []string {
	all := []string{"id", "title", "type", "status", "parentId", "focused", "hasProblem", "damaged", "blockedBy",
		"claimedBy"}
	for _, f := range mdstore.AllFields() {
		if f.Set {
			all = append(all, f.Key)
		}
	}
	return all
}

// unknownKey returns the error for a key that is none of the known ones and that no node of the view has.
func unknownKey(param, word string, known []string) error {
	text := ""
	if near := Nearest(strings.TrimPrefix(word, "-"), known); near != "" {
		text = "; did you mean " + near + "?"
	}
	return badParam(param, "%s has %q; %s are known, and each key that some file has%s", param, word,
		strings.Join(known, ", "), text)
}

func (k sortKey) compare(a, b sortValue) int {
	none := sortValue{}
	switch {
	case a == none && b == none:
		return 0
	case a == none:
		return 1
	case b == none:
		return -1
	case k.down:
		a, b = b, a
	}
	switch {
	case a.isNumber != b.isNumber && a.isNumber:
		return -1
	case a.isNumber != b.isNumber:
		return 1
	}
	return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text))
}

// sorted collects matching nodes in the order that is asked for, without those above them.
func (p *branch) sorted(root mdstore.ID) []*TreeNode {
	type row struct {
		node   *mdstore.Node
		values []sortValue // by key
	}
	var rows []row
	for depth, n := range p.s.Walk(root) {
		p.met++
		if (p.depth == 0 || depth <= p.depth) && p.match(n) {
			r := row{n, make([]sortValue, len(p.order))}
			for i, k := range p.order {
				r.values[i] = k.value(n)
			}
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		c := 0
		for i := 0; i < len(p.order) && c == 0; i++ {
			c = p.order[i].compare(a.values[i], b.values[i])
		}
		return c
	})
	p.total, p.lost = len(rows), false
	if p.after != "" {
		at := slices.IndexFunc(rows, func(r row) bool { return r.node.ID == p.after })
		p.lost = at < 0
		rows = rows[at+1:]
	}
	all := []*TreeNode{}
	for _, r := range rows {
		if p.limit >= 0 && p.shown >= p.limit {
			p.next = p.after
			if p.shown > 0 {
				p.next = mdstore.ID(all[p.shown-1].ID)
			}
			break
		}
		t := p.treeNode(r.node)
		t.ParentID = string(r.node.Parent)
		all = append(all, t)
		p.shown++
	}
	if len(all) > 0 {
		p.first = all[0]
	}
	return all
}
