package ops

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/search"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A sortKey compares two values of one key. Nodes without a value come last, however the key is ordered.
type sortKey struct {
	value   func(*mdstore.Node) string // "" for none
	compare func(a, b string) int
	down    bool
}

// sortKeys are the keys that every node has.
var sortKeys = map[string]sortKey{
	"title":  {func(n *mdstore.Node) string { return n.Title }, foldedOrder, false},
	"type":   {func(n *mdstore.Node) string { return string(n.Type) }, strings.Compare, false},
	"status": {func(n *mdstore.Node) string { return string(n.Status) }, statusOrder, false},

	mdstore.KeyCreated: {func(n *mdstore.Node) string { return timeText(n.CreatedAt) }, numberOrder, false},
	mdstore.KeyUpdated: {func(n *mdstore.Node) string { return timeText(n.UpdatedAt) }, numberOrder, false},
}

func timeText(ms int64) string {
	if ms == 0 {
		return ""
	}
	return strconv.FormatInt(ms, 10)
}

func foldedOrder(a, b string) int {
	fold := func(s string) string { return string(search.Fold(nil, []byte(s))) }
	return cmp.Compare(fold(a), fold(b))
}

func statusOrder(a, b string) int {
	place := func(s string) int { return slices.Index(statemachine.AllStatuses(), statemachine.Status(s)) }
	return place(a) - place(b)
}

// numberOrder compares two numbers, a number with a text (the number comes first), or two texts.
func numberOrder(a, b string) int {
	x, notX := strconv.ParseFloat(a, 64)
	y, notY := strconv.ParseFloat(b, 64)
	switch {
	case notX == nil && notY == nil:
		return cmp.Compare(x, y)
	case notX == nil:
		return -1
	case notY == nil:
		return 1
	}
	return foldedOrder(a, b)
}

// order returns the keys that nodes are to be ordered by. One with "-" before it is ordered the other way round.
func (env *Env) order(ctx context.Context, v *view.View, keys []string) (all []sortKey, err error) {
	for _, word := range keys {
		name, down := strings.CutPrefix(word, "-")
		k, ok := sortKeys[name]
		switch f := mdstore.FieldOf(name); {
		case ok:
		case f != nil:
			k = sortKey{func(n *mdstore.Node) string { return n.Ranked(f) }, f.Compare, false}
		case env.language(ctx, v.All()).Own(name):
			k = sortKey{func(n *mdstore.Node) string {
				o, _ := env.own(ctx, n).Key(name)
				return o.Text()
			}, numberOrder, false}
		default:
			return nil, unknownKey("sort", word, Keys())
		}
		k.down = down
		all = append(all, k)
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

// ListFields returns what a list can say of every node.
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

func (k sortKey) order(a, b string) int {
	switch {
	case a == "" || b == "":
		return cmp.Compare(len(b), len(a)) // the empty one comes last
	case k.down:
		return k.compare(b, a)
	}
	return k.compare(a, b)
}

// sorted collects matching nodes in the order that is asked for, without those above them.
func (p *branch) sorted(root mdstore.ID) []*TreeNode {
	type row struct {
		node   *mdstore.Node
		values []string // by key
	}
	var rows []row
	for depth, n := range p.s.Walk(root) {
		p.met++
		if (p.depth == 0 || depth <= p.depth) && p.match(n) {
			r := row{n, make([]string, len(p.order))}
			for i, k := range p.order {
				r.values[i] = k.value(n)
			}
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		c := 0
		for i := 0; i < len(p.order) && c == 0; i++ {
			c = p.order[i].order(a.values[i], b.values[i])
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
